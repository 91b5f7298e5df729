"""Excusing a student: effect on points, audit trail and permissions."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership, Role
from autograder.gradebook.decisions.excuses import excuse, withdraw_excuse
from autograder.gradebook.decisions.overrides import override, undo_override
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.exports.base import Missing
from autograder.gradebook.exports.export_service import export, remarks_on
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.grades.totals import how_of_student
from tests.cast import Cast, ago
from tests.gradebook.conftest import graded


@pytest.fixture
def by(cast: Cast) -> Membership:
    return Membership.objects.get(user=cast.owner)


def put(cast: Cast, by: Membership, name: str = "ada") -> None:
    excuse(assignment=cast.assignment, membership=cast.membership(name), reason="Ill.", by=by)


def take_back(cast: Cast, by: Membership) -> None:
    withdraw_excuse(assignment=cast.assignment, membership=cast.membership("ada"), by=by)


def test_it_is_left_out_of_the_total_and_comes_back(cast: Cast, by: Membership) -> None:
    other = cast.assign("fn-cubic", due_at=ago(days=1))
    graded(cast, "ada", 8)
    assert how_of_student(cast.membership("ada")).total.of == 20
    put(cast, by)
    how = how_of_student(cast.membership("ada"))
    assert (how.total.points, how.total.of) == (Decimal(0), Decimal(10))
    assert how.lines[0].notes == (f"{other.title}: not submitted or not graded, 0 of 10", "value-engine: excused, left out")
    assert score_of(cast.assignment, cast.membership("ada")).points is None
    take_back(cast, by)
    assert score_of(cast.assignment, cast.membership("ada")).points == 8
    actions = AuditEntry.objects.filter(action__startswith="excuse").order_by("id").values_list("action", flat=True)
    assert list(actions) == ["excused", "excuse-withdrawn"]


def test_points_that_were_set_by_hand_are_undone_first(cast: Cast, by: Membership) -> None:
    ada = cast.membership("ada")
    override(assignment=cast.assignment, membership=ada, points=Decimal(3), reason="r", by=cast.staff)
    with pytest.raises(Refused, match="Undo that first"):
        put(cast, by)
    undo_override(assignment=cast.assignment, membership=ada, by=cast.staff)
    put(cast, by)
    with pytest.raises(Refused, match="Withdraw the excuse first"):
        override(assignment=cast.assignment, membership=ada, points=Decimal(3), reason="r", by=cast.staff)
    with pytest.raises(Refused, match="already excused"):
        put(cast, by)


def test_what_is_not_there_cannot_be_withdrawn(cast: Cast, by: Membership) -> None:
    with pytest.raises(Refused, match="not excused"):
        take_back(cast, by)


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_only_who_may_set_scores_excuses(cast: Cast, role: Role) -> None:
    somebody = cast.membership("ben")
    somebody.role = role
    somebody.save()
    with pytest.raises(Refused, match="You may not set a score"):
        put(cast, somebody)
    with pytest.raises(Refused, match="You may not set a score"):
        take_back(cast, somebody)


def test_a_reason_is_asked_for(cast: Cast, by: Membership) -> None:
    with pytest.raises(Refused, match="Give a reason"):
        excuse(assignment=cast.assignment, membership=cast.membership("ada"), reason=" ", by=by)


def test_a_freeze_keeps_it(cast: Cast, by: Membership) -> None:
    graded(cast, "ada", 8)
    put(cast, by)
    freezing.freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="froze the gradebook"):
        take_back(cast, by)
    (cell,) = sheet_of(cast.course).cells.values()
    assert cell.excused
    assert how_of_student(cast.membership("ada")).total.of == 0


# -- exports


def missing_and_excused(cast: Cast, by: Membership) -> None:
    """Ada is excused, Ben submitted nothing, Cem has 8 points."""
    cast.assignment.due_at = timezone.now() - timedelta(hours=1)
    cast.assignment.save()
    for name in ("ada", "ben"):
        cast.student(name)
    graded(cast, "cem", 8, at=ago(days=1))
    Membership.objects.filter(role=Role.STUDENT).update(sis_id="")
    for number, name in enumerate(("ada", "ben", "cem"), 1):
        Membership.objects.filter(user__username=name).update(lms_id=str(number), sis_id=f"s{number}")
        cast.student(name).__class__.objects.filter(username=name).update(email=f"{name}@example.org")
    put(cast, by)


@pytest.mark.parametrize(
    ("name", "missing", "grades"),
    [
        ("moodle", Missing.ZERO, ["-", "0.00", "8.00"]),
        ("moodle", Missing.EMPTY, ["-", "-", "8.00"]),
        ("canvas", Missing.ZERO, ["EX", "0.00", "8.00"]),
        ("canvas", Missing.EMPTY, ["EX", "", "8.00"]),
        ("csv", Missing.ZERO, ["", "0.00", "8.00"]),
    ],
)
def test_missing_is_zero_or_empty_and_excused_is_said_where_it_can_be(
    cast: Cast, by: Membership, name: str, missing: Missing, grades: list[str]
) -> None:
    missing_and_excused(cast, by)
    data = export(EXPORTS[name], sheet_of(cast.course), Options(missing=missing), course=cast.course, by=cast.staff)
    rows = data.decode("utf-8-sig").splitlines()[-3:]
    assert [row.rpartition(",")[2] for row in rows] == grades


def test_what_is_missing_and_excused_is_counted_before_the_file_leaves(cast: Cast, by: Membership) -> None:
    missing_and_excused(cast, by)
    sheet = sheet_of(cast.course)
    assert remarks_on(EXPORTS["moodle"], sheet, Options()) == [
        "1 grade is past due and missing, so the file contains 0 points",
        "1 grade is excused: empty in the file; excuse the students in Moodle too",
    ]
    assert remarks_on(EXPORTS["canvas"], sheet, Options(missing=Missing.EMPTY)) == [
        "1 grade is past due and missing, so the file contains an empty cell",
        "1 grade is excused: written as EX",
    ]
