"""Gradus: an autograder and teaching platform for automatic differentiation."""

__version__ = "0.1.0"
