"""The last submission counts."""

from collections.abc import Sequence

from autograder.courses.policies.base import Counted, Kept, Policy, Scored, counted


def _last(scored: Sequence[Scored], kept: Kept) -> Counted:
    return counted(scored[-1], kept)


POLICY = Policy("last", "Last submission counts", "the last submission counts", _last)
