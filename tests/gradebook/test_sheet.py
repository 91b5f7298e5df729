"""The gradebook as one value: students, assignments and scores, with a number of queries independent of its size."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from autograder.courses.errors import Refused
from autograder.courses.models import Extension, Membership, Role, Section
from autograder.courses.selectors import section_of
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.scores import score_of, scores_of_course
from autograder.gradebook.grades.sheet import EMPTY, GradeSheet, sheet_of
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import graded
from tests.gradebook.large import large_course

pytestmark = pytest.mark.django_db


def points(sheet: GradeSheet) -> dict[str, list[Decimal | None]]:
    return {student.login: sheet.points(student) for student in sheet.students}


def known(cast: Cast, login: str, first: str, last: str, section: str = "") -> Membership:
    user = cast.student(login)
    user.first_name, user.last_name, user.email = first, last, f"{login}@example.org"
    user.save()
    member = cast.membership(login)
    member.lms_id, member.sis_id = f"L-{login}", f"S-{login}"
    member.section = Section.objects.get_or_create(course=cast.course, name=section)[0] if section else None
    member.save()
    return member


def test_a_row_for_each_student_by_name_and_a_column_for_each_assignment(cast: Cast) -> None:
    known(cast, "ben", "Ben", "Zimmer")
    known(cast, "zoe", "Zoë", "Ali", "Monday")
    cast.assign("fn-cubic", position=2, points=Decimal("12.5"), unit="Powers", title="Cube")
    sheet = sheet_of(cast.course)
    zoe = sheet.students[0]
    assert [student.name for student in sheet.students] == ["Ali, Zoë", "Zimmer, Ben"]
    assert (zoe.login, zoe.email, zoe.section, zoe.lms_id, zoe.sis_id) == (
        *("zoe", "zoe@example.org", "Monday", "L-zoe", "S-zoe"),
    )
    last = sheet.columns[1]
    assert [column.slug for column in sheet.columns] == ["value-engine", "fn-cubic"]
    assert (last.title, last.points, last.unit) == ("Cube", Decimal("12.5"), "Powers")
    assert (sheet.slug, sheet.title, sheet.time_zone) == ("autodiff", "Autodiff", "UTC")


def test_cells_are_the_scores(cast: Cast) -> None:
    graded(cast, "ada", 7.5)
    other = cast.assign("fn-cubic", position=2)
    cast.student("ben")
    override(assignment=other, membership=cast.membership("ben"), points=Decimal(3), reason="On paper.", by=cast.staff)
    sheet = sheet_of(cast.course)
    assert points(sheet) == {"ada": [Decimal("7.50"), None], "ben": [None, Decimal("3.00")]}
    ada, ben = sheet.students
    assert not sheet.cell(ada, sheet.columns[0]).overridden
    assert sheet.cell(ben, sheet.columns[1]).overridden
    assert sheet.cell(ben, sheet.columns[0]) == EMPTY


def test_late_is_after_the_students_own_due_date(cast: Cast) -> None:
    cast.assignment.due_at = ago(hours=2)
    cast.assignment.save()
    for name in ("ada", "ben", "cy"):
        graded(cast, name, 5, at=ago(hours=1 if name != "cy" else 3))
    Extension.objects.create(
        assignment=cast.assignment, membership=cast.membership("ben"), due_at=ahead(hours=1), granted_by=cast.owner
    )
    sheet = sheet_of(cast.course)
    assert [sheet.cell(one, sheet.columns[0]).late for one in sheet.students] == [True, False, False]


def test_the_cell_names_the_submission_that_counts(cast: Cast) -> None:
    best = graded(cast, "ada", 8)
    graded(cast, "ada", 6)
    sheet = sheet_of(cast.course)
    assert sheet.cell(sheet.students[0], sheet.columns[0]).submission_id == best.pk


def test_neither_staff_nor_who_left_nor_an_assignment_that_was_removed(cast: Cast) -> None:
    cast.student("ada")
    cast.student("ben")
    cast.student("cy")
    Membership.objects.filter(user__username="ben").update(removed_at=ago(days=1))
    Membership.objects.filter(user__username="cy").update(role=Role.ASSISTANT)
    cast.assign("fn-cubic", removed_at=ago(days=1))
    sheet = sheet_of(cast.course)
    assert [student.login for student in sheet.students] == ["ada"]
    assert [column.slug for column in sheet.columns] == ["value-engine"]


def test_a_section_and_some_assignments_alone(cast: Cast) -> None:
    known(cast, "ada", "", "", "Monday")
    known(cast, "ben", "", "", "Thursday")
    cast.assign("fn-cubic", position=2)
    sheet = sheet_of(cast.course, assignments=["fn-cubic", "fn-cubic"], section=section_of(cast.course, "Thursday"))
    assert points(sheet) == {"ben": [None]}
    with pytest.raises(Refused, match=r"There is no section 'Friday' in Autodiff. Its sections: Monday, Thursday."):
        section_of(cast.course, "Friday")
    with pytest.raises(Refused, match="There is no assignment 'cubic'"):
        sheet_of(cast.course, assignments=["cubic"])


def test_many_at_once_are_scored_as_each_alone(cast: Cast) -> None:
    cast.assignment.due_at, cast.assignment.policy, cast.assignment.late_share = (
        ago(hours=5),
        "best",
        Decimal("0.5"),
    )
    cast.assignment.save()
    for n, name in enumerate(("ada", "ben", "cy")):
        graded(cast, name, 3 * n, at=ago(hours=2 * n))
        graded(cast, name, 5, at=ago(hours=4 * n))
    members = [cast.membership(name) for name in ("ada", "ben", "cy")]
    together = scores_of_course([cast.assignment], [member.pk for member in members])
    for member in members:
        assert together[member.pk, cast.assignment.pk] == score_of(cast.assignment, member)


def test_a_larger_course_costs_no_query_more() -> None:
    course = large_course(students=12, assignments=6)
    with CaptureQueriesContext(connection) as queries:
        sheet = sheet_of(course)
    assert len(sheet.cells) == 72
    assert len(queries) <= 8
