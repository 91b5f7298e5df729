"""The best submission counts, on time or late alike."""

from collections.abc import Sequence
from operator import attrgetter

from autograder.gradebook.policies.base import Counted, Scored

NAME = "best"


def policy(scored: Sequence[Scored], late_share: float) -> Counted | None:
    if not scored:
        return None
    first_best = max(scored, key=attrgetter("share"))
    return Counted(first_best.share, first_best.submission_id, late=first_best.late)
