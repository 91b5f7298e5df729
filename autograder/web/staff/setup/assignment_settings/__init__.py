"""The settings of one assignment."""
