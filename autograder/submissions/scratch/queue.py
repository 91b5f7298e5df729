"""A queue of scratch runs in a separate table, with lower priority than live gradings.

Like a grading, a scratch run is claimed under a lease in one statement, so that a killed worker does not lose it. Unlike a
grading, it expires: after `MAX_WAIT` it is no longer run, and after `RETENTION` it is deleted.
"""

import logging
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch.answer import ScratchAnswer
from autograder.submissions.selectors import living_workers
from autograder.submissions.work.queue import LEASE

log = logging.getLogger("gradus.scratch")
MAX_WAIT = timedelta(minutes=3)
RETENTION = timedelta(hours=1)
MAX_TRIES = 2
State = ScratchRun.State

# Limits concurrency: endless loops must not occupy every worker, and each student has at most one scratch run at a time.
_CLAIM = """
UPDATE submissions_scratchrun
SET state = 'running', token = %s, worker = %s, lease_until = %s, started_at = %s, tries = tries + 1
WHERE state = 'queued' AND id = (
    SELECT id FROM submissions_scratchrun AS waiting
    WHERE state = 'queued' AND asked_at > %s {others}
    AND (SELECT COUNT(*) FROM submissions_scratchrun WHERE lease_until IS NOT NULL) < %s
    AND NOT EXISTS (
        SELECT 1 FROM submissions_scratchrun AS held
        WHERE held.lease_until IS NOT NULL AND held.membership_id = waiting.membership_id
    )
    ORDER BY id LIMIT 1 {lock}
)
RETURNING id, version_id, request
"""


@dataclass(frozen=True)
class ScratchClaim:
    """A claimed scratch run, and the token that proves the claim."""

    run_id: int
    token: str
    version_id: int = 0
    request: str = ""


def waits(now: datetime | None = None) -> bool:
    return _waiting(now or timezone.now()).exists()


def claim(worker: str, lease: timedelta = LEASE, unreadable: Collection[int] = ()) -> ScratchClaim | None:
    """Claim the oldest waiting run, or return None. Exercise versions in `unreadable` are left to other workers."""
    token, now = secrets.token_hex(16), timezone.now()
    lock = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    numbers = ", ".join(str(int(number)) for number in sorted(unreadable))
    statement = _CLAIM.format(others=f"AND version_id NOT IN ({numbers})" if numbers else "", lock=lock)
    adapt = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        given = [token, worker[:100], adapt(now + lease), adapt(now), adapt(now - MAX_WAIT), most_at_once()]
        cursor.execute(statement, given)
        row = cursor.fetchone()
    return None if row is None else ScratchClaim(row[0], token, *row[1:])


def most_at_once() -> int:
    """Half of the workers, but at least one."""
    return max(1, living_workers().count() // 2)


def renew(claim: ScratchClaim, lease: timedelta = LEASE) -> bool:
    return bool(_held(claim).update(lease_until=timezone.now() + lease))


def finish(claim: ScratchClaim, answer: ScratchAnswer) -> bool:
    """Store the answer. Returns False, with nothing stored, if the lease was lost."""
    stored = msgspec.to_builtins(answer)
    return bool(_held(claim).update(state=State.DONE, token="", lease_until=None, ended_at=timezone.now(), answer=stored))


def give_back(claim: ScratchClaim, *, tried: bool = True) -> None:
    """Return a run that failed to the queue, or mark it as failed after its last try. With `tried=False` it does not use up a try."""
    with transaction.atomic():
        run = _held(claim).select_for_update(of=("self",)).first()
        if run is not None:
            run.tries -= not tried
            _again_or_failed(run)


def reap(now: datetime | None = None) -> int:
    """Take back runs with an expired lease."""
    now = now or timezone.now()
    return _take_back(Q(lease_until__lt=now) | Q(lease_until__gt=now + 10 * LEASE))


def take_back_from(worker: str) -> int:
    """Take back the runs of a worker that is known to be dead, without waiting for the lease to expire."""
    return _take_back(Q(lease_until__isnull=False, worker=worker[:100]))


def sweep(now: datetime | None = None) -> int:
    """Delete old runs, including the code, the calls and the answer."""
    return ScratchRun.objects.filter(asked_at__lt=(now or timezone.now()) - RETENTION).delete()[0]


def _take_back(lost: Q) -> int:
    with transaction.atomic():
        found = list(
            ScratchRun.objects.filter(lost).select_for_update(
                skip_locked=connection.features.has_select_for_update_skip_locked, of=("self",)
            )[:500]
        )
        for run in found:
            _again_or_failed(run)
    return len(found)


def _again_or_failed(run: ScratchRun) -> None:
    run.token, run.lease_until = "", None
    if run.tries < MAX_TRIES:
        run.state = State.QUEUED
    else:
        run.state, run.ended_at = State.FAILED, timezone.now()
        log.error("scratch run %s could not be run", run.pk, extra={"scratch_run": run.pk, "tries": run.tries})
    run.save(update_fields=("token", "lease_until", "state", "ended_at", "tries"))


def _waiting(now: datetime) -> QuerySet[ScratchRun]:
    return ScratchRun.objects.filter(state=State.QUEUED, asked_at__gt=now - MAX_WAIT)


def _held(claim: ScratchClaim) -> QuerySet[ScratchRun]:
    return ScratchRun.objects.filter(pk=claim.run_id, token=claim.token, state=State.RUNNING)
