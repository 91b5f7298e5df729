"""The last submission counts."""

from collections.abc import Sequence

from autograder.courses.policies.base import Counted, Policy, Remaining, Scored, counted


def _last(scored: Sequence[Scored], remaining: Remaining) -> Counted:
    return counted(scored[-1], remaining)


POLICY = Policy("last", "Last submission counts", "the last submission counts", _last)
