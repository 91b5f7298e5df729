"""A claimed piece of work, with everything that grading needs."""

from dataclasses import dataclass
from datetime import datetime

from autograder.submissions.models import Work
from autograder.submissions.work.leases import Claim


@dataclass(frozen=True)
class WorkItem:
    """Everything about a claimed piece of work that grading needs."""

    claim: Claim
    submission_id: int
    version_id: int
    kind: str
    regrade: bool
    tries: int
    source: bytes
    lane: int
    queued_at: datetime
    claimed_at: datetime


def work_item_of(claim: Claim) -> WorkItem:
    work = Work.objects.select_related("submission").get(pk=claim.pk)
    submission = work.submission
    assert work.started_at is not None, "it is claimed"
    return WorkItem(
        claim,
        submission.pk,
        work.version_id,
        submission.kind,
        work.batch_id is not None,
        work.tries,
        bytes(submission.source),
        work.lane,
        work.queued_at,
        work.started_at,
    )
