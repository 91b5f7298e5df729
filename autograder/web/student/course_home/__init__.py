"""The course home of a student."""
