"""The last submission counts; a late one for its share."""

from collections.abc import Sequence

from autograder.gradebook.policies.base import Counted, Scored, worth

NAME = "last"


def policy(scored: Sequence[Scored], late_share: float) -> Counted | None:
    return worth(scored[-1], late_share) if scored else None
