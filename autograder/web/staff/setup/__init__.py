"""Pages that set up a course and its exercises."""
