"""The queue of scratch runs, with lower priority than live gradings.

A scratch run is claimed under a lease like a grading. Unlike a grading, it expires: after `MAX_WAIT` it is no longer run, and
after `RETENTION` it is deleted.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from autograder.submissions.models import ScratchRun
from autograder.submissions.selectors import living_workers
from autograder.submissions.work.leases import LEASE, Claim, Leases

log = logging.getLogger("gradus.scratch")
MAX_WAIT = timedelta(minutes=3)
RETENTION = timedelta(hours=1)
MAX_TRIES = 2  # of either kind: somebody waits for the answer
State = ScratchRun.State

# Limits concurrency: endless loops must not occupy every worker, and each student has at most one scratch run at a time.
_IN_TURN = """asked_at > %s
    AND (SELECT COUNT(*) FROM submissions_scratchrun WHERE lease_until IS NOT NULL) < %s
    AND NOT EXISTS (
        SELECT 1 FROM submissions_scratchrun AS held
        WHERE held.lease_until IS NOT NULL AND held.membership_id = waiting.membership_id
    )"""


def waits(now: datetime | None = None) -> bool:
    return ScratchRun.objects.filter(state=State.QUEUED, asked_at__gt=(now or timezone.now()) - MAX_WAIT).exists()


def claim(worker: str, lease: timedelta = LEASE, unreadable: Collection[int] = ()) -> Claim | None:
    """Claim the oldest waiting run whose turn it is."""
    oldest = connection.ops.adapt_datetimefield_value(timezone.now() - MAX_WAIT)
    return runs.claim(worker, _IN_TURN, [oldest, most_at_once()], lease=lease, unreadable=unreadable)


def most_at_once() -> int:
    """Half of the workers, but at least one."""
    return max(1, living_workers().count() // 2)


def sweep(now: datetime | None = None) -> int:
    """Delete old runs, including the code, the calls and the answer."""
    return ScratchRun.objects.filter(asked_at__lt=(now or timezone.now()) - RETENTION).delete()[0]


def _settled(run: ScratchRun, cause: str) -> None:
    if run.state == State.FAILED:
        log.error("scratch run %s could not be run", run.pk, extra={"scratch_run": run.pk, "tries": run.tries})


runs = Leases(ScratchRun, "scratch run", order="id", max_tries=MAX_TRIES, max_lost=MAX_TRIES, settled=_settled)
