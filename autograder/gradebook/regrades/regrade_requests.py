"""Regrade requests: a student disputes a verdict, and staff answer.

A request can only name checks whose title the student may see. An answer keeps the verdict, starts the preview of a regrade,
or sets points by hand; the request records which.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import msgspec
from django.db import transaction
from django.db.models import Case, QuerySet, Value, When
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Refused, TooOften
from autograder.courses.models import Membership, Role
from autograder.courses.people.check_visibility import check_visibility_of
from autograder.courses.people.extensions import terms_of
from autograder.courses.rights import Right, students_of
from autograder.gradebook.decisions import overrides
from autograder.gradebook.grades import scores
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.manual_points import by_hand_of, share_of
from autograder.gradebook.models import Override, RegradeRequest
from autograder.judge.report import CheckResult
from autograder.judge.text import neutralise
from autograder.submissions import regrades
from autograder.submissions.models import UNREADABLE, Batch, Grading, Kind, Replacement, Submission
from autograder.submissions.selectors import grading_of

MAX_TEXT = 2000
MAX_A_DAY = 3  # per student and assignment, including withdrawn ones
DAY = timedelta(days=1)
State = RegradeRequest.State
EFFECTS = (State.DECLINED, State.REGRADE, State.POINTS)


class ReportChecks(msgspec.Struct, frozen=True):
    """The checks of a report."""

    checks: tuple[CheckResult, ...] = ()


@dataclass(frozen=True)
class RegradeResult:
    """The result of the regrade that a request led to. Points are None if nothing was graded, or if it does not count."""

    state: Batch.State
    ready: bool
    before: Decimal | None = None
    after: Decimal | None = None


# -- students -------------------------------------------------------------------------------------------------------------


def request_add(*, submission: Submission, by: Membership, text: str, check: str = "") -> RegradeRequest:
    """Dispute a verdict: one of its checks, or the verdict as a whole."""
    _require_own(by, submission)
    refuse_request(submission)
    text = _text(text, "text", "Explain what is wrong with the result.")
    grading = grading_of(submission)
    if grading is None:
        raise Refused("This submission has no result yet. Wait until it has been graded.")
    title = dict(named_checks(submission, grading, timezone.now())).get(check, "")
    if check and not title:
        raise AtField("check", "Choose one of the checks of this submission.")
    with transaction.atomic():
        # one request per student at a time: two concurrent ones could both pass the limit
        Membership.objects.select_for_update().get(pk=by.pk)
        if open_request_of(submission) is not None:
            raise Refused(
                "You have already asked for a regrade of this submission. To write a new request, withdraw that one."
            )
        _refuse_too_many(submission, timezone.now())
        made = RegradeRequest.objects.create(
            submission=submission, grading=grading, check_id=check, check_title=title, text=text, asked_at=timezone.now()
        )
        audit.record("regrade-requested", submission, actor=by.user, course=by.course, request=made.pk, check=title)
    return made


def request_withdraw(*, request: RegradeRequest, by: Membership) -> None:
    _require_own(by, request.submission)
    with transaction.atomic():
        _locked_while_open(request)
        RegradeRequest.objects.filter(pk=request.pk).update(state=State.WITHDRAWN, ended_at=timezone.now())
        audit.record("regrade-request-withdrawn", request.submission, actor=by.user, course=by.course, request=request.pk)


def refuse_request(submission: Submission) -> None:
    """Refuse a request for reasons that do not depend on its text."""
    course = submission.assignment.course
    if submission.kind != Kind.SUBMIT:
        raise Refused("Runs are not graded. Submit your code first.")
    if Grading.objects.filter(submission=submission, current=True, verdict=UNREADABLE).exists():
        raise Refused("This file has a syntax error, so it does not count. Correct it and submit again.")
    if course.archived_at is not None:
        raise Refused(f"{course.title} is archived, so results can no longer change.")
    if submission.assignment.removed_at is not None:
        raise Refused(f"{submission.assignment.title} is no longer part of the course.")
    frozen = frozen_since(course.pk)
    if frozen is not None:
        day = f"{timezone.localtime(frozen.at):%d %b %Y}".lstrip("0")
        raise Refused(f"The gradebook has been frozen since {day}, so results cannot change now. Contact your instructor.")


def named_checks(submission: Submission, grading: Grading, now: datetime) -> list[tuple[str, str]]:
    """Return the checks that the student may name, with titles: hidden ones only if their title is visible."""
    terms = terms_of(submission.assignment, submission.membership)
    sight = check_visibility_of(submission.assignment, terms, staff=False, now=now)
    found = msgspec.convert(grading.report, ReportChecks).checks
    return [(check.id, check.title) for check in found if sight.names or not check.hidden]


def _require_own(by: Membership, submission: Submission) -> None:
    if by.pk != submission.membership_id or by.removed_at is not None or by.role != Role.STUDENT:
        raise Refused("You may not ask for this regrade: only the student who made the submission can.")


def _refuse_too_many(submission: Submission, now: datetime) -> None:
    earlier = RegradeRequest.objects.filter(
        submission__membership_id=submission.membership_id, submission__assignment_id=submission.assignment_id
    )
    recent = list(earlier.filter(asked_at__gt=now - DAY).order_by("-asked_at").values_list("asked_at", flat=True))
    if len(recent) >= MAX_A_DAY:
        raise TooOften(
            f"You can ask for at most {MAX_A_DAY} regrades of {submission.assignment.title} within 24 hours. Try again later.",
            (recent[MAX_A_DAY - 1] + DAY - now).total_seconds(),
        )


# -- staff ----------------------------------------------------------------------------------------------------------------


def request_answer(
    *,
    request: RegradeRequest,
    by: Membership,
    text: str,
    effect: str,
    points: Decimal | None = None,
    seen: int | None = None,
) -> RegradeRequest:
    """Answer a request. `effect` is one of EFFECTS. `points` are for points set by hand; `seen` is as in `overrides.override`."""
    submission = request.submission
    rights.require(by, Right.GRADE_AGAIN, submission.membership)
    if by.pk == submission.membership_id:
        raise Refused("You cannot answer your own request.")
    if effect not in EFFECTS:
        raise AtField("effect", "Choose a decision.")
    text = _text(text, "text", "Enter an answer. The student will see it.")
    with transaction.atomic():
        found = _locked_while_open(request)
        found.answer, found.answered_by, found.state, found.ended_at = text, by.user, effect, timezone.now()
        if effect == State.REGRADE:
            found.batch = regrades.grade_again(submission=submission, by=by, reason=_reason(found))
        if effect == State.POINTS:
            found.override = _override(found, by, points, seen)
        found.save()
        audit.record(
            "regrade-request-answered",
            submission,
            actor=by.user,
            course=by.course,
            request=found.pk,
            check=found.check_title,
            effect=str(State(effect).label).lower(),
        )
    return found


def _override(request: RegradeRequest, by: Membership, points: Decimal | None, seen: int | None) -> Override:
    membership, assignment = request.submission.membership, request.submission.assignment
    rights.require(by, Right.OVERRIDE, membership)
    if points is None:
        raise AtField("points", "Enter the points.")
    return overrides.override(
        assignment=assignment, membership=membership, points=points, reason=_reason(request), by=by, seen=seen
    )


def _reason(request: RegradeRequest) -> str:
    """Return the reason of the regrade or override, which is shown with the grade."""
    text = f"Regrade request {request.pk}: {request.answer}"
    return text if len(text) <= regrades.MAX_REASON else text[: regrades.MAX_REASON - 1] + "…"


def _locked_while_open(request: RegradeRequest) -> RegradeRequest:
    """Return the request, locked against concurrent answers and withdrawals. Raises `Refused` if it is closed."""
    found = RegradeRequest.objects.select_for_update(of=("self",)).get(pk=request.pk)
    if found.state == State.WITHDRAWN:
        raise Refused("The student has withdrawn this request. Nothing was changed.")
    if not found.is_open:
        who = found.answered_by.display_name if found.answered_by else "Another instructor"
        raise Refused(f"{who} has already answered this request. Nothing was changed.")
    return found


def _text(text: str, field: str, missing: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise AtField(field, missing)
    if len(text) > MAX_TEXT:
        raise AtField(field, f"The text has {len(text):,} characters. Shorten it to at most {MAX_TEXT:,}.")
    return neutralise(text, 2 * MAX_TEXT)


# -- reads ----------------------------------------------------------------------------------------------------------------


def open_request_of(submission: Submission) -> RegradeRequest | None:
    return RegradeRequest.objects.filter(submission=submission, state=State.OPEN).first()


def requests_about(submissions: Sequence[Submission]) -> QuerySet[RegradeRequest]:
    """Return the requests about these submissions, in the order of creation."""
    found = RegradeRequest.objects.filter(submission__in=submissions)
    return found.select_related("answered_by", "batch", "override").order_by("id")


def requests_for(staff: Membership) -> QuerySet[RegradeRequest]:
    """Return all requests that this person may answer: open ones first, oldest first."""
    if not rights.has(staff, Right.GRADE_AGAIN):
        return RegradeRequest.objects.none()
    found = RegradeRequest.objects.filter(submission__membership__in=students_of(staff))
    return found.order_by(Case(When(state=State.OPEN, then=Value(0)), default=Value(1)), "asked_at", "id")


def regraded_by(request: RegradeRequest) -> RegradeResult | None:
    """Return the result of the regrade, or None if the request led to none."""
    batch = request.batch
    if batch is None:
        return None
    state, ready = Batch.State(batch.state), regrades.progress(batch).ready
    if state is Batch.State.PREVIEW:
        return RegradeResult(state, ready)
    made = Replacement.objects.filter(batch=batch, after__submission_id=request.submission_id)
    replaced = made.select_related("before", "after").defer("before__report", "after__report").first()
    if replaced is None:
        return RegradeResult(state, ready)
    return RegradeResult(state, ready, _points(request, replaced.before), _points(request, replaced.after))


def _points(request: RegradeRequest, grading: Grading | None) -> Decimal | None:
    if grading is None:
        return None
    worth, hand = request.submission.assignment.points, by_hand_of([request.submission]).get(request.submission_id)
    return scores.points_for(share_of(grading.share, hand, worth), worth)
