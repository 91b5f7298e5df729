"""Decides which results of an assignment's hidden checks are visible, depending on role and time."""

from datetime import datetime
from enum import Enum

from autograder.courses.models import Assignment, HiddenMeanwhile, ShowHidden
from autograder.courses.people.extensions import StudentTerms
from autograder.courses.policies.lateness import LateRule, late_rule


class CheckVisibility(Enum):
    """The visible part of the hidden checks."""

    ALL = "all"
    TITLES = "titles"
    COUNT = "count"
    NOTHING = "nothing"

    @property
    def counts(self) -> bool:
        """Whether the number of passed hidden checks is visible, and with it the points."""
        return self is not CheckVisibility.NOTHING

    @property
    def names(self) -> bool:
        """Whether the titles of hidden checks are visible."""
        return self in (CheckVisibility.ALL, CheckVisibility.TITLES)


def hidden_shown_from(assignment: Assignment, terms: StudentTerms) -> datetime | None:
    """Return when the results of hidden checks appear, if that depends on the date: after the due date, and where late work
    earns points until some date, after that date.
    """
    if assignment.show_hidden != ShowHidden.AFTER_DUE or terms.due_at is None:
        return None
    rule = late_rule(assignment, terms.due_at)
    on_time_until = terms.due_at + rule.grace
    ends = [end for end in (terms.closes_at, rule.no_credit_after) if end is not None]
    if not ends or not _earns_late(assignment, rule):
        return on_time_until
    return max(on_time_until, min(ends))


def _earns_late(assignment: Assignment, rule: LateRule) -> bool:
    late_days = assignment.course.late_days > 0 and rule.late_days != 0
    return rule.credit > 0 or rule.floor > 0 or late_days


def check_visibility_of(assignment: Assignment, terms: StudentTerms, *, staff: bool, now: datetime) -> CheckVisibility:
    """Return what is visible. Staff see everything; students see everything when the assignment shows it, and a limited part
    until then."""
    shown_from = hidden_shown_from(assignment, terms)
    if staff or assignment.show_hidden == ShowHidden.ALWAYS or (shown_from is not None and now > shown_from):
        return CheckVisibility.ALL
    return {
        HiddenMeanwhile.TITLES: CheckVisibility.TITLES,
        HiddenMeanwhile.COUNT: CheckVisibility.COUNT,
        HiddenMeanwhile.NOTHING: CheckVisibility.NOTHING,
    }[HiddenMeanwhile(assignment.hidden_meanwhile)]
