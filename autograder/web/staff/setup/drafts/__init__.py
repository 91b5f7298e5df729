"""Drafts of exercises: the list, and the workspace in which one is written."""
