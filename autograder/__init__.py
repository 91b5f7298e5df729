"""Gradus: an autograder and teaching platform for automatic differentiation."""

import os

from sandbox.instructions import EVERYWHERE

__version__ = "0.2.0"

for _name, _value in EVERYWHERE.items():  # before anything imports numpy or torch
    os.environ.setdefault(_name, _value)
