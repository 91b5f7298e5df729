"""What is refused, with a sentence for the person who asked."""


class Refused(Exception):
    """The request cannot be granted. The message is for the person who made it; nothing was stored."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
