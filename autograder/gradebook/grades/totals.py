"""Computes totals per unit and overall from a sheet, with a line-by-line explanation.

Without weights, points are added up. With weights, each unit contributes its share multiplied by its weight; units without a
weight share the rest of 100 in proportion to their points. The lowest scores of a unit may be dropped, but never all of
them.

Work that is not graded counts as 0 once it is due for the student; before that it is left out, and the total is marked as
"so far". Values are not rounded before they are added.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property

import msgspec
from django.utils import timezone

from autograder.courses.models import Course, Membership
from autograder.courses.policies.lateness import Lateness, late_words
from autograder.courses.setup.units import by_unit
from autograder.gradebook.grades.frozen import FrozenRule
from autograder.gradebook.grades.scores import EXACT, Score, rounded
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeSheet, StudentRow, sheet_for
from autograder.gradebook.models import UnitRule

NOTHING, HUNDRED = Decimal(0), Decimal(100)


class UnitPlan(msgspec.Struct, frozen=True):
    """A group of assignments and how it contributes to the total. `weight` is None if points are added up."""

    title: str
    columns: tuple[AssignmentColumn, ...]
    points: Decimal
    weight: Decimal | None = None
    drop: int = 0


@dataclass(frozen=True)
class TotalPlan:
    """How a course computes totals."""

    units: tuple[UnitPlan, ...]

    @property
    def weighted(self) -> bool:
        return any(unit.weight is not None for unit in self.units)

    @cached_property
    def most(self) -> Decimal:
        """The maximum of the total, when everything counts."""
        return sum((unit.points if unit.weight is None else unit.weight for unit in self.units), NOTHING)


class UnitResult(msgspec.Struct, frozen=True):
    """A student's result in a unit. `of` is 0 while nothing in it counts."""

    unit: UnitPlan
    points: Decimal
    of: Decimal
    dropped: tuple[AssignmentColumn, ...] = ()
    ahead: tuple[AssignmentColumn, ...] = ()  # neither graded nor due
    missing: tuple[AssignmentColumn, ...] = ()  # due and not graded, which counts as 0
    excused: tuple[AssignmentColumn, ...] = ()  # left out of the total

    @property
    def counts(self) -> bool:
        return self.of > 0

    @property
    def adds(self) -> Decimal:
        """The contribution to the total, unrounded."""
        if self.unit.weight is None:
            return self.points
        return self.points * self.unit.weight / self.of if self.of else NOTHING


class Total(msgspec.Struct, frozen=True):
    """A student's total. `points` is None while nothing counts. With weights, it is extrapolated to all units."""

    parts: tuple[UnitResult, ...]
    points: Decimal | None
    of: Decimal
    so_far: bool

    @property
    def share(self) -> Decimal:
        """The sort key of students; below all others if there is no total."""
        return Decimal(-1) if self.points is None or not self.of else self.points / self.of

    @property
    def rounded(self) -> Decimal | None:
        return None if self.points is None else to_two_places(self.points)


class ExplanationLine(msgspec.Struct, frozen=True):
    """A line of the explanation, for one unit or for the total: what it is, the calculation and its result."""

    title: str
    words: str
    sum: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TotalExplanation:
    """The explanation of a total."""

    total: Total
    lines: tuple[ExplanationLine, ...]
    end: str


def plan_of(columns: Sequence[AssignmentColumn], rules: Iterable[UnitRule | FrozenRule]) -> TotalPlan:
    """Build a plan with units in the order of their first assignments. Rules for units that do not exist are ignored."""
    groups = by_unit(columns, lambda column: column.unit)
    ruled = {rule.unit: rule for rule in rules if rule.unit in groups}
    weights = {title: rule.weight for title, rule in ruled.items() if rule.weight is not None}
    worth = {title: sum((column.points for column in columns_of_unit), NOTHING) for title, columns_of_unit in groups.items()}
    if weights:
        left = max(NOTHING, HUNDRED - sum(weights.values(), NOTHING))
        others = {title: points for title, points in worth.items() if title not in weights}
        among = sum(others.values(), NOTHING)
        weights |= {title: left * points / among for title, points in others.items()}
    units = (
        UnitPlan(
            title,
            tuple(columns_of_unit),
            worth[title],
            weights.get(title),
            ruled[title].drop_lowest if title in ruled else 0,
        )
        for title, columns_of_unit in groups.items()
    )
    return TotalPlan(tuple(units))


def plan_of_course(course: Course, sheet: GradeSheet) -> TotalPlan:
    """Return the plan of a course; for a frozen gradebook, that of the freeze, without assignments added since."""
    basis = sheet.frozen.basis if sheet.frozen else None
    if basis is None:
        return plan_of(sheet.columns, course.unit_rules.all())
    return plan_of([column for column in sheet.columns if column.assignment_id in basis.assignments], basis.rules)


def totals_of(sheet: GradeSheet, plan: TotalPlan, now: datetime | None = None) -> dict[int, Total]:
    """Return the totals by membership. Due dates are compared with now or, for a frozen gradebook, with the time of the freeze."""
    at = sheet.frozen.at if sheet.frozen else now or timezone.now()
    return {
        student.membership_id: _total(plan, [_part(unit, sheet, student, at) for unit in plan.units])
        for student in sheet.students
    }


def to_two_places(value: Decimal) -> Decimal:
    """Round half a cent upwards, tolerating the inexact last digits of a division."""
    return rounded(value.quantize(EXACT, ROUND_HALF_UP))


def _part(unit: UnitPlan, sheet: GradeSheet, student: StudentRow, at: datetime) -> UnitResult:
    cells, member = sheet.cells, student.membership_id
    counting: list[tuple[AssignmentColumn, Decimal]] = []
    ahead, missing, excused = [], [], []
    for column in unit.columns:
        cell = cells.get((member, column.assignment_id))
        if cell is not None and cell.excused:
            excused.append(column)
            continue
        if cell is not None and cell.points is not None:
            counting.append((column, cell.points))
            continue
        due_at = sheet.due_at(student, column)
        if due_at is not None and due_at <= at:
            counting.append((column, NOTHING))
            missing.append(column)
        else:
            ahead.append(column)
    dropped: list[AssignmentColumn] = []
    drop = min(unit.drop, len(counting) - 1)
    if drop > 0:  # among equal shares, drop the one worth most, in the student's favour
        counting.sort(key=lambda counted: (counted[1] / counted[0].points, -counted[0].points))
        dropped = [column for column, _ in counting[:drop]]
        counting = counting[drop:]
    points = sum((points for _, points in counting), NOTHING)
    of = sum((column.points for column, _ in counting), NOTHING)
    return UnitResult(unit, points, of, tuple(dropped), tuple(ahead), tuple(missing), tuple(excused))


def _total(plan: TotalPlan, parts: Sequence[UnitResult]) -> Total:
    so_far = any(part.ahead for part in parts)
    counting = [part for part in parts if part.counts]
    if not plan.weighted:
        of = sum((part.of for part in counting), NOTHING)
        return Total(tuple(parts), sum((part.points for part in counting), NOTHING) if of else None, of, so_far)
    adds = sum((part.adds for part in counting), NOTHING)
    among = sum((part.unit.weight or NOTHING for part in counting), NOTHING)
    return Total(tuple(parts), adds * plan.most / among if among else None, plan.most, so_far)


# -- explanations ---------------------------------------------------------------------------------------------------------


def how_of(sheet: GradeSheet, plan: TotalPlan, student: StudentRow, total: Total) -> TotalExplanation:
    lines = tuple(_line(part, tuple(_notes(part, sheet, student))) for part in total.parts)
    return TotalExplanation(total, lines, _end(plan, total))


def how_of_student(
    membership: Membership, hidden: Collection[int] = (), scores: Mapping[int, Score] | None = None
) -> TotalExplanation:
    """Explain the total of one student. `hidden` are assignments whose points the reader may not see yet.

    `scores` are the student's in all assignments of the course, if they have been loaded already.
    """
    known = None if scores is None else {(membership.pk, assignment): score for assignment, score in scores.items()}
    sheet = sheet_for(membership.course, Membership.objects.filter(pk=membership.pk), scores=known)
    sheet = sheet.hiding(hidden)
    plan = plan_of_course(membership.course, sheet)
    (student,) = sheet.students
    return how_of(sheet, plan, student, totals_of(sheet, plan)[student.membership_id])


def _line(part: UnitResult, notes: tuple[str, ...]) -> ExplanationLine:
    title = part.unit.title or "Exercises"
    if not part.counts:
        return ExplanationLine(title, "nothing counts yet", notes=notes)
    words = f"{plain(part.points)} of {plain(part.of)}"
    if part.unit.weight is None:
        return ExplanationLine(title, words, notes=notes)
    weight, adds = plain(part.unit.weight), to_two_places(part.adds)
    return ExplanationLine(title, words, f"{plain(part.points)}/{plain(part.of)} × {weight} = {adds}", notes)


def _notes(part: UnitResult, sheet: GradeSheet, student: StudentRow) -> Iterable[str]:
    for column in part.unit.columns:
        cell = sheet.cell(student, column)
        if cell.overridden:
            yield f"{column.title}: ◆ set to {plain(cell.points or NOTHING)} of {plain(column.points)}"
        elif cell.days_late:
            late = late_words(Lateness(cell.days_late), cell.remaining, cell.late_days)
            yield f"{column.title}: {late}, {plain(cell.points or NOTHING)} of {plain(column.points)}"
        if cell.unmarked:
            yield f"{column.title}: not marked yet, {plain(cell.points or NOTHING)} of {plain(column.points)}"
    yield from (f"{column.title}: not submitted or not graded, 0 of {plain(column.points)}" for column in part.missing)
    yield from (f"{column.title}: dropped (lowest score)" for column in part.dropped)
    yield from (f"{column.title}: excused, left out" for column in part.excused)
    for column in part.ahead:
        until = "its points are shown" if column.assignment_id in sheet.hidden else "it is due"
        yield f"{column.title}: left out until {until}"


def _end(plan: TotalPlan, total: Total) -> str:
    if total.points is None:
        return "Nothing counts yet."
    words = f"of {plain(total.of)}, calculated without intermediate rounding and rounded to two decimals (half up)"
    if plan.weighted:
        words = f"{_added(plan, [part for part in total.parts if part.counts])}{words}"
    return f"{words}. This is the total so far: work that is not due yet is left out." if total.so_far else words


def _added(plan: TotalPlan, counting: Sequence[UnitResult]) -> str:
    """Return the sum of the units, and its extrapolation to all weights if some units do not count yet."""
    adds = [str(to_two_places(part.adds)) for part in counting]
    among = sum((part.unit.weight or NOTHING for part in counting), NOTHING)
    if among != plan.most:
        together = f"({' + '.join(adds)})" if len(adds) > 1 else adds[0]
        return f"= {together} / {plain(among)} × {plain(plan.most)}, "
    return f"= {' + '.join(adds)}, " if len(adds) > 1 else ""


def plain(value: Decimal) -> str:
    """Format a value without trailing zeros: 104, 66.6, 12.5."""
    text = f"{to_two_places(value):f}"
    return text.rstrip("0").rstrip(".")
