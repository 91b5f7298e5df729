"""Stores exercises in the database, and provides the commands for working on them."""
