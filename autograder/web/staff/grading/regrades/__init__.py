"""Regrading: start, preview, apply, undo."""
