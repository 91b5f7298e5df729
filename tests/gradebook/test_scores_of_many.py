"""Scores of a whole course at once, against the same rules written down plainly: one student, one assignment, one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.courses.models import Assignment, Extension, Membership
from autograder.courses.selectors import terms_of_student
from autograder.gradebook.models import Override
from autograder.gradebook.scores import score_of, scores_of_student
from autograder.gradebook.sheet import EMPTY, Cell, sheet_of
from autograder.submissions.models import Grading, Kind, Submission, Work
from tests.cast import Cast

pytestmark = pytest.mark.django_db
DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)
STUDENTS = ("ada", "ben", "cem")

HANDED_IN = st.fixed_dictionaries(
    {
        "hours": st.integers(-3, 3),  # after the due date; equal ones are in the order of their numbers
        "score": st.sampled_from([0.0, 1.0, 3.3, 6.65, 7.0, 9.999, 10.0]),
        "most": st.sampled_from([10.0, 12.0, 0.0]),
        "verdict": st.sampled_from(["partial", "partial", "passed", "internal"]),
        "current": st.sampled_from([True, True, True, False]),
        "kind": st.sampled_from([Kind.SUBMIT, Kind.SUBMIT, Kind.RUN]),
    }
)
WORTH = st.fixed_dictionaries(
    {
        "policy": st.sampled_from(["best", "last", "best-before-due"]),
        "late_share": st.sampled_from([Decimal(0), Decimal("0.33"), Decimal("0.5"), Decimal(1)]),
        "points": st.sampled_from([Decimal(10), Decimal("12.5"), Decimal("0.15"), Decimal(100)]),
        "due_at": st.sampled_from([DUE, DUE, None]),
    }
)
CELL = st.fixed_dictionaries(
    {
        "handed_in": st.lists(HANDED_IN, max_size=4),
        "extended": st.sampled_from([None, None, -1, 2]),  # hours after the due date
        "override": st.sampled_from([None, None, None, Decimal("3.33")]),
    }
)


@contextmanager
def thrown_away() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lay_out(assignment: Assignment, member: Membership, cell: dict[str, Any]) -> None:
    for one in cell["handed_in"]:
        at = DUE + timedelta(hours=one["hours"])
        given = {"assignment": assignment, "membership": member}
        submission = Submission.objects.create(**given, source=b"", kind=one["kind"], submitted_at=at)
        work = Work.objects.create(
            submission=submission, version=assignment.version, course=assignment.course, membership=member, lane=1,
            state=Work.State.DONE, queued_at=at, ended_at=at,
        )  # fmt: skip
        Grading.objects.create(
            submission=submission, work=work, version=assignment.version, current=one["current"], why="first", seed=1,
            verdict=one["verdict"], score=one["score"], max_score=one["most"], seconds=0.1, report={}, graded_at=at,
        )  # fmt: skip
    decided = {"assignment": assignment, "membership": member}
    if cell["extended"] is not None:
        due_at = DUE + timedelta(hours=cell["extended"])
        Extension.objects.create(**decided, due_at=due_at, granted_by=member.user)
    if cell["override"] is not None:
        Override.objects.create(**decided, points=cell["override"], reason="r", author=member.user)


def plainly(worth: dict[str, Any], cell: dict[str, Any]) -> tuple[Decimal | None, bool]:
    """The points, and whether what counts came late, by the words of docs and policies alone."""
    due = worth["due_at"]
    if due is not None and cell["extended"] is not None:
        due = max(due, DUE + timedelta(hours=cell["extended"]))
    counting = [
        one for one in cell["handed_in"]
        if one["kind"] == Kind.SUBMIT and one["current"] and one["verdict"] != "internal"
    ]  # fmt: skip
    reached: list[tuple[float, bool]] = []
    for one in sorted(counting, key=lambda one: int(one["hours"])):
        late = due is not None and DUE + timedelta(hours=one["hours"]) > due
        share = one["score"] / one["most"] if one["most"] else 0.0
        kept = float(worth["late_share"]) if late and worth["policy"] != "best" else 1.0
        reached.append((share * kept, late))
    if not reached:
        return cell["override"], False
    best = reached[-1] if worth["policy"] == "last" else max(reached, key=lambda one: one[0])
    exact = (Decimal(str(best[0])) * worth["points"]).quantize(Decimal("1e-9"), ROUND_HALF_UP)
    computed = exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
    return (computed if cell["override"] is None else cell["override"]), best[1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(WORTH, st.tuples(CELL, CELL, CELL)), min_size=2, max_size=2))
def test_the_sheet_is_what_the_rules_say_of_each_one(
    cast: Cast, drawn: list[tuple[dict[str, Any], tuple[dict[str, Any], ...]]]
) -> None:
    with thrown_away():
        assignments = [cast.assignment, cast.assign("fn-cubic")]
        members = [cast.membership(name) for name in STUDENTS]
        for assignment, (worth, cells) in zip(assignments, drawn, strict=True):
            Assignment.objects.filter(pk=assignment.pk).update(**worth)
            for member, cell in zip(members, cells, strict=True):
                lay_out(assignment, member, cell)
        sheet = sheet_of(cast.course)
        for assignment, (worth, cells) in zip(assignments, drawn, strict=True):
            assignment.refresh_from_db()
            for member, cell in zip(members, cells, strict=True):
                found: Cell = sheet.cells.get((member.pk, assignment.pk), EMPTY)
                assert (found.points, found.late) == plainly(worth, cell)
                alone = score_of(assignment, member)
                own = scores_of_student(member, [assignment], terms_of_student(member, [assignment]))[assignment.pk]
                assert (alone.points, alone.late) == (own.points, own.late) == plainly(worth, cell)
                assert found.submission_id == (alone.counted.submission_id if alone.counted else None)
