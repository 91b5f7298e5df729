"""The database backend for SQLite: Django's, with a queue for writers."""
