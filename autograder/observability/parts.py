"""Shows what was stored about a submission part by part, so that a part that cannot be shown takes no page with it.

What is stored comes from the answers of submissions, which nobody can foresee.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

log = logging.getLogger("gradus.shown")
Part = TypeVar("Part")


class Parts:
    """Makes parts one by one. `lost` has a sentence for each one that failed."""

    def __init__(self) -> None:
        self.lost: list[str] = []

    def make(self, what: str, make: Callable[[], Part]) -> Part | None:
        """The part, or None if it cannot be made. `what` starts a sentence."""
        try:
            return make()
        except Exception as error:
            self.lost.append(lost(what, error))
            return None


def lost(what: str, error: Exception) -> str:
    """Log that a part cannot be shown, and return the sentence that takes its place."""
    log.error("%s cannot be shown", what, exc_info=error)
    return (
        f"{what} cannot be shown because of an error in Gradus, which was recorded for the operator. "
        "The verdict and the points are not affected."
    )
