"""Validates terms, dates, names and roles. Each refusal has a message for the user."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from django.core import validators
from django.core.exceptions import ValidationError
from django.utils import timezone

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import (
    Assignment,
    CarriedFiles,
    Course,
    HiddenMeanwhile,
    Role,
    Section,
    ShowHidden,
    ShowSolutions,
)
from autograder.courses.policies import POLICIES
from autograder.courses.tables.formulas import begins_a_formula

MAX_SLUG_LENGTH = 50  # characters of a slug
YEARS = range(2000, 2200)
NO_COURSES = ("new",)  # reserved: part of the addresses of other pages


def validate_assignment(assignment: Assignment) -> None:
    if not assignment.title.strip():
        raise Refused("An assignment needs a title.")
    for name, text in (("title", assignment.title), ("unit", assignment.unit)):
        if begins_a_formula(text):
            raise AtField(
                name, f"A {name} cannot start with {text.strip()[0]}, because spreadsheets would treat it as a formula."
            )
    if assignment.points is None or not assignment.points > 0:
        raise Refused("An assignment must be worth more than 0 points.")
    if assignment.points > Decimal("99999.99"):
        raise Refused("An assignment can be worth at most 99999.99 points.")
    if assignment.points != round(assignment.points, 2):
        raise Refused(f"Points have at most two decimals, not {assignment.points}.")
    if assignment.points < assignment.points_by_hand:
        raise AtField(
            "points",
            f"{assignment.points_by_hand:.2f} points are given by hand, so the assignment cannot be worth less. "
            "Change its criteria first.",
        )
    validate_late_work(assignment)
    if assignment.policy not in POLICIES:
        raise Refused(f"There is no policy '{assignment.policy}'. The policies are: {', '.join(POLICIES)}.")
    for value, choices, purpose in (
        (assignment.show_hidden, ShowHidden.values, "when hidden results are shown"),
        (assignment.hidden_meanwhile, HiddenMeanwhile.values, "what students see of hidden checks"),
        (assignment.show_solutions, ShowSolutions.values, "when solutions are shown"),
        (assignment.carried_files, CarriedFiles.values, "where files from earlier exercises come from"),
    ):
        if value not in choices:
            raise Refused(f"'{value}' is not a choice for {purpose}. The choices are: {', '.join(choices)}.")
    if assignment.attempt_limit is not None and assignment.attempt_limit < 1:
        raise Refused("An assignment must allow at least 1 submission.")
    if assignment.cool_down < timedelta(0):
        raise Refused("The time between two submissions cannot be negative.")
    validate_dates(("opens", assignment.opens_at), ("due", assignment.due_at), ("closes", assignment.closes_at))


def validate_late_work(assignment: Assignment) -> None:
    if not 0 <= assignment.late_share <= 1:
        raise AtField("late_share", f"The credit for late work must be between 0 and 1, not {assignment.late_share}.")
    if not 0 <= assignment.late_per_day <= 1:
        raise AtField("late_per_day", f"The deduction for each day must be between 0 and 1, not {assignment.late_per_day}.")
    if not 0 <= assignment.late_floor <= assignment.late_share:
        raise AtField("late_floor", "The minimum credit for late work cannot be more than the initial credit.")
    if assignment.late_grace < timedelta(0):
        raise AtField("late_grace", "A grace period cannot be negative.")
    if assignment.due_at is None and assignment.no_credit_after is not None:
        raise AtField("no_credit_after", "This date needs a due date. Set a due date, or leave this empty.")
    validate_dates(("due", assignment.due_at), ("no_credit_after", assignment.no_credit_after))


def validate_dates(*dates: tuple[str, datetime | None]) -> None:
    known = [(word, at) for word, at in dates if at is not None]
    for word, at in known:
        if timezone.is_naive(at):
            raise Refused(f"The time when it {_does(word)} needs a time zone.")
        if at.year not in YEARS:
            raise Refused(f"It {_does(word)} in the year {at.year}. Check the date.")
    for (word, at), (next_word, next_at) in pairwise(known):
        if next_at < at:
            raise Refused(f"It {_does(next_word)} ({next_at:%Y-%m-%d %H:%M}) before it {_does(word)} ({at:%Y-%m-%d %H:%M}).")


def _does(word: str) -> str:
    return {"due": "is due", "no_credit_after": "stops earning credit"}.get(word, word)


def validate_slug(slug: str) -> None:
    try:
        validators.validate_slug(slug)
    except ValidationError:
        raise Refused(f"'{slug}' cannot be part of a URL. Use only letters, digits, dashes and underscores.") from None
    if len(slug) > MAX_SLUG_LENGTH:
        raise Refused(f"'{slug}' has {len(slug)} characters; at most {MAX_SLUG_LENGTH} are allowed.")


def validate_course_slug(name: str) -> None:
    validate_slug(name)
    if name in NO_COURSES:
        raise AtField("slug", f"'{name}' is reserved for another page. Choose a different name.")


def validate_role(role: str) -> None:
    if role not in Role.values:
        raise Refused(f"There is no role '{role}'. The roles are: {', '.join(Role.values)}.")


def validate_section(section: Section | None, course: Course) -> None:
    if section is not None and section.course_id != course.pk:
        raise Refused(f"The section '{section.name}' does not belong to {course.title}.")
