"""What a student may still do with an assignment, given its dates, attempts and cool-down, and the message if they may not."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Assignment, Membership
from autograder.courses.people.extensions import StudentTerms, terms_of
from autograder.submissions.models import UNREADABLE, Grading, Kind, Submission, Work

NONE = timedelta(0)
NOT_GRADED = (Work.State.FAILED, Work.State.SUPERSEDED)


@dataclass(frozen=True)
class Allowance:
    """One student's allowance for an assignment at one moment. `wait` is the remaining cool-down."""

    terms: StudentTerms
    used: int
    wait: timedelta
    now: datetime

    @property
    def left(self) -> int | None:
        """The number of attempts left, or None if unlimited."""
        return None if self.terms.attempts is None else max(0, self.terms.attempts - self.used)

    @property
    def wait_seconds(self) -> int:
        return math.ceil(self.wait.total_seconds())

    @property
    def not_yet(self) -> bool:
        return self.terms.opens_at is not None and self.now < self.terms.opens_at

    @property
    def closed(self) -> bool:
        return self.terms.closes_at is not None and self.now > self.terms.closes_at

    @property
    def late(self) -> bool:
        return self.terms.due_at is not None and self.now > self.terms.due_at

    @property
    def may_run(self) -> bool:
        return not self.not_yet and not self.closed

    @property
    def may_submit(self) -> bool:
        return self.may_run and self.left != 0 and not self.wait


def allowance_of(assignment: Assignment, membership: Membership, now: datetime) -> Allowance:
    return Allowance(
        terms_of(assignment, membership), attempts_used(assignment, membership), _wait(assignment, membership, now), now
    )


def attempts_used(assignment: Assignment, membership: Membership) -> int:
    """Count the submissions that use up an attempt.

    Submissions that were never graded, because of an internal error or because they were superseded, do not count, and
    neither do files that Python could not parse.
    """
    mine = Grading.objects.filter(submission__assignment=assignment, submission__membership=membership, current=True)
    unreadable = mine.filter(verdict=UNREADABLE).values("submission_id")
    return _handed_in(assignment, membership).exclude(pk__in=_never_graded(membership)).exclude(pk__in=unreadable).count()


def identical_submission(source: bytes, assignment: Assignment, membership: Membership) -> Submission | None:
    """Return the latest submission of exactly the same file, excluding those that were never graded."""
    same = _handed_in(assignment, membership).filter(source=source)
    return same.exclude(pk__in=_never_graded(membership)).order_by("-pk").first()


def refuse(assignment: Assignment, allowance: Allowance, kind: str) -> None:
    """Raise `Refused`, with a message for the student, if this kind of submission is not allowed now."""
    terms = allowance.terms
    if allowance.not_yet:
        raise Refused(f"{assignment.title} opens on {_date(terms.opens_at)}. Nothing was submitted.")
    if allowance.closed:
        raise Refused(f"{assignment.title} closed on {_date(terms.closes_at)}. Ask your instructor if you need more time.")
    if kind != Kind.SUBMIT:
        return
    if allowance.left == 0:
        raise Refused(
            f"You have no submissions left for {assignment.title} ({terms.attempts} of {terms.attempts} used). "
            "You can still run the public checks."
        )
    if allowance.wait:
        words = f"Wait {_seconds(allowance.wait)} before your next submission for {assignment.title}."
        raise TooOften(words, allowance.wait.total_seconds())


def _wait(assignment: Assignment, membership: Membership, now: datetime) -> timedelta:
    if not assignment.cool_down:
        return NONE
    last = _handed_in(assignment, membership).order_by("-submitted_at").values_list("submitted_at", flat=True).first()
    return NONE if last is None else max(NONE, last + assignment.cool_down - now)


def _never_graded(membership: Membership) -> QuerySet[Work, int]:
    """Return the submissions that were not graded because of an internal error, or because they were superseded."""
    never_graded = Work.objects.filter(state__in=NOT_GRADED, batch=None, membership=membership)
    return never_graded.values_list("submission_id", flat=True)


def _handed_in(assignment: Assignment, membership: Membership) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT)


def _date(moment: datetime | None) -> str:
    """Format a moment in the active time zone: the reader's on a page, UTC in a command."""
    assert moment is not None
    return f"{timezone.localtime(moment):%d %B %Y, %H:%M %Z}"


def _seconds(left: timedelta) -> str:
    seconds = max(1, round(left.total_seconds()))
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"
