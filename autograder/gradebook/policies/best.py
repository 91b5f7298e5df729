"""The submission with the most points after lateness counts. Among equal ones, it is the first."""

from collections.abc import Sequence

from autograder.gradebook.policies.base import Counted, Kept, Scored, counted

NAME = "best"


def policy(scored: Sequence[Scored], kept: Kept) -> Counted | None:
    if not scored:
        return None
    return counted(max(scored, key=lambda submission: submission.share * kept(submission.lateness)), kept)
