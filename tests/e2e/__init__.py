"""End-to-end tests: the whole site with real processes and a real browser."""
