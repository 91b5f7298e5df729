"""The history of a course: who changed what."""
