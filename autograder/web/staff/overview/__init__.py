"""The overview of a course, with live activity."""
