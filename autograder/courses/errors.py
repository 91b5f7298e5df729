"""What is refused, with a sentence for the person who asked."""

import math


class Refused(Exception):
    """The request cannot be granted. The message is for the person who made it; nothing was stored."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AtField(Refused):
    """Refused for what stands in one field of a form."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Conflict(Refused):
    """Somebody else was faster: what the decision was made from is not what stands. `stands` is the row as it is now."""

    def __init__(self, message: str, stands: object) -> None:
        super().__init__(message)
        self.stands = stands


class TooOften(Refused):
    """Refused for now: the same is granted in so many seconds."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = max(1, math.ceil(seconds))
