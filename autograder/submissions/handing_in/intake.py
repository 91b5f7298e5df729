"""Accepts submissions. Everything that can be refused is refused here, with a message, before anything is stored."""

import hashlib
import logging
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, User
from autograder.courses.selectors import assignment_of, is_staff_of, membership_of
from autograder.observability.spans import span
from autograder.submissions.handing_in import answers
from autograder.submissions.handing_in.attempts import allowance_of, refuse
from autograder.submissions.handing_in.file_sets import completed
from autograder.submissions.handing_in.run_limit import refuse_too_many_runs
from autograder.submissions.messages import doorbell, events
from autograder.submissions.models import Kind, Submission
from autograder.submissions.work import queue
from sandbox.wire import Limits

log = logging.getLogger("gradus.intake")
MAX_SOURCE_BYTES = Limits().source_bytes


def submit(
    *, user: User, course: Course, assignment: str, source: bytes, kind: Kind = Kind.SUBMIT, once: str = ""
) -> Submission:
    """Store a submission and queue its grading. Raises Refused, with nothing stored.

    A page generates a value of `once` for every press of a button. Repeating it with the same content returns the first
    submission.
    """
    with span("submit", kind=str(kind)), transaction.atomic():
        submission = _take_in(user, course, assignment, source, kind, once=once)
        transaction.on_commit(doorbell.ring)
    return submission


def replay(
    *, user: User, course: Course, assignment: str, source: bytes, at: datetime, kind: Kind = Kind.SUBMIT
) -> Submission:
    """Submit by the same rules, but at a past time: for a demo, or for imported history. Call it in chronological order.

    Workers are not notified: the caller grades the submissions itself or leaves them to the scheduler.
    """
    if at > timezone.now():
        raise ValueError(f"the time of submission {at} is in the future")
    return _take_in(user, course, assignment, source, kind, at)


def _take_in(
    user: User, course: Course, assignment: str, source: bytes, kind: Kind, at: datetime | None = None, once: str = ""
) -> Submission:
    membership = membership_of(user, course)
    wanted = assignment_of(course, assignment)
    source = completed(source, wanted, membership)
    _refuse_file(source)
    if wanted.course.archived_at is not None:
        raise Refused(f"{wanted.course.title} is archived and no longer accepts submissions.")
    with transaction.atomic():
        # one submission per student at a time: two concurrent ones could both pass the limit
        Membership.objects.select_for_update().get(pk=membership.pk)
        once = _press(once, wanted, kind, source, membership)
        first = Submission.objects.filter(membership=membership, once=once).first() if once else None
        if first is not None:
            return first
        now = at or timezone.now()
        if not is_staff_of(membership):
            refuse(wanted, allowance_of(wanted, membership, now), kind)
        if kind == Kind.RUN:
            refuse_too_many_runs(membership, now)
        submission = Submission.objects.create(
            assignment=wanted, membership=membership, kind=kind, source=source, submitted_at=now, once=once
        )
        if kind == Kind.SUBMIT:
            answers.hand_in(submission)
        work = queue.enqueue(submission, supersede=course.supersedes, at=timezone.now() if at else None)
        events.tell(submission.pk, "queued")
        log.info("handed in", extra={"submission": submission.pk, "work": work.pk, "lane": work.get_lane_display()})
    return submission


def is_repeated(*, membership: Membership, assignment: Assignment, source: bytes, kind: Kind, once: str) -> bool:
    """Return whether this press of a button was already accepted; `submit` then returns the existing submission."""
    press = _press(once, assignment, kind, source, membership)
    return bool(press) and Submission.objects.filter(membership=membership, once=press).exists()


def _press(once: str, assignment: Assignment, kind: str, source: bytes, membership: Membership) -> str:
    """Return the key that identifies a press: its name and its content.

    After the browser's back button, a page still has the name of its first press, but a changed text or answer is a new
    submission.
    """
    if not once:
        return ""
    sent = f"{once} {assignment.pk} {kind} {answers.state_of(assignment, membership)}".encode() + source
    return hashlib.blake2b(sent, digest_size=16).hexdigest()


def _refuse_file(source: bytes) -> None:
    if not source.strip():
        raise Refused("The file is empty. Nothing was submitted.")
    if len(source) > MAX_SOURCE_BYTES:
        raise Refused(f"The file is {len(source):,} bytes; the limit is {MAX_SOURCE_BYTES:,} bytes. Nothing was submitted.")
