"""The queue is a table. Work is claimed under a lease in one statement, and finished by whoever still holds the lease.

Order: runs before submissions before regrades (`lane`). Within a lane, who has least waiting goes first (`turn`: a student's
first piece of work before anybody's second), and last whose code lately ran into a time limit. Within a turn, courses take
turns (`place`): new work of a course goes one place behind the course's last, but never before the place that is being
served, so that a course with 300 waiting and one with a single student both move on. Nobody's place gets worse by what comes
later.

The broker is not asked anything: whatever it loses, the row is still here.
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
from autograder.submissions import counters, events
from autograder.submissions.counters import FAILED, RETRIES, Count
from autograder.submissions.models import Batch, Grading, Kind, Lane, Submission, Work

log = logging.getLogger("gradus.queue")
LEASE: timedelta = settings.LEASE
TRIES = 3  # that an error of ours may cost
# A worker that vanishes in the middle was killed from outside, as far as we know: the work is tried again for an hour.
MAX_LOST_WORKERS = 20
MIN_BACKOFF, MAX_BACKOFF = timedelta(seconds=1), timedelta(minutes=5)  # before it is tried again after more than one of them
RUNAWAY_TURNS = 100  # where who lately handed in an endless loop waits: behind all who did not
RUNAWAY_WINDOW = timedelta(minutes=10)
State = Work.State
WAITING = (State.QUEUED, State.RUNNING)


@dataclass(frozen=True)
class Claim:
    """A piece of work, and the proof that it is ours."""

    work_id: int
    token: str
    request: str = ""  # which asked for it, and where its spans hang
    traceparent: str = ""


# -- coming in ------------------------------------------------------------------------------------------------------------


def enqueue(submission: Submission, *, supersede: bool = False, at: datetime | None = None) -> Work:
    """Live work for a new submission, inside the transaction that stores it. What is replayed is queued `at` another time than
    it was handed in."""
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
    """Whether something that its student handed in lately held a worker until a limit ended it."""
    lately = Grading.objects.filter(
        submission__membership_id=submission.membership_id, graded_at__gt=timezone.now() - RUNAWAY_WINDOW
    )
    return lately.filter(verdict="error", report__reason__in=RUNAWAYS).exists()


def enqueue_batch(batch: Batch, wanted: Iterable[tuple[Submission, ExerciseVersion]]) -> int:
    """Regrades, behind everything that is live."""
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
    """Two first rows of an index: the smallest and the largest, asked for as such, would be looked for among all."""
    same = Work.objects.filter(lane=lane, turn=turn)
    served = same.filter(state=State.QUEUED).order_by("place").values_list("place", flat=True).first()
    of_course = same.filter(course_id=course_id, ended_at=None, lease_until=None)
    last = of_course.order_by("-place").values_list("place", flat=True).first()
    return served or 0 if last is None else max(served or 0, last + 1)


def _supersede(submission: Submission) -> None:
    """A newer submission takes the place of the older ones that nobody has begun to grade."""
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


# -- going out ------------------------------------------------------------------------------------------------------------

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
    """The most deserving piece of work, or None. Two who claim at once never get the same. Versions of exercises that the
    worker cannot read are left to others."""
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
    """False when the lease is not ours any more: then whatever we find out is thrown away."""
    return bool(_held(claim).update(lease_until=timezone.now() + lease))


def finish(claim: Claim) -> bool:
    """Inside the transaction that stores the grading. False, and nothing is to be stored, if the lease was lost."""
    return bool(_held(claim).update(state=State.DONE, token="", lease_until=None, ended_at=timezone.now()))


def give_back(claim: Claim, trouble: str, *, tried: bool = True) -> bool:
    """It could not be done: try again, or after the last try say so to staff. What was not even tried costs no try."""
    with transaction.atomic():
        work = _held(claim).select_for_update(of=("self",)).select_related("submission", "course").first()
        if work is None:
            return False
        if not tried:
            work.tries -= 1
        _again_or_failed(work, trouble, "error" if tried else "untried")
    return True


def reap(now: datetime | None = None) -> int:
    """Take back what nobody renews. A lease that ends too far ahead is of a clock that jumped, and is taken back, too."""
    now = now or timezone.now()
    return _take_back(Q(lease_until__lt=now) | Q(lease_until__gt=now + 10 * LEASE))


def take_back_from(worker: str, *, held: bool = False) -> int:
    """What a worker had that is known to be dead: nobody waits for its lease to run out. `held`: it died over this work, which
    made it compute for too long or hang."""
    return _take_back(Q(lease_until__isnull=False, worker=worker[:100]), "held" if held else "silent")


def _take_back(lost: Q, cause: str = "silent") -> int:
    with transaction.atomic():
        found = list(
            Work.objects.filter(lost)  # which have a lease, and so are running
            .select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked, of=("self",))
            .select_related("submission", "course")[:500]
        )
        for work in found:
            trouble = "computed for too long, or hung, over it" if cause == "held" else "was not heard of any more"
            _again_or_failed(work, f"worker {work.worker} {trouble}", cause)
    return len(found)


def _held(claim: Claim) -> QuerySet[Work]:
    return Work.objects.filter(pk=claim.work_id, token=claim.token, state=State.RUNNING)


def _again_or_failed(work: Work, trouble: str, cause: str) -> None:
    work.token, work.lease_until, work.trouble, work.not_before = "", None, trouble, None
    if cause == "silent":
        work.lost += 1
        work.not_before = _not_before(work.lost)
    if work.tries - work.lost < TRIES and work.lost < MAX_LOST_WORKERS:
        work.state = State.QUEUED
        counters.add([Count(RETRIES, cause)])
        if work.batch_id is None:
            events.tell(work.submission_id, "queued", again=True)
    else:
        work.state, work.ended_at = State.FAILED, timezone.now()
        counters.add([Count(FAILED, cause)])
        audit.record("grading-failed", work.submission, actor=None, course=work.course, trouble=trouble, tries=work.tries)
        if work.batch_id is None:  # a preview is nobody's but the staff's
            events.tell(work.submission_id, "internal")
    with ids.bound(request=work.request):
        _log(work, cause)
    work.save(update_fields=("token", "lease_until", "trouble", "state", "ended_at", "tries", "lost", "not_before"))


def _not_before(lost: int) -> datetime | None:
    """One worker may vanish for any reason. Where a second one does, perhaps it is this submission that takes them along: it
    waits for longer and longer, so that it does little harm."""
    return timezone.now() + min(MAX_BACKOFF, MIN_BACKOFF * 2 ** (lost - 2)) if lost > 1 else None


def _log(work: Work, cause: str) -> None:
    """Without the trouble itself, which may repeat what a submission answered: staff read it under the work."""
    facts = {"work": work.pk, "submission": work.submission_id, "tries": work.tries, "cause": counters.CAUSES[cause]}
    if work.state == State.FAILED:
        log.error("submission %s could not be graded: the admin says why, under its work", work.submission_id, extra=facts)
    else:
        log.warning("work %s goes back to the queue", work.pk, extra=facts)
