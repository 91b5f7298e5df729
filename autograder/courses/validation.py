"""Validates terms, dates, names and roles. Each refusal has a message for the user."""

from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.utils import timezone

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Assignment, Course, HiddenMeanwhile, Role, Section, ShowHidden, ShowSolutions
from autograder.courses.policies import POLICIES
from autograder.courses.tables.formulas import begins_a_formula

LONGEST = 50  # characters of a slug
YEARS = range(2000, 2200)
NO_COURSES = ("new",)  # reserved: part of the addresses of other pages


def terms(assignment: Assignment) -> None:
    if not assignment.title.strip():
        raise Refused("An assignment needs a title.")
    for name, text in (("title", assignment.title), ("unit", assignment.unit)):
        if begins_a_formula(text):
            raise AtField(name, f"A {name} cannot begin with {text.strip()[0]}: a spreadsheet would take it for a formula.")
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
    late_work(assignment)
    if assignment.policy not in POLICIES:
        raise Refused(f"There is no policy '{assignment.policy}'. There are: {', '.join(POLICIES)}.")
    if assignment.show_hidden not in ShowHidden.values:
        raise Refused(f"Hidden results are shown {', '.join(ShowHidden.values)}, not '{assignment.show_hidden}'.")
    if assignment.hidden_meanwhile not in HiddenMeanwhile.values:
        known = ", ".join(HiddenMeanwhile.values)
        raise Refused(f"Of hidden checks is seen meanwhile: {known}; not '{assignment.hidden_meanwhile}'.")
    if assignment.show_solutions not in ShowSolutions.values:
        raise Refused(f"Solutions are shown {', '.join(ShowSolutions.values)}, not '{assignment.show_solutions}'.")
    if assignment.attempt_limit is not None and assignment.attempt_limit < 1:
        raise Refused("An assignment must allow at least 1 submission.")
    if assignment.cool_down < timedelta(0):
        raise Refused("The time between two submissions cannot be negative.")
    order(("opens", assignment.opens_at), ("due", assignment.due_at), ("closes", assignment.closes_at))


def late_work(assignment: Assignment) -> None:
    if not 0 <= assignment.late_share <= 1:
        raise AtField("late_share", f"The credit for late work is a share from 0 to 1, not {assignment.late_share}.")
    if not 0 <= assignment.late_per_day <= 1:
        raise AtField("late_per_day", f"The deduction for each day is a share from 0 to 1, not {assignment.late_per_day}.")
    if not 0 <= assignment.late_floor <= assignment.late_share:
        raise AtField("late_floor", "The least credit for late work cannot be more than the credit that it starts with.")
    if assignment.late_grace < timedelta(0):
        raise AtField("late_grace", "A grace period cannot be negative.")
    if assignment.due_at is None and assignment.no_credit_after is not None:
        raise AtField("no_credit_after", "Without a due date nothing is late: set one, or leave this empty.")
    order(("due", assignment.due_at), ("no_credit_after", assignment.no_credit_after))


def order(*dates: tuple[str, datetime | None]) -> None:
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


def slug(slug: str) -> None:
    try:
        validate_slug(slug)
    except ValidationError:
        raise Refused(f"'{slug}' cannot be part of an address: letters, digits, dashes and underscores can.") from None
    if len(slug) > LONGEST:
        raise Refused(f"'{slug}' has {len(slug)} letters; at most {LONGEST} fit.")


def slug_of_course(name: str) -> None:
    slug(name)
    if name in NO_COURSES:
        raise AtField("slug", f"No course can be called '{name}': that address is another page's.")


def role(role: str) -> None:
    if role not in Role.values:
        raise Refused(f"There is no role '{role}'. There are: {', '.join(Role.values)}.")


def section(section: Section | None, course: Course) -> None:
    if section is not None and section.course_id != course.pk:
        raise Refused(f"The section '{section.name}' is not one of {course.title}.")
