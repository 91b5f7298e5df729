"""The exercises of a course: assign and remove."""
