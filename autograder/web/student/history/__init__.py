"""The submission history of a student."""
