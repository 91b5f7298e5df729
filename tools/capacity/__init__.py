"""Capacity planning: simulates the queue with measured times to estimate the workers and machines that a deadline needs.

Used by `python -m tools.capacity`. A running site does not use this package.
"""
