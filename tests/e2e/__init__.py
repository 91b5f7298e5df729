"""Gradus as its people meet it: the whole site, real processes, a real browser."""
