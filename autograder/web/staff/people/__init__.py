"""Pages for the members of a course."""
