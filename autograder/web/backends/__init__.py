"""Implementations of Django's pluggable parts: authentication, sessions, static files, template loading."""
