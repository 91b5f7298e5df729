"""Wording of regrade requests: what the student wrote, the answer, and its effect."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades.regrade_requests import RegradeResult, regraded_by, requests_about
from autograder.submissions.models import Batch, Submission
from autograder.web import numbers

State = RegradeRequest.State
TAGS = {State.OPEN: "regrade requested", State.WITHDRAWN: ""}
ANSWERED = "request answered"
STANDS = "The result was kept."


@dataclass(frozen=True)
class RequestWithEffect:
    """`effect` is empty until the request is answered."""

    request: RegradeRequest
    effect: str

    @property
    def answered_by(self) -> str:
        who = self.request.answered_by
        return "" if who is None else who.display_name


def requests_on(submission: Submission, *, knows_points: bool) -> tuple[RequestWithEffect, ...]:
    """Requests on a submission, newest first. Students who may not know the points yet do not see how a regrade changed
    them.
    """
    shown = []
    for request in reversed(requests_about([submission])):
        request.submission = submission
        shown.append(RequestWithEffect(request, effect_of(request, knows_points=knows_points)))
    return tuple(shown)


def effect_of(request: RegradeRequest, *, knows_points: bool) -> str:
    match request.state:
        case State.DECLINED:
            return STANDS
        case State.POINTS if request.override is not None:
            given = f"Points set by hand: {numbers.points(request.override.points)}."
            return f"{given} This was undone later." if request.override.undone_at else given
        case State.REGRADE:
            regraded = regraded_by(request)
            return "" if regraded is None else _regraded(regraded, knows_points)
    return ""


def tags_of(submissions: Iterable[Submission]) -> dict[int, str]:
    """Return the tag of the latest request for each submission, for tables."""
    found = RegradeRequest.objects.filter(submission__in=submissions).order_by("id")
    latest = dict(found.values_list("submission_id", "state"))
    return {number: TAGS.get(State(state), ANSWERED) for number, state in latest.items()}


def _regraded(regraded: RegradeResult, knows_points: bool) -> str:
    match regraded.state:
        case Batch.State.PREVIEW if regraded.ready:
            return "Graded again. The new result does not count until your instructor applies it."
        case Batch.State.PREVIEW:
            return "Being graded again. The new result does not count until your instructor applies it."
        case Batch.State.DISCARDED:
            return f"Graded again, and the new result was discarded. {STANDS}"
        case Batch.State.UNDONE:
            return "Graded again. The new result was applied and later undone."
    if not knows_points:
        return "Graded again. The result above counts."
    if regraded.after is None:
        return f"Graded again. {STANDS}"
    if regraded.before == regraded.after:
        return f"Graded again, with the same {_points(regraded.after)}."
    before = "nothing" if regraded.before is None else numbers.points(regraded.before)
    return f"Graded again: {before} → {_points(regraded.after)}."


def _points(points: Decimal) -> str:
    text = numbers.points(points)
    return f"{text} point" if text == "1" else f"{text} points"
