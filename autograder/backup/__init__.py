"""Saves a whole site to one file and restores it, on SQLite, on PostgreSQL, or from one to the other."""
