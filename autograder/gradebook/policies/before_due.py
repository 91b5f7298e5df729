"""The best before the due date counts, or a late one for its share if that is still more."""

from collections.abc import Sequence

from autograder.gradebook.policies.base import Counted, Scored, worth

NAME = "best-before-due"


def policy(scored: Sequence[Scored], late_share: float) -> Counted | None:
    if not scored:
        return None
    first_best = max(scored, key=lambda one: one.share * late_share if one.late else one.share)
    return worth(first_best, late_share)
