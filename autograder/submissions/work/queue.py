"""The queue is a database table. Work is claimed under a lease in one statement, and finished by the worker that still holds it.

Order: runs before submissions before regrades (`lane`). Within a lane, students with the least unfinished work go first
(`turn`: a student's first piece of work comes before any student's second), and students whose code recently ran into a time
limit go last. Within a turn, courses alternate (`place`): new work of a course goes one place behind the course's last, but
never before the place that is being served, so that a course with 300 waiting submissions and one with a single student both
make progress. Later arrivals never worsen a place.

The broker only carries notifications: whatever it loses, the row is still here.
"""

import logging
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from autograder.courses import audit
from autograder.judge.report import RUNAWAYS
from autograder.library.models import ExerciseVersion
from autograder.observability import ids, spans
from autograder.submissions import counters
from autograder.submissions.counters import FAILED, RETRIES, Increment
from autograder.submissions.messages import events
from autograder.submissions.models import Batch, Grading, Kind, Lane, Submission, Work

log = logging.getLogger("gradus.queue")
LEASE: timedelta = settings.LEASE
MAX_TRIES = 3  # after internal errors
# A worker that vanishes is assumed to have been killed from outside, so the work is retried for about an hour.
MAX_LOST_WORKERS = 20
MIN_BACKOFF, MAX_BACKOFF = timedelta(seconds=1), timedelta(minutes=5)  # delay before a retry, from the second lost worker on
# added to the turn of students who recently submitted an endless loop, so that they wait behind all others
RUNAWAY_TURNS = 100
RUNAWAY_WINDOW = timedelta(minutes=10)
State = Work.State
WAITING = (State.QUEUED, State.RUNNING)


@dataclass(frozen=True)
class Claim:
    """A claimed piece of work, and the token that proves the claim."""

    work_id: int
    token: str
    request: str = ""  # the request that created the work, and the parent of its tracing spans
    traceparent: str = ""


# -- enqueueing -----------------------------------------------------------------------------------------------------------


def enqueue(submission: Submission, *, supersede: bool = False, at: datetime | None = None) -> Work:
    """Queue a new submission, inside the transaction that stores it. A replayed submission is queued `at` a later time than
    it was submitted."""
    lane = Lane.RUN if submission.kind == Kind.RUN else Lane.SUBMIT
    if supersede:
        _supersede(submission)
    waiting = Work.objects.filter(membership_id=submission.membership_id, ended_at=None, lane=lane)
    turn = waiting.count() + (RUNAWAY_TURNS if _ran_away(submission) else 0)
    course_id = submission.assignment.course_id
    return Work.objects.create(
        submission=submission,
        version_id=submission.assignment.exercise_version.pk,
        course_id=course_id,
        membership_id=submission.membership_id,
        lane=lane,
        turn=turn,
        place=_next_place(lane, turn, course_id),
        queued_at=at or submission.submitted_at,
        request=ids.current(),
        traceparent=spans.traceparent(),
    )


def _ran_away(submission: Submission) -> bool:
    """Return whether a recent submission of this student occupied a worker until it hit a limit."""
    lately = Grading.objects.filter(
        submission__membership_id=submission.membership_id, graded_at__gt=timezone.now() - RUNAWAY_WINDOW
    )
    return lately.filter(verdict="error", report__reason__in=RUNAWAYS).exists()


def enqueue_batch(batch: Batch, wanted: Iterable[tuple[Submission, ExerciseVersion]]) -> int:
    """Queue regrades behind all live work."""
    now, first = timezone.now(), _next_place(Lane.REGRADE, 0, batch.course_id)
    rows = [
        Work(
            submission=submission,
            version=version,
            batch=batch,
            course_id=batch.course_id,
            membership_id=submission.membership_id,
            lane=Lane.REGRADE,
            place=first + n,
            queued_at=now,
            request=ids.current(),
            traceparent=spans.traceparent(),
        )
        for n, (submission, version) in enumerate(wanted)
    ]
    return len(Work.objects.bulk_create(rows, batch_size=500))


def _next_place(lane: int, turn: int, course_id: int) -> int:
    """Return the place for new work of a course. Two queries for the first row of an index: aggregates would scan all rows."""
    same = Work.objects.filter(lane=lane, turn=turn)
    served = same.filter(state=State.QUEUED).order_by("place").values_list("place", flat=True).first()
    of_course = same.filter(course_id=course_id, ended_at=None, lease_until=None)
    last = of_course.order_by("-place").values_list("place", flat=True).first()
    return served or 0 if last is None else max(served or 0, last + 1)


def _supersede(submission: Submission) -> None:
    """Drop older submissions that are not being graded yet in favour of a newer one."""
    older = Work.objects.filter(
        submission__assignment_id=submission.assignment_id,
        membership_id=submission.membership_id,
        submission__kind=submission.kind,
        ended_at=None,
        lease_until=None,
        batch=None,
    ).exclude(submission=submission)
    gone = list(older.values_list("pk", "submission_id"))
    older.filter(pk__in=[pk for pk, _ in gone]).update(state=State.SUPERSEDED, ended_at=timezone.now())
    for _, submission_id in gone:
        events.tell(submission_id, "superseded", by=submission.pk)


# -- claiming and finishing -----------------------------------------------------------------------------------------------

_CLAIM = """
UPDATE submissions_work
SET state = 'running', token = %s, worker = %s, lease_until = %s, started_at = %s, tries = tries + 1
WHERE state = 'queued' AND id = (
    SELECT id FROM submissions_work
    WHERE state = 'queued' AND lane IN ({lanes}) AND (not_before IS NULL OR not_before <= %s) {others}
    ORDER BY lane, turn, place, id LIMIT 1 {lock}
)
RETURNING id, request, traceparent
"""


def claim(
    worker: str, lanes: Collection[int] = tuple(Lane), lease: timedelta = LEASE, unreadable: Collection[int] = ()
) -> Claim | None:
    """Claim the next piece of work, or return None. Concurrent claims never return the same one.

    Exercise versions in `unreadable` are left to other workers.
    """
    token, now = secrets.token_hex(16), timezone.now()
    lock = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    others = f"AND version_id NOT IN ({_numbers(unreadable)})" if unreadable else ""
    statement = _CLAIM.format(lanes=_numbers(lanes), others=others, lock=lock)
    adapt = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        cursor.execute(statement, [token, worker[:100], adapt(now + lease), adapt(now), adapt(now)])
        row = cursor.fetchone()
    if row is None:
        return None
    return Claim(row[0], token, *row[1:])


def _numbers(numbers: Collection[int]) -> str:
    return ", ".join(str(int(number)) for number in sorted(numbers))


def renew(claim: Claim, lease: timedelta = LEASE) -> bool:
    """Renew the lease. Returns False if it was lost: the result must then be discarded."""
    return bool(_held(claim).update(lease_until=timezone.now() + lease))


def finish(claim: Claim) -> bool:
    """Mark the work as done, inside the transaction that stores the grading. Returns False if the lease was lost: store
    nothing then."""
    return bool(_held(claim).update(state=State.DONE, token="", lease_until=None, ended_at=timezone.now()))


def give_back(claim: Claim, trouble: str, *, tried: bool = True) -> bool:
    """Return work that failed to the queue, or mark it as failed after its last try. With `tried=False` it does not use up a try."""
    with transaction.atomic():
        work = _held(claim).select_for_update(of=("self",)).select_related("submission", "course").first()
        if work is None:
            return False
        if not tried:
            work.tries -= 1
        _again_or_failed(work, trouble, "error" if tried else "untried")
    return True


def reap(now: datetime | None = None) -> int:
    """Take back work with an expired lease. A lease that ends too far ahead, because a clock jumped, counts as expired."""
    now = now or timezone.now()
    return _take_back(Q(lease_until__lt=now) | Q(lease_until__gt=now + 10 * LEASE))


def take_back_from(worker: str, *, held: bool = False) -> int:
    """Take back the work of a worker that is known to be dead, without waiting for its lease to expire.

    `held`: the worker died because this work used too much CPU time or hung.
    """
    return _take_back(Q(lease_until__isnull=False, worker=worker[:100]), "held" if held else "silent")


def _take_back(lost: Q, cause: str = "silent") -> int:
    with transaction.atomic():
        found = list(
            Work.objects.filter(lost)  # work with a lease is running
            .select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked, of=("self",))
            .select_related("submission", "course")[:500]
        )
        for work in found:
            trouble = "took too long on it or hung" if cause == "held" else "stopped responding"
            _again_or_failed(work, f"worker {work.worker} {trouble}", cause)
    return len(found)


def _held(claim: Claim) -> QuerySet[Work]:
    return Work.objects.filter(pk=claim.work_id, token=claim.token, state=State.RUNNING)


def _again_or_failed(work: Work, trouble: str, cause: str) -> None:
    work.token, work.lease_until, work.trouble, work.not_before = "", None, trouble, None
    if cause == "silent":
        work.lost += 1
        work.not_before = _not_before(work.lost)
    if work.tries - work.lost < MAX_TRIES and work.lost < MAX_LOST_WORKERS:
        work.state = State.QUEUED
        counters.add([Increment(RETRIES, cause)])
        if work.batch_id is None:
            events.tell(work.submission_id, "queued", again=True)
    else:
        work.state, work.ended_at = State.FAILED, timezone.now()
        counters.add([Increment(FAILED, cause)])
        audit.record("grading-failed", work.submission, actor=None, course=work.course, trouble=trouble, tries=work.tries)
        if work.batch_id is None:  # a preview is visible to staff only
            events.tell(work.submission_id, "internal")
    with ids.bound(request=work.request):
        _log(work, cause)
    work.save(update_fields=("token", "lease_until", "trouble", "state", "ended_at", "tries", "lost", "not_before"))


def _not_before(lost: int) -> datetime | None:
    """Return when work may be retried after lost workers.

    One worker may vanish for any reason. From the second one on, the submission may be the cause, so its delay grows, which
    limits the harm.
    """
    return timezone.now() + min(MAX_BACKOFF, MIN_BACKOFF * 2 ** (lost - 2)) if lost > 1 else None


def _log(work: Work, cause: str) -> None:
    """Log the outcome without the error text, which may quote the submission's answers; staff read it in the admin."""
    facts = {"work": work.pk, "submission": work.submission_id, "tries": work.tries, "cause": counters.CAUSES[cause]}
    if work.state == State.FAILED:
        log.error(
            "submission %s could not be graded: the reason is on the page of its job in the admin",
            work.submission_id,
            extra=facts,
        )
    else:
        log.warning("job %s goes back to the queue", work.pk, extra=facts)
