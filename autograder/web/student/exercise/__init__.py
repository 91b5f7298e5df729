"""The exercise page: statement, editor and result."""
