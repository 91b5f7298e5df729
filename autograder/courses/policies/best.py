"""The submission with the most points after lateness counts. Among equal ones, it is the first."""

from collections.abc import Sequence

from autograder.courses.policies.base import Counted, Policy, Remaining, Scored, counted


def _best(scored: Sequence[Scored], remaining: Remaining) -> Counted:
    return counted(max(scored, key=lambda submission: submission.share * remaining(submission.lateness)), remaining)


POLICY = Policy("best", "Best submission counts", "the best submission counts", _best)
