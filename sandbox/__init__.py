"""Runs untrusted code in a sandbox. Independent of Django, exercises and grades."""
