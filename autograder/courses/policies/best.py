"""The submission with the most points after lateness counts. Among equal ones, it is the first."""

from collections.abc import Sequence

from autograder.courses.policies.base import Counted, Kept, Policy, Scored, counted


def _best(scored: Sequence[Scored], kept: Kept) -> Counted:
    return counted(max(scored, key=lambda submission: submission.share * kept(submission.lateness)), kept)


POLICY = Policy("best", "Best submission counts", "the best submission counts", _best)
