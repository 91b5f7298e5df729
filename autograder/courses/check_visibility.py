"""How much of an assignment's hidden checks somebody may see at a moment."""

from datetime import datetime
from enum import Enum

from autograder.courses.models import Assignment, HiddenMeanwhile, ShowHidden
from autograder.courses.selectors import Terms


class Sight(Enum):
    """How much of the hidden checks is seen."""

    ALL = "all"
    TITLES = "titles"
    COUNT = "count"
    NOTHING = "nothing"

    @property
    def counts(self) -> bool:
        """Whether it is known how many hidden checks pass, and with it the points."""
        return self is not Sight.NOTHING

    @property
    def names(self) -> bool:
        """Whether the titles of hidden checks are known."""
        return self in (Sight.ALL, Sight.TITLES)


def sight_of(assignment: Assignment, terms: Terms, *, staff: bool, now: datetime) -> Sight:
    """Staff see all. A student sees all once the assignment says so, and until then what it allows meanwhile."""
    due = terms.due_at is not None and now > terms.due_at
    if staff or assignment.show_hidden == ShowHidden.ALWAYS or (assignment.show_hidden == ShowHidden.AFTER_DUE and due):
        return Sight.ALL
    return {
        HiddenMeanwhile.TITLES: Sight.TITLES,
        HiddenMeanwhile.COUNT: Sight.COUNT,
        HiddenMeanwhile.NOTHING: Sight.NOTHING,
    }[HiddenMeanwhile(assignment.hidden_meanwhile)]
