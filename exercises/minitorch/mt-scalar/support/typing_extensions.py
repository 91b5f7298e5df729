"""What course files import from typing_extensions. Python's own typing has it, apart from one decorator."""

from typing import *  # noqa: F403


def override(method):
    return method
