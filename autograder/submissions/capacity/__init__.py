"""Capacity planning: simulates the queue with measured times to estimate the workers and machines that a deadline needs.

Used by `python manage.py simulate`. A running site does not use this package.
"""
