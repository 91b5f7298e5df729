"""Randomly generated courses, and a straightforward implementation of the documented rules: one student and one assignment
at a time.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from django.db import transaction
from hypothesis import strategies as st

from autograder.courses.models import Assignment, Course, Criterion, Extension, Membership
from autograder.gradebook.imports import score_file
from autograder.gradebook.imports.score_import import Choices, import_scores
from autograder.gradebook.models import Excuse, Mark, Marking, Override
from autograder.gradebook.regrades import regrade_undo, regrading
from autograder.submissions import regrades
from autograder.submissions.models import Grading, Kind, Submission, Work
from tests.cast import Cast

DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)
STUDENTS = ("ada", "ben", "cem")
REPORT = {
    "exercise": "value-engine", "version": "0" * 16, "verdict": "partial", "score": 0.0, "max_score": 10.0, "reason": None,
    "message": "", "seconds": 0.1, "seed": 1, "stdout": "", "profile": "python", "sandbox": "bubblewrap", "judge_version": "1",
    "checks": [
        {
            "id": "only", "title": "The only check", "hidden": False, "passed": False, "points": 0.0, "max_points": 10.0,
            "ending": "failed",
        }
    ],
}  # fmt: skip
OTHERS = ("fn-cubic", "graph-walk")
Drawn = list[tuple[dict[str, Any], tuple[dict[str, Any], ...]]]  # for each assignment its settings, and each student's work

# the credit for late work, the deduction per day, and the minimum
LATE = [
    (Decimal(share), Decimal(per_day), Decimal(floor))
    for share, per_day, floor in (
        *(("1", "0", "0"), ("0", "0", "0"), ("0.33", "0", "0"), ("0.5", "0", "0")),
        *(("1", "0.1", "0"), ("1", "0.2", "0.5"), ("0.9", "0.15", "0.6"), ("1", "1", "0")),
    )
]
HANDED_IN = st.fixed_dictionaries(
    {
        # after the due date; submissions with equal times are in order
        "hours": st.sampled_from([-30, -3, 0, 1, 2, 3, 23, 24, 25, 49, 80]),
        "score": st.sampled_from([0.0, 1.0, 3.3, 6.65, 7.0, 9.999, 10.0]),
        "most": st.sampled_from([10.0, 12.0, 0.0]),
        "verdict": st.sampled_from(["partial", "partial", "passed", "internal"]),
        "current": st.sampled_from([True, True, True, False]),
        "kind": st.sampled_from([Kind.SUBMIT, Kind.SUBMIT, Kind.RUN]),
        "again": st.sampled_from([None, None, None, 0.0, 5.0, 10.0]),  # the score of a regrade
        "marks": st.sampled_from([None, ("1", "1"), ("0.5", "0.33"), ("0", "0.75"), ("1",)]),  # for each criterion
    }
)
WORTH = st.fixed_dictionaries(
    {
        "policy": st.sampled_from(["best", "last"]),
        "late": st.sampled_from(LATE),
        "late_grace": st.sampled_from([timedelta(0), timedelta(0), timedelta(hours=2)]),
        "no_credit_after": st.sampled_from([None, None, 24, 48]),  # hours after the due date
        "late_days_limit": st.sampled_from([None, None, 0, 1]),
        "points": st.sampled_from([Decimal(10), Decimal("12.5"), Decimal("0.15"), Decimal(100)]),
        "due_at": st.sampled_from([DUE, DUE, None]),
        "criteria": st.sampled_from([(), (), ("0.4",), ("0.2", "0.5"), ("0.35", "0.65")]),  # shares of its points
    }
)
CELL = st.fixed_dictionaries(
    {
        "handed_in": st.lists(HANDED_IN, max_size=4),
        "extended": st.sampled_from([None, None, -1, 2, 30]),  # hours after the due date
        "decided": st.sampled_from([None, None, None, Decimal("3.33"), "excused"]),
        "imported": st.booleans(),  # whether the points of the override are imported from a file
    }
)
OUTSIDE = WORTH.map(lambda worth: worth | {"outside": True})
UNGRADED = CELL.map(lambda cell: cell | {"handed_in": []})

EXERCISES = st.tuples(WORTH, st.tuples(CELL, CELL, CELL))
GRADED_OUTSIDE = st.tuples(OUTSIDE, st.tuples(UNGRADED, UNGRADED, UNGRADED))
DRAWN = st.tuples(EXERCISES, st.lists(EXERCISES | GRADED_OUTSIDE, min_size=1, max_size=2)).map(
    lambda drawn: [drawn[0], *drawn[1]]
)


@contextmanager
def thrown_away() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lay_out(assignment: Assignment, member: Membership, cell: dict[str, Any]) -> None:
    criteria = list(assignment.criteria.order_by("pk"))
    for one in cell["handed_in"]:
        at = DUE + timedelta(hours=one["hours"])
        given = {"assignment": assignment, "membership": member}
        submission = Submission.objects.create(**given, source=b"", kind=one["kind"], submitted_at=at)
        work = Work.objects.create(
            submission=submission, version=assignment.exercise_version, course=assignment.course, membership=member, lane=1,
            state=Work.State.DONE, queued_at=at, ended_at=at,
        )  # fmt: skip
        Grading.objects.create(
            submission=submission, work=work, version=assignment.exercise_version, current=one["current"], why="first", seed=1,
            verdict=one["verdict"], score=one["score"], max_score=one["most"], seconds=0.1, graded_at=at, explained_at=at,
            report=REPORT | {"score": one["score"], "max_score": one["most"], "verdict": one["verdict"]},
        )  # fmt: skip
        if criteria and one["kind"] == Kind.SUBMIT and one.get("marks"):
            give_marks(submission, criteria, one["marks"])
    decided = {"assignment": assignment, "membership": member}
    if cell["extended"] is not None:
        due_at = DUE + timedelta(hours=cell["extended"])
        Extension.objects.create(**decided, due_at=due_at, granted_by=member.user)
    if cell["decided"] == "excused":
        Excuse.objects.create(**decided, reason="r", author=member.user)
    elif cell["decided"] is not None and not cell.get("imported"):
        Override.objects.create(**decided, points=cell["decided"], reason="r", author=member.user)


def give_marks(submission: Submission, criteria: Sequence[Criterion], shares: Sequence[str]) -> None:
    """Create the marks, an older replaced marking with full points, and a mark for a criterion that was removed."""
    *criteria, removed = criteria
    author = submission.membership.user
    before = Marking.objects.create(submission=submission, author=author, replaced_at=DUE)
    now = Marking.objects.create(submission=submission, author=author)
    for criterion in criteria:
        Mark.objects.create(marking=before, criterion=criterion, points=criterion.points)
    for criterion, share in zip(criteria, shares, strict=False):
        Mark.objects.create(marking=now, criterion=criterion, points=cents_of(criterion.points, share))
    Mark.objects.create(marking=now, criterion=removed, points=removed.points)


def cents_of(points: Decimal, share: str) -> Decimal:
    return (points * Decimal(share)).quantize(Decimal("0.01"), ROUND_HALF_UP)


def criteria_of(worth: dict[str, Any]) -> list[Decimal]:
    """Return the points of each criterion. The last one is reduced if rounding would exceed the total."""
    if worth.get("outside"):
        return []
    wanted = [cents_of(worth["points"], share) for share in worth["criteria"]]
    left = worth["points"] - sum(wanted[:-1], Decimal(0))
    return [*wanted[:-1], min(wanted[-1], left)] if wanted else []


def add_criteria(assignment: Assignment, worth: dict[str, Any]) -> None:
    """Create the criteria and one that was removed, which must not count, nor its marks."""
    criteria = criteria_of(worth)
    for n, points in enumerate(criteria):
        Criterion.objects.create(assignment=assignment, title=f"Criterion {n}", points=points, position=n)
    if criteria:
        Criterion.objects.create(assignment=assignment, title="Gone", points=worth["points"], removed_at=DUE)
    Assignment.objects.filter(pk=assignment.pk).update(points_by_hand=sum(criteria, Decimal(0)))


def settings_of(worth: dict[str, Any]) -> dict[str, Any]:
    share, per_day, floor = worth["late"]
    after = worth["no_credit_after"] if worth["due_at"] else None
    return {name: worth[name] for name in ("policy", "late_grace", "late_days_limit", "points", "due_at")} | {
        "late_share": share,
        "late_per_day": per_day,
        "late_floor": floor,
        "no_credit_after": None if after is None else DUE + timedelta(hours=after),
    }


# -- the rules


@dataclass(frozen=True)
class Plain:
    """A student's expected result in an assignment: points, days late, late days used, whether excused, and whether manual
    points are missing.
    """

    points: Decimal | None
    days: int = 0
    used: int = 0
    excused: bool = False
    unmarked: bool = False


def due_of(worth: dict[str, Any], cell: dict[str, Any]) -> datetime | None:
    if worth["due_at"] is None or cell["extended"] is None:
        return worth["due_at"]  # type: ignore[no-any-return]
    return max(DUE, DUE + timedelta(hours=cell["extended"]))


def credit(worth: dict[str, Any], due: datetime | None, at: datetime, used: int) -> tuple[float, int]:
    """Return the share kept by a submission at that time with this many late days, and the number of days it is late."""
    if due is None or at <= due + worth["late_grace"]:
        return 1.0, 0
    days = math.ceil((at - due) / timedelta(days=1))
    share, per_day, floor = map(float, worth["late"])
    if worth["no_credit_after"] is not None and at > max(due, DUE + timedelta(hours=worth["no_credit_after"])):
        return 0.0, days
    return (1.0 if days <= used else max(floor, share - per_day * (days - used))), days


def plainly(worth: dict[str, Any], cell: dict[str, Any], late_days: int) -> Plain:
    """Compute the result from the documented rules. Of the available late days it uses the smallest number that gives the
    most points.
    """
    counting = [
        one for one in cell["handed_in"]
        if one["kind"] == Kind.SUBMIT and one["current"] and one["verdict"] != "internal"
    ]  # fmt: skip
    counting = sorted(counting, key=lambda one: int(one["hours"]))
    due, outcomes = due_of(worth, cell), []
    limit = late_days if worth["late_days_limit"] is None else min(late_days, worth["late_days_limit"])
    for used in range(limit + 1):
        reached = []
        for one in counting:
            kept, days = credit(worth, due, DUE + timedelta(hours=one["hours"]), used)
            share, unmarked = reached_by(worth, one)
            reached.append((kept * share, days, unmarked))
        if reached:
            share, days, unmarked = reached[-1] if worth["policy"] == "last" else max(reached, key=lambda one: one[0])
            outcomes.append((round(share, 9), -used, days, unmarked))
    if cell["decided"] == "excused":
        return Plain(None, excused=True)
    if not outcomes:
        return Plain(cell["decided"])
    share, minus_used, days, unmarked = max(outcomes, key=lambda one: one[:2])
    if cell["decided"] is not None:
        return Plain(cell["decided"], days)
    exact = (Decimal(str(share)) * worth["points"]).quantize(Decimal("1e-9"), ROUND_HALF_UP)
    return Plain(exact.quantize(Decimal("0.01"), ROUND_HALF_UP), days, -minus_used, unmarked=unmarked)


def reached_by(worth: dict[str, Any], one: dict[str, Any]) -> tuple[float, bool]:
    """Return the share of all points before the late deduction, from checks and criteria, and whether a criterion is
    unmarked.
    """
    checks = one["score"] / one["most"] if one["most"] else 0.0
    criteria, shares = criteria_of(worth), one.get("marks") or ()
    if not criteria:
        return checks, False
    given = sum((cents_of(points, share) for points, share in zip(criteria, shares, strict=False)), Decimal(0))
    for_checks = worth["points"] - sum(criteria, Decimal(0))
    exact = (Fraction(checks) * Fraction(for_checks) + Fraction(given)) / Fraction(worth["points"])
    return round(float(exact), 15), len(shares) < len(criteria)


def plainly_all(drawn: Drawn, student: int, late_days: int) -> list[Plain]:
    """Compute the results of a student in all assignments. Late days are used in the order of the student's due dates."""
    found: dict[int, Plain] = {}
    for n in in_order_of_due_dates(drawn, student):
        found[n] = plainly(drawn[n][0], drawn[n][1][student], late_days)
        late_days -= found[n].used
    return [found[n] for n in range(len(drawn))]


def in_order_of_due_dates(drawn: Drawn, student: int) -> list[int]:
    never = datetime.max.replace(tzinfo=UTC)
    return sorted(range(len(drawn)), key=lambda n: (due_of(drawn[n][0], drawn[n][1][student]) or never, n))


# -- regrades ---------------------------------------------------------------------------------------------------------------


def regraded(cast: Cast, drawn: Drawn, assignments: list[Assignment], how: str | None, late_days: int) -> Drawn:
    """Regrade as generated and commit: *all* changes, only those that *raise* a grade, or all and then *taken back*.
    Returns the expected course.
    """
    chosen = dict(_to_grade_again(drawn, assignments))
    if how is None or not chosen:
        return drawn
    batch = regrades.start(
        course=cast.course, by=cast.staff, reason="A check was wrong.", may_lower=how != "raises",
        submissions=Submission.objects.filter(pk__in=chosen),
    )  # fmt: skip
    for work in batch.work.select_related("submission"):
        score = chosen[work.submission_id]
        Grading.objects.create(
            submission=work.submission, work=work, version=work.version, current=False, why="regrade", seed=1,
            verdict="partial", score=score, max_score=10, seconds=0.1, graded_at=DUE, explained_at=DUE,
            report=REPORT | {"score": score},
        )  # fmt: skip
    batch.work.update(state=Work.State.DONE, ended_at=DUE)
    regrading.commit(batch, by=cast.staff, lower=how != "raises")
    if how == "taken back":
        regrade_undo.undo(batch, by=cast.staff, reason="A slip.")
        return drawn
    then: Drawn = [(worth, tuple(_graded_again(cell) for cell in cells)) for worth, cells in drawn]
    return then if how == "all" else _lowering_nothing(drawn, then, late_days)


def _to_grade_again(drawn: Drawn, assignments: list[Assignment]) -> Iterator[tuple[int, float]]:
    for assignment, (_, cells) in zip(assignments, drawn, strict=True):
        for name, cell in zip(STUDENTS, cells, strict=True):
            theirs = assignment.submissions.filter(membership__user__username=name).order_by("pk")
            for pk, one in zip(theirs.values_list("pk", flat=True), cell["handed_in"], strict=True):
                if _is_graded_again(one):
                    yield pk, one["again"]


def _is_graded_again(one: dict[str, Any]) -> bool:
    return one["again"] is not None and one["kind"] == Kind.SUBMIT and bool(one["current"])


def _graded_again(cell: dict[str, Any]) -> dict[str, Any]:
    now = [
        one | {"score": one["again"], "most": 10.0, "verdict": "partial"} if _is_graded_again(one) else one
        for one in cell["handed_in"]
    ]
    return cell | {"handed_in": now}


def _lowering_nothing(drawn: Drawn, then: Drawn, late_days: int) -> Drawn:
    """Keep the old gradings of each grade that would fall; in a course with late days, those of all grades of the student."""
    kept: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [(worth, list(cells)) for worth, cells in then]
    for student in range(len(STUDENTS)):
        before, after = computed(drawn, student, late_days), computed(then, student, late_days)
        falls = {n for n in range(len(drawn)) if (after[n] or 0) < (before[n] or 0)}
        for n in range(len(drawn)) if late_days and falls else falls:
            kept[n][1][student] = drawn[n][1][student]
    return [(worth, tuple(cells)) for worth, cells in kept]


def computed(drawn: Drawn, student: int, late_days: int) -> list[Decimal | None]:
    """Return the points from the policy alone, without manual decisions."""
    undecided = [(worth, tuple(cell | {"decided": None} for cell in cells)) for worth, cells in drawn]
    found: list[Decimal | None] = []
    for n, used in enumerate(_used_before(drawn, student, late_days)):
        worth, cells = undecided[n]
        found.append(plainly(worth, cells[student], late_days - used).points)
    return found


def _used_before(drawn: Drawn, student: int, late_days: int) -> list[int]:
    """For each assignment, return the late days used in those due earlier."""
    used, before = 0, [0] * len(drawn)
    row = plainly_all(drawn, student, late_days)
    for n in in_order_of_due_dates(drawn, student):
        before[n] = used
        used += row[n].used
    return before


def import_what_is_drawn(cast: Cast, drawn: Drawn, assignments: list[Assignment]) -> None:
    """Import the generated scores from one file, replacing computed points."""
    rows = [
        [name, *(str(cells[n]["decided"]) if is_imported(cells[n]) else "" for _, cells in drawn)]
        for n, name in enumerate(STUDENTS)
    ]
    if not any("".join(row[1:]) for row in rows):
        return
    lines = [["login", *(assignment.slug for assignment in assignments)], *rows]
    file = score_file.read("\n".join(",".join(line) for line in lines).encode(), "drawn.csv")
    import_scores(course=cast.course, file=file, by=cast.staff, choices=Choices(replace=True, above=True))


def is_imported(cell: dict[str, Any]) -> bool:
    return bool(cell["imported"]) and isinstance(cell["decided"], Decimal)


def laid_out(cast: Cast, drawn: Drawn, late_days: int) -> tuple[list[Assignment], list[Membership]]:
    """Create the generated course in the database."""
    Course.objects.filter(pk=cast.course.pk).update(late_days=late_days)
    assignments = [cast.assignment, *(cast.assign(slug) for slug in OTHERS[: len(drawn) - 1])]
    for assignment, (worth, _) in zip(assignments, drawn, strict=True):
        if worth.get("outside"):
            Assignment.objects.filter(pk=assignment.pk).update(version=None)
            assignment.refresh_from_db()
    members = [cast.membership(name) for name in STUDENTS]
    for assignment, (worth, cells) in zip(assignments, drawn, strict=True):
        Assignment.objects.filter(pk=assignment.pk).update(**settings_of(worth))
        add_criteria(assignment, worth)
        for member, cell in zip(members, cells, strict=True):
            lay_out(assignment, member, cell)
    import_what_is_drawn(cast, drawn, assignments)
    cast.course.refresh_from_db()
    return list(Assignment.objects.filter(course=cast.course).select_related("course").order_by("pk")), members
