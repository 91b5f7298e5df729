"""The queue of gradings is a database table, whose rows are claimed under a lease: see `leases`.

Order: runs before submissions before regrades (`lane`). Within a lane, students with the least unfinished work go first
(`turn`: a student's first piece of work comes before any student's second), and students whose code recently ran into a time
limit go last. Within a turn, courses alternate (`place`): new work of a course goes one place behind the course's last, but
never before the place that is being served, so that a course with 300 waiting submissions and one with a single student both
make progress. Later arrivals never worsen a place.

The broker only carries notifications: whatever it loses, the row is still here.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from autograder.courses import audit
from autograder.judge.report import RUNAWAYS
from autograder.library.models import ExerciseVersion
from autograder.observability import ids, spans
from autograder.submissions import counters
from autograder.submissions.counters import FAILED, RETRIES, Increment
from autograder.submissions.messages import events
from autograder.submissions.models import Batch, Grading, Kind, Lane, Submission, Work
from autograder.submissions.work.leases import LEASE, Claim, Leases, numbers

log = logging.getLogger("gradus.queue")
MAX_TRIES = 3  # after internal errors
# A worker that vanishes is assumed to have been killed from outside, so the work is retried for about an hour.
MAX_LOST_WORKERS = 20
# added to the turn of students who recently submitted an endless loop, so that they wait behind all others
RUNAWAY_TURNS = 100
RUNAWAY_WINDOW = timedelta(minutes=10)
State = Work.State
WAITING = (State.QUEUED, State.RUNNING)


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


def claim(
    worker: str, lanes: Collection[int] = tuple(Lane), lease: timedelta = LEASE, unreadable: Collection[int] = ()
) -> Claim | None:
    """Claim the next piece of work in these lanes."""
    return gradings.claim(worker, f"lane IN ({numbers(lanes)})", lease=lease, unreadable=unreadable)


def _settled(work: Work, cause: str) -> None:
    """Count, publish and log what became of work that was given back, without the error text, which may quote the
    submission's answers; staff read it in the admin."""
    facts = {"work": work.pk, "submission": work.submission_id, "tries": work.tries, "cause": counters.CAUSES[cause]}
    if work.state == State.FAILED:
        counters.add([Increment(FAILED, cause)])
        audit.record(
            "grading-failed", work.submission, actor=None, course=work.course, trouble=work.trouble, tries=work.tries
        )
        log.error(
            "submission %s could not be graded: the reason is on the page of its job in the admin",
            work.submission_id,
            extra=facts,
        )
    else:
        counters.add([Increment(RETRIES, cause)])
        log.warning("job %s goes back to the queue", work.pk, extra=facts)
    if work.batch_id is None:  # a preview is visible to staff only
        if work.state == State.FAILED:
            events.tell(work.submission_id, "internal")
        else:
            events.tell(work.submission_id, "queued", again=True)


gradings = Leases(
    Work,
    "job",
    order="lane, turn, place, id",
    max_tries=MAX_TRIES,
    max_lost=MAX_LOST_WORKERS,
    settled=_settled,
)
