"""What each LMS does with a score that a tool sends: which it refuses, and what it stores."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from .flavours import Flavour
from .server import Refused, service_error
from .state import LineItem, Result, Submission
from .vocabulary import ACTIVITY_PROGRESS, CANVAS_SUBMISSION, GRADING_PROGRESS

REQUIRED = ("userId", "timestamp", "activityProgress", "gradingProgress")
FUTURE_TOLERANCE = timedelta(minutes=1)


@dataclass(frozen=True)
class Score:
    user: str
    timestamp: datetime
    activity: str
    grading: str
    given: float | None
    maximum: float | None
    comment: str | None
    submitted_at: datetime | None
    canvas: dict[str, Any]  # Canvas' extension
    body: dict[str, Any]


def store_score(flavour: Flavour, item: LineItem, body: Any) -> Result:
    """Store a score by the rules of an LMS, or raise `Refused`."""
    check, store = RULES[flavour.family]
    check(item, body)
    score = _read(body)
    result = item.results.get(score.user, Result())
    store(flavour, item, result, score)
    result.timestamp, result.activity_progress, result.grading_progress = score.timestamp, score.activity, score.grading
    result.scores.append(body)
    item.results[score.user] = result
    return result


def _read(body: dict[str, Any]) -> Score:
    extension = body.get(CANVAS_SUBMISSION) or {}
    submitted = extension.get("submitted_at") or (body.get("submission") or {}).get("submittedAt")
    return Score(
        user=body["userId"],
        timestamp=_time(body["timestamp"]),
        activity=body["activityProgress"],
        grading=body["gradingProgress"],
        given=body.get("scoreGiven"),
        maximum=body.get("scoreMaximum"),
        comment=body.get("comment") or None,
        submitted_at=_time(submitted) if submitted else None,
        canvas=extension,
        body=body,
    )


def _time(text: Any) -> datetime:
    """Return a moment. ISO 8601 with an offset is required; basic forms are not accepted."""
    moment = _time_or_none(text)
    if moment is None:
        raise Refused(service_error(400, f"Provided timestamp of {text} not a valid timestamp"))
    return moment


def _time_or_none(text: Any) -> datetime | None:
    if not isinstance(text, str) or not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else None


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _graded_member(item: LineItem, sub: Any) -> bool:
    member = item.context.members.get(sub) if isinstance(sub, str) else None
    return member is not None and member.graded


def _scaled(item: LineItem, score: Score) -> float | None:
    """Return the points in the column, whose maximum can differ from that of the score."""
    if score.given is None:
        return None
    return round(score.given * item.score_maximum / score.maximum, 5) if score.maximum else float(score.given)


def _set_tool_score(flavour: Flavour, result: Result, points: float | None) -> None:
    result.tool_score = points
    if not (result.overridden and flavour.instructor_grade_stays):
        result.final_score, result.overridden = points, False


def _is_score(body: Any) -> bool:
    """Return whether a body is a score by the specification."""
    return (
        isinstance(body, dict)
        and all(body.get(name) for name in REQUIRED)
        and _time_or_none(body["timestamp"]) is not None
        and body["activityProgress"] in ACTIVITY_PROGRESS
        and body["gradingProgress"] in GRADING_PROGRESS
        and all(body.get(name) is None or _numeric(body[name]) for name in ("scoreGiven", "scoreMaximum"))
        and (body.get("scoreGiven") is None or body.get("scoreMaximum") is not None)
    )


# Moodle


def _check_moodle(item: LineItem, body: Any) -> None:
    """Moodle has one message for all errors."""
    if not _is_score(body) or not _graded_member(item, body["userId"]):
        raise Refused(service_error(400, f"Incorrect score received{body}"))


def _store_moodle(flavour: Flavour, item: LineItem, result: Result, score: Score) -> None:
    """Moodle compares whole seconds. It drops points that are not final. A grade that an instructor entered stays, and so
    does its time, so that even an older score is accepted then."""
    locked = result.timestamp if not result.overridden else None
    if locked and int(locked.timestamp()) >= int(score.timestamp.timestamp()):
        reason = f"Refusing score with an earlier timestamp for item {item.id} and user {score.user}"
        raise Refused(service_error(409, reason))
    _set_tool_score(flavour, result, _scaled(item, score) if score.grading == "FullyGraded" else None)
    if not result.overridden:
        result.comment, result.comment_by_tool = score.comment, True


# Canvas


def _check_canvas(item: LineItem, body: Any) -> None:
    if not isinstance(body, dict) or not _graded_member(item, body.get("userId")):
        raise Refused(service_error(422, "User not found in course or is not a student"))
    for name in REQUIRED:
        if not body.get(name):
            raise Refused(service_error(400, f"param is missing or the value is empty: {name}"))
    if not _is_score({**body, "scoreMaximum": 1}):
        raise Refused(service_error(400, "The score has invalid values"))


def _store_canvas(flavour: Flavour, item: LineItem, result: Result, score: Score) -> None:
    """Each score is a new submission, made now, unless the extension says otherwise. Without points that count, the points
    of an earlier score are removed."""
    if result.timestamp and result.timestamp > score.timestamp:
        raise Refused(service_error(400, f"Provided timestamp of {score.timestamp} before last updated timestamp"))
    counts = score.grading in ("FullyGraded", "PendingManual") and score.given is not None
    if counts and (score.maximum is None or score.maximum < 0):
        raise Refused(service_error(422, "ScoreMaximum not supplied when ScoreGiven present."))
    if score.submitted_at and score.submitted_at > datetime.now(UTC) + FUTURE_TOLERANCE:
        raise Refused(service_error(400, f"Provided submitted_at timestamp of {score.submitted_at} in the future"))
    _submit_canvas(item, result, score)
    if counts and not (score.canvas.get("prioritize_non_tool_grade") and result.overridden):
        _set_tool_score(flavour, result, _scaled(item, score))
        result.excused = False
    elif not counts and not score.canvas.get("preserve_score"):
        _set_tool_score(flavour, result, None)
    if score.comment:
        result.comments.append(score.comment)
        result.comment = score.comment


def _submit_canvas(item: LineItem, result: Result, score: Score) -> None:
    if score.canvas.get("new_submission") is False or score.canvas.get("submission_type") == "none":
        return
    if item.attempts_allowed is not None and len(result.submissions) >= item.attempts_allowed:
        raise Refused(service_error(422, "The maximum number of allowed attempts has been reached for this submission"))
    result.submissions.append(Submission(score.submitted_at or datetime.now(UTC)))


# The specification, with the peculiarities of Blackboard and Brightspace


def _check_by_specification(item: LineItem, body: Any) -> None:
    if not _is_score(body):
        raise Refused(service_error(400, "The score is not valid"))
    if not _graded_member(item, body["userId"]):
        raise Refused(service_error(404, f"{body['userId']} is not a student of this course"))


def _store_by_specification(flavour: Flavour, item: LineItem, result: Result, score: Score) -> None:
    if result.timestamp and result.timestamp > score.timestamp:
        raise Refused(service_error(409, "A score with a later timestamp is stored"))
    _set_tool_score(flavour, result, _scaled(item, score) if score.grading == "FullyGraded" else None)
    if score.comment or result.comment_by_tool:
        result.comment, result.comment_by_tool = score.comment, True


def _store_blackboard(flavour: Flavour, item: LineItem, result: Result, score: Score) -> None:
    """A score without a comment removes the present one, even if an instructor wrote it."""
    result.comment_by_tool = True
    _store_by_specification(flavour, item, result, score)


Check = Callable[[LineItem, Any], None]
Store = Callable[[Flavour, LineItem, Result, Score], None]
RULES: dict[str, tuple[Check, Store]] = {
    "moodle": (_check_moodle, _store_moodle),
    "canvas": (_check_canvas, _store_canvas),
    "BlackboardLearn": (_check_by_specification, _store_blackboard),
    "desire2learn": (_check_by_specification, _store_by_specification),
}
