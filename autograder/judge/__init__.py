"""Trusted and Django-free: an exercise, a source and a sandbox go in, a Report comes out."""
