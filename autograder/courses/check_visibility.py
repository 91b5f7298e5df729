"""Decides which results of an assignment's hidden checks are visible, depending on role and time."""

from datetime import datetime
from enum import Enum

from autograder.courses.extensions import StudentTerms
from autograder.courses.models import Assignment, HiddenMeanwhile, ShowHidden


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


def check_visibility_of(assignment: Assignment, terms: StudentTerms, *, staff: bool, now: datetime) -> CheckVisibility:
    """Return what is visible. Staff see everything; students see everything when the assignment shows it, and a limited part
    until then."""
    due = terms.due_at is not None and now > terms.due_at
    if staff or assignment.show_hidden == ShowHidden.ALWAYS or (assignment.show_hidden == ShowHidden.AFTER_DUE and due):
        return CheckVisibility.ALL
    return {
        HiddenMeanwhile.TITLES: CheckVisibility.TITLES,
        HiddenMeanwhile.COUNT: CheckVisibility.COUNT,
        HiddenMeanwhile.NOTHING: CheckVisibility.NOTHING,
    }[HiddenMeanwhile(assignment.hidden_meanwhile)]
