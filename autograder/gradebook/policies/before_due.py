"""The best before the due date counts, or a late one for its share if that is still more."""

from collections.abc import Sequence

from autograder.gradebook.policies.base import Counted, Scored, worth

NAME = "best-before-due"


def policy(scored: Sequence[Scored], late_share: float) -> Counted | None:
    worths = [worth(one, late_share) for one in scored]
    return max(worths, key=lambda counted: counted.share, default=None)
