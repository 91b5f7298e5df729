"""Why a launch or a request to a platform failed: a sentence for the person, and one for the log."""

from autograder.courses.errors import Refused

AGAIN = "Go back to your LMS and open the link again."


class LaunchRefused(Refused):
    """A launch that cannot be trusted or used. `message` is for the person; `reason` is for operators and names no person."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class PlatformTrouble(Refused):
    """A platform did not answer as it should. The message says what happened; `status` is its HTTP status, 0 without one.

    `again` tells whether the same request may succeed later; `after` is the number of seconds that the platform asks to wait.
    """

    def __init__(self, message: str, *, status: int = 0, again: bool = True, after: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.again, self.after = status, again, after


class RegistrationRefused(Refused):
    """A dynamic registration that failed. `message` is for the administrator of the LMS; `reason` is for the log."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
