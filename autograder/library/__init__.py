"""Exercises as the site knows them, and the commands that work on them."""
