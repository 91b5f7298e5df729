"""The client of a platform's grade services (Assignment and Grade Services 2.0): scores, results and line items."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode, urlsplit

from autograder.courses.models import Assignment
from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Context, LineItem, OutgoingScore, Product, Registration
from autograder.lti.services import service_calls, tokens
from autograder.lti.services.outbound import Answer
from autograder.lti.services.service_calls import next_page, same_host

SCORE = "application/vnd.ims.lis.v1.score+json"
RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
LINE_ITEM = "application/vnd.ims.lis.v2.lineitem+json"
LINE_ITEMS = "application/vnd.ims.lis.v2.lineitemcontainer+json"
CANVAS_SUBMISSION = "https://canvas.instructure.com/lti/submission"
TAG = "gradus"
MAX_PAGES = 200
MAX_RESULT = Decimal(100_000)


class Cause(StrEnum):
    """Why a platform refused a request, which decides what happens next."""

    BUSY = "busy"  # the whole platform: nothing is sent to it for a while
    REGISTRATION = "registration"  # the platform does not let Gradus use its services
    NOT_FOUND = "not found"  # the column, or the person in it
    OLDER = "older"  # the platform has a score with a later time
    SCORE = "score"  # this score, which is not sent again by itself


class ServiceRefused(PlatformTrouble):
    """A service answered that it does not do what was requested."""

    def __init__(self, message: str, cause: Cause, *, status: int, after: float = 0.0) -> None:
        super().__init__(message, status=status, again=cause is not Cause.SCORE, after=after)
        self.cause = cause


@dataclass(frozen=True)
class KnownAnswer:
    """An answer of an LMS that is known to mean something more precise than its status."""

    statuses: tuple[int, ...]
    says: str
    cause: Cause
    words: str


NOT_ACCEPTED = (
    "The LMS does not accept this score (status 403). Usually the person is no longer a student of the course there."
)
KNOWN = (
    KnownAnswer((403, 429), "rate limit", Cause.BUSY, "The LMS accepts no more requests at the moment."),
    KnownAnswer(
        (400,),
        "incorrect score received",
        Cause.SCORE,
        "The LMS refused the score without giving a reason. Usually the person is not enrolled there as a student.",
    ),
    KnownAnswer(
        (422,),
        "attempts",
        Cause.SCORE,
        "The LMS allows no further attempts. Allow more attempts in the assignment there, then send the score again.",
    ),
    KnownAnswer(
        (400, 403, 404, 422),
        "not a student|user not found",
        Cause.SCORE,
        "This person is not a student of the course in the LMS. Enrol them there, then send the score again.",
    ),
    KnownAnswer(
        (400, 409),
        "(before last updated|earlier|later|older|newer) timestamp",
        Cause.OLDER,
        "The LMS has a score with a later time.",
    ),
    KnownAnswer((409,), "", Cause.OLDER, "The LMS has a score with a later time."),
)
BUSY = (408, 425, 429)


# -- scores ----------------------------------------------------------------------------------------------------------------


def score_body(score: OutgoingScore, sub: str, timestamp: datetime, product: str) -> dict[str, Any]:
    """Return a score as the specification has it.

    The comment is always there, because Blackboard removes the present one otherwise. Canvas makes a new attempt of every
    score and dates it now, unless its extension says otherwise.
    """
    body: dict[str, Any] = {
        "userId": sub,
        "timestamp": _moment(timestamp),
        "activityProgress": score.activity,
        "gradingProgress": score.grading,
        "comment": score.comment,
    }
    if score.points is not None:
        body |= {"scoreGiven": float(score.points), "scoreMaximum": float(score.maximum)}
    submitted_at = _moment(score.submitted_at) if score.submitted_at else None
    if submitted_at:
        body["submission"] = {"submittedAt": submitted_at}
    if product == Product.CANVAS:
        body[CANVAS_SUBMISSION] = {
            "new_submission": score.submissions > score.sent_submissions,
            "prioritize_non_tool_grade": True,  # a grade that an instructor entered stays
            **({"submitted_at": submitted_at} if submitted_at else {}),
        }
    return body


def score_post(registration: Registration, line_item_url: str, body: dict[str, Any]) -> None:
    url = service_url(line_item_url, "scores")
    try:
        _call(registration, tokens.SCORES, "POST", url, {"Content-Type": SCORE, "Accept": "*/*"}, body)
    except ServiceRefused as refused:
        if refused.status == 403 and refused.cause is Cause.REGISTRATION:  # the access token allows scores
            raise ServiceRefused(NOT_ACCEPTED, Cause.SCORE, status=403) from None
        raise


def service_url(line_item_url: str, service: str) -> str:
    """Return the address of a service of a line item. Its query string stays, because Moodle finds the tool by it."""
    parts = urlsplit(line_item_url)
    return parts._replace(path=f"{parts.path.rstrip('/')}/{service}").geturl()


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


# -- results ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What an LMS has for a person in a column: a share of its own maximum, None without a grade."""

    sub: str
    score: Decimal | None
    maximum: Decimal | None

    def points(self, maximum: Decimal) -> Decimal | None:
        """Return the result in points of a column here, which may have another maximum than that of the LMS."""
        if self.score is None:
            return None
        return self.score * maximum / self.maximum if self.maximum else self.score


def results(registration: Registration, line_item_url: str) -> Iterator[Result]:
    url = service_url(line_item_url, "results")
    for entry in _entries(registration, tokens.RESULTS, url, RESULTS):
        sub = entry.get("userId")
        if isinstance(sub, str) and sub:
            yield Result(sub, _number(entry.get("resultScore")), _number(entry.get("resultMaximum")))


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    found = Decimal(str(value))
    return found if found.is_finite() and abs(found) < MAX_RESULT else None


# -- line items ------------------------------------------------------------------------------------------------------------


def line_item_find_or_make(context: Context, assignment: Assignment, link_id: str) -> str:
    """Return the address of the column of an assignment, which is made if there is none."""
    registration, url = context.registration, context.line_items_url
    query = urlencode({"resource_id": assignment.slug, "tag": TAG})
    for entry in _entries(registration, tokens.LINE_ITEMS, f"{url}{'&' if '?' in url else '?'}{query}", LINE_ITEMS):
        ours = entry.get("resourceId") == assignment.slug and entry.get("tag") == TAG
        if ours and entry.get("resourceLinkId", link_id) == link_id:
            return _line_item_id(entry, url)
    wanted = {
        "label": assignment.title,
        "scoreMaximum": float(assignment.points),
        "resourceId": assignment.slug,
        "tag": TAG,
        "resourceLinkId": link_id,
    }
    headers = {"Content-Type": LINE_ITEM, "Accept": LINE_ITEM}
    return _line_item_id(_call(registration, tokens.LINE_ITEMS, "POST", url, headers, wanted).json(), url)


def line_item_is_gone(column: LineItem) -> bool:
    """Return whether a column was deleted in the LMS. It counts as existing if the LMS does not say."""
    context = column.context
    allowed = [scope for scope in (tokens.LINE_ITEMS_READ, tokens.LINE_ITEMS) if scope in context.scopes]
    if not allowed:
        return False
    try:
        _call(context.registration, allowed[0], "GET", column.url, {"Accept": LINE_ITEM})
    except ServiceRefused as refused:
        return refused.status in (404, 410)
    except PlatformTrouble:
        return False
    return False


def _line_item_id(entry: Any, line_items_url: str) -> str:
    found = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(found, str) or not same_host(found, line_items_url) or len(found) > 1000:
        raise PlatformTrouble("The LMS did not say at which address its new column is.", again=False)
    return found


# -- requests ---------------------------------------------------------------------------------------------------------------


def _entries(registration: Registration, scope: str, url: str, media_type: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of all pages of a container."""
    first, seen = url, set[str]()
    while url and url not in seen and len(seen) < MAX_PAGES:
        seen.add(url)
        answer = _call(registration, scope, "GET", url, {"Accept": media_type})
        found = answer.json()
        if not isinstance(found, list):
            raise PlatformTrouble("The LMS sent an answer that is not a list.", status=answer.status)
        yield from (entry for entry in found if isinstance(entry, dict))
        url = next_page(answer, first)


def _call(
    registration: Registration,
    scope: str,
    method: str,
    url: str,
    headers: dict[str, str],
    body: dict[str, Any] | None = None,
) -> Answer:
    content = None if body is None else json.dumps(body).encode()
    answer = service_calls.call(registration, scope, method, url, headers, content)
    if answer.status >= 300:
        raise refusal_of(answer)
    return answer


def refusal_of(answer: Answer) -> ServiceRefused:
    """Return what an answer means, in words for the instructor."""
    status, after = answer.status, answer.retry_after
    said = answer.body[:4000].decode(errors="replace").lower()
    for known in KNOWN:
        if status in known.statuses and re.search(known.says, said):
            return ServiceRefused(known.words, known.cause, status=status, after=after)
    if status >= 500 or status in BUSY:
        return ServiceRefused(f"The LMS could not answer (status {status}).", Cause.BUSY, status=status, after=after)
    if status in (401, 403):
        words = f"The LMS does not let Gradus use its gradebook (status {status}). Ask the administrator of your LMS."
        return ServiceRefused(words, Cause.REGISTRATION, status=status)
    if status in (404, 410):
        words = "The LMS does not find this column, or this person in it."
        return ServiceRefused(words, Cause.NOT_FOUND, status=status)
    return ServiceRefused(f"The LMS refused the score (status {status}).", Cause.SCORE, status=status)
