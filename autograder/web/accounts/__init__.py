"""Accounts: signing in, passwords, joining a course, preferences."""
