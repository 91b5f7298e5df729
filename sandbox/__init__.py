"""Runs code nobody trusts. Knows nothing of Django, exercises or grades."""
