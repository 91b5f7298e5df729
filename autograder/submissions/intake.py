"""Takes submissions in: everything that can be refused is refused here, with a sentence, before anything is stored."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, User
from autograder.courses.selectors import assignment_of, is_staff_of, membership_of, terms_of
from autograder.submissions import doorbell, events, queue
from autograder.submissions.models import Kind, Submission, Work
from sandbox.wire import Limits

RUNS, RUNS_PER = 12, timedelta(minutes=1)
LARGEST = Limits().source_bytes


def submit(*, user: User, course: Course, assignment: str, source: bytes, kind: Kind = Kind.SUBMIT) -> Submission:
    """Store a submission and ask for its grading. Raises Refused, with nothing stored."""
    with transaction.atomic():
        submission = _take_in(user, course, assignment, source, kind)
        transaction.on_commit(doorbell.ring)
    return submission


def replay(
    *, user: User, course: Course, assignment: str, source: bytes, at: datetime, kind: Kind = Kind.SUBMIT
) -> Submission:
    """As `submit`, by the same rules, but at a time that is past: for a demo, or a history from elsewhere. In order of time.

    Nobody is rung for: who replays a course's week grades it, or leaves it to the scheduler.
    """
    if at > timezone.now():
        raise ValueError(f"nobody has handed in anything at {at} yet")
    return _take_in(user, course, assignment, source, kind, at)


def _take_in(
    user: User, course: Course, assignment: str, source: bytes, kind: Kind, at: datetime | None = None
) -> Submission:
    membership = membership_of(user, course)
    wanted = assignment_of(course, assignment)
    _refuse_file(source)
    with transaction.atomic():
        # one of a student's submissions at a time: two at once would both pass under the limit
        Membership.objects.select_for_update().get(pk=membership.pk)
        now = at or timezone.now()
        if not is_staff_of(membership):
            _refuse_by_date(wanted, membership, now)
            if kind == Kind.SUBMIT:
                _refuse_by_attempts(wanted, membership, now)
        if kind == Kind.RUN:
            _refuse_by_rate(membership, now)
        submission = Submission.objects.create(
            assignment=wanted, membership=membership, kind=kind, source=source, submitted_at=now
        )
        queue.enqueue(submission, supersede=course.supersedes)
        events.tell(submission.pk, "queued")
    return submission


def attempts_used(assignment: Assignment, membership: Membership) -> int:
    """Submissions that count against the limit: not those that were never graded, by our fault or by the student's wish."""
    free = (Work.State.FAILED, Work.State.SUPERSEDED)
    not_graded = Work.objects.filter(batch=None, membership=membership, state__in=free).values("submission_id")
    mine = Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)
    return mine.exclude(pk__in=not_graded).count()


def _refuse_file(source: bytes) -> None:
    if not source.strip():
        raise Refused("The file is empty. Nothing was handed in.")
    if len(source) > LARGEST:
        raise Refused(f"The file has {len(source):,} bytes; at most {LARGEST:,} are graded. Nothing was handed in.")


def _refuse_by_date(assignment: Assignment, membership: Membership, now: datetime) -> None:
    terms = terms_of(assignment, membership)
    if terms.opens_at is not None and now < terms.opens_at:
        raise Refused(f"{assignment.title} opens on {_date(terms.opens_at)}. Nothing was handed in.")
    if terms.closes_at is not None and now > terms.closes_at:
        raise Refused(f"{assignment.title} closed on {_date(terms.closes_at)}. Ask your instructor if you need more time.")


def _refuse_by_attempts(assignment: Assignment, membership: Membership, now: datetime) -> None:
    attempts = terms_of(assignment, membership).attempts
    used = attempts_used(assignment, membership)
    if attempts is not None and used >= attempts:
        raise Refused(f"All {attempts} attempts at {assignment.title} are used. Runs of the public checks are still free.")
    last = (
        Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)
        .order_by("-submitted_at")
        .first()
    )
    if last is not None and now < last.submitted_at + assignment.cool_down:
        left = last.submitted_at + assignment.cool_down - now
        raise Refused(f"Please wait {_seconds(left)} before the next attempt at {assignment.title}.")


def _refuse_by_rate(membership: Membership, now: datetime) -> None:
    recent = Submission.objects.filter(membership=membership, kind=Kind.RUN, submitted_at__gt=now - RUNS_PER)
    if recent.count() >= RUNS:
        raise Refused(f"That is {RUNS} runs in a minute. Wait a moment, and read what the last one said.")


def _date(moment: datetime) -> str:
    return f"{moment:%d %B %Y, %H:%M} UTC"


def _seconds(left: timedelta) -> str:
    seconds = max(1, round(left.total_seconds()))
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"
