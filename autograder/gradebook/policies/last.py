"""The last submission counts."""

from collections.abc import Sequence

from autograder.gradebook.policies.base import Counted, Kept, Scored, counted

NAME = "last"


def policy(scored: Sequence[Scored], kept: Kept) -> Counted | None:
    return counted(scored[-1], kept) if scored else None
