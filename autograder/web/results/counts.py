"""Counts of passed checks as far as a viewer may know them, with the same wording on every page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from autograder.courses.policies import ByHand, Counted
from autograder.gradebook.grades.manual_points import share_of
from autograder.gradebook.grades.scores import points_for
from autograder.submissions.models import Grading
from autograder.web import numbers


class Checked(Protocol):
    """A check of a report, as needed for counting."""

    @property
    def hidden(self) -> bool: ...

    @property
    def passed(self) -> bool: ...


@dataclass(frozen=True)
class Count:
    """`hidden_passed` is None where the viewer may not know it."""

    public: int
    public_passed: int
    hidden: int
    hidden_passed: int | None

    @property
    def all_pass(self) -> bool:
        return self.public_passed == self.public and self.hidden_passed == self.hidden

    def of_submission(self, points: str) -> str:
        """Say all that may be known. `points`, such as "6.5 of 15 points", is left out where it would reveal hidden
        results.
        """
        if self.hidden_passed is None:
            return f"{self._public_words}; {numbers.quantity(self.hidden, 'hidden check')} graded, not shown yet"
        total, passed = self.public + self.hidden, self.public_passed + self.hidden_passed
        if not self.hidden:
            return f"{passed} of {total} checks pass, {points}"
        if self.all_pass:
            return f"All {total} checks pass, {_included(self.hidden)}; {points}"
        return f"{passed} of {total} checks pass, {points}; public: {self.public_passed} of {self.public}"

    def of_run(self, hidden: int) -> str:
        """`hidden` is the number of checks of the exercise that a run leaves out."""
        later = f"; {when_hidden_run(hidden)}" if hidden else ""
        return f"{self._public_words}{later}"

    @property
    def _public_words(self) -> str:
        return f"{self.public_passed} of {self.public} public checks pass"


def when_hidden_run(hidden: int) -> str:
    return f"{numbers.quantity(hidden, 'hidden check')} {'runs' if hidden == 1 else 'run'} when you submit"


def count_of(checks: Sequence[Checked], *, hidden_known: bool) -> Count:
    public = [check.passed for check in checks if not check.hidden]
    hidden = [check.passed for check in checks if check.hidden]
    return Count(len(public), sum(public), len(hidden), sum(hidden) if hidden_known or not hidden else None)


def points_of(
    score: float, max_score: float, points: float, remaining: float = 1.0, by_hand: ByHand | None = None
) -> tuple[str, str]:
    """Return the points of a grading after the late deduction, such as "6.5" and "of 15 points"."""
    worth = Decimal(str(points))
    share = share_of(score / max_score if max_score else 0.0, by_hand, worth) * remaining
    return numbers.points(points_for(share, worth)), f"of {numbers.points(points)} points"


def reached_words(counted: Counted, points: Decimal) -> str:
    """Describe the result before the late deduction: "80% of 10", or "80% of 6 by the checks, 3 of 4 by hand"."""
    hand = counted.by_hand
    if hand is None:
        return f"{numbers.percent(counted.reached)} of {numbers.points(points)} points"
    checks = f"{numbers.percent(counted.checks)} of {numbers.points(points - hand.of)} points for the checks"
    return f"{checks}, {by_hand_words(hand)}"


def by_hand_words(hand: ByHand) -> str:
    """Describe the points given by hand, as part of a sentence."""
    if hand.marked:
        return f"{numbers.points(hand.points)} of {numbers.points(hand.of)} by hand"
    if hand.points:
        return f"{numbers.points(hand.points)} of {numbers.points(hand.of)} by hand, not all marked yet"
    return f"{numbers.points(hand.of)} by hand not marked yet"


class StoredCheck(msgspec.Struct, frozen=True):
    hidden: bool
    passed: bool


class StoredReport(msgspec.Struct, frozen=True):
    """The part of a stored report that is needed for counting."""

    checks: tuple[StoredCheck, ...] = ()


def checks_of(gradings: Iterable[Grading]) -> dict[int, tuple[StoredCheck, ...]]:
    """Return the checks by grading. Reads the JSON as text and decodes only what is counted, because most of a report is
    not.
    """
    texts = Grading.objects.filter(pk__in=[grading.pk for grading in gradings]).order_by()
    found = texts.annotate(text=Cast("report", TextField())).values_list("pk", "text")
    return {number: msgspec.json.decode(text, type=StoredReport).checks for number, text in found}


def _included(hidden: int) -> str:
    return "including the hidden one" if hidden == 1 else f"including the {hidden} hidden ones"
