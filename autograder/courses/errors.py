"""Exceptions for refused requests, each with a message for the user."""

import math
from typing import Any


class Refused(Exception):
    """The request was refused and nothing was stored. The message is shown to the user."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AtField(Refused):
    """Refused because of the value of one form field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Conflict(Refused):
    """Refused because the row was changed concurrently. `stands` is its current state."""

    def __init__(self, message: str, stands: Any) -> None:
        super().__init__(message)
        self.stands = stands


class TooOften(Refused):
    """Refused because of a rate limit. The request is allowed again after this number of seconds."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = max(1, math.ceil(seconds))
