"""Pages for instructors and assistants."""
