"""Sandbox backends: each one starts a confined zygote process in its own way."""
