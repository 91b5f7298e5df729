"""`manage.py export_grades`: writes a file or explains why it cannot."""

from decimal import Decimal
from pathlib import Path

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership, Section
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.exports import EXPORTS, Options, export, file_name
from autograder.gradebook.grades.sheet import sheet_of
from tests.cast import Cast
from tests.commands import Shell
from tests.gradebook.conftest import graded

pytestmark = pytest.mark.django_db


@pytest.fixture
def course(cast: Cast) -> Cast:
    """Ada has an LMS ID and 7.5 points; Ben has neither."""
    graded(cast, "ada", 7.5)
    cast.student("ben")
    Membership.objects.filter(user__username="ada").update(lms_id="77", sis_id="S1")
    return cast


def test_a_file_is_written_and_it_is_written_down(shell: Shell, course: Cast, tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    ended = shell("export_grades", "autodiff", "--format", "brightspace", "--identity", "login", "-o", file)
    assert (ended.status, ended.out) == (0, f"{file}: 2 students, 1 assignments, for Brightspace\n"), ended.error
    assert file.read_text().splitlines()[1:] == ["#ada,7.50,#", "#ben,,#"]
    entry = AuditEntry.objects.get(action="grades-exported")
    assert entry.details == {"format": "brightspace", "assignments": ["value-engine"], "students": 2, "left_out": 0}


def test_with_somebody_unmatched_there_is_no_file(shell: Shell, course: Cast, tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    ended = shell("export_grades", "autodiff", "--format", "canvas", "-o", file)
    assert (ended.status, ended.out) == (1, "unmatched: ben has no LMS ID\n")
    assert ended.error.startswith("1 of 2 students cannot be matched. Nothing was written.")
    assert not file.exists()
    assert not AuditEntry.objects.filter(action="grades-exported").exists()


def test_unless_they_may_be_left_out(shell: Shell, course: Cast, tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    ended = shell("export_grades", "autodiff", "--format", "canvas", "--skip-unmatched", "-o", file)
    assert (ended.status, ended.out.splitlines()) == (
        0,
        ["unmatched: ben has no LMS ID", f"{file}: 1 students, 1 assignments, for Canvas"],
    )
    assert file.read_text().splitlines()[2:] == ["ada,77,S1,ada,,7.50"]


def test_a_section_and_an_assignment(shell: Shell, course: Cast, tmp_path: Path) -> None:
    course.assign("fn-cubic")
    monday = Section.objects.create(course=course.course, name="Monday")
    Membership.objects.filter(user__username="ben").update(section=monday)
    file = tmp_path / "grades.csv"
    chosen = ("--assignment", "fn-cubic", "--section", "Monday")
    assert shell("export_grades", "autodiff", "--format", "csv", *chosen, "-o", file).status == 0
    assert [line.split(",")[0] for line in file.read_text("utf-8-sig").splitlines()] == ["login", "ben"]
    assert file.read_text().splitlines()[0].endswith(",fn-cubic")


def test_a_score_that_brightspace_will_cut_is_told(shell: Shell, course: Cast, tmp_path: Path) -> None:
    ada = course.membership("ada")
    override(assignment=course.assignment, membership=ada, points=Decimal(12), reason="Extra.", by=course.staff)
    ended = shell(
        "export_grades", "autodiff", "--format", "brightspace", "--identity", "login", "-o", tmp_path / "grades.csv"
    )
    assert "note: ada has 12.00 of 10 in value-engine: Brightspace reduces this to the maximum" in ended.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "blackboard"), "Blackboard needs a file that was downloaded from the LMS."),
        (("--format", "oneroster"), "OneRoster needs the sourcedId of the class and the sourcedId of the grading period."),
        (("--format", "oneroster", "--class-id", "c"), "OneRoster needs the sourcedId of the grading period."),
        (("--format", "canvas", "--identity", "email"), "Canvas cannot identify students by email."),
        (("--format", "csv", "--section", "Friday"), "There is no section 'Friday' in Autodiff. Its sections: none."),
        (("--format", "csv", "--assignment", "x"), "There is no assignment 'x' in Autodiff."),
    ],
)
def test_what_is_refused_is_one_line_and_status_1(
    shell: Shell, course: Cast, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    file = tmp_path / "grades"
    ended = shell("export_grades", "autodiff", *arguments, "-o", file)
    assert (ended.status, ended.out) == (1, "")
    assert ended.error.startswith(words)
    assert not file.exists()


def test_a_place_where_nothing_can_be_written(shell: Shell, course: Cast, tmp_path: Path) -> None:
    ended = shell("export_grades", "autodiff", "--format", "csv", "-o", tmp_path / "none" / "grades.csv")
    assert ended.status == 1
    assert ended.error.endswith("grades.csv cannot be written: No such file or directory")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--format", "csv"),
        ("--format", "sakai", "-o", "x"),
        ("--format", "csv", "--identity", "shoe", "-o", "x"),
        ("--format", "blackboard", "--template", "no-such-file.csv", "-o", "x"),
    ],
)
def test_a_wrong_call_has_status_2(shell: Shell, course: Cast, arguments: tuple[str, ...]) -> None:
    assert shell("export_grades", "autodiff", *arguments).status == 2


# -- the service that pages call as well


def test_an_empty_course_has_nothing_to_export(cast: Cast) -> None:
    with pytest.raises(Refused, match="There are no students in Autodiff"):
        export(EXPORTS["csv"], sheet_of(cast.course), Options(), course=cast.course, by=cast.staff)
    cast.student("ada")
    cast.course.assignments.all().delete()
    with pytest.raises(Refused, match="There are no assignments in Autodiff"):
        export(EXPORTS["csv"], sheet_of(cast.course), Options(), course=cast.course, by=cast.staff)


def test_many_unmatched_are_counted(cast: Cast) -> None:
    for n in range(7):
        cast.student(f"s{n}")
    sheet = sheet_of(cast.course)
    with pytest.raises(
        Refused, match=r"^7 students cannot be matched: s0 has no LMS ID; .*; and 2 more. Nothing was written"
    ):
        export(EXPORTS["canvas"], sheet, Options(), course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="No students can be matched"):
        export(EXPORTS["canvas"], sheet, Options(), course=cast.course, by=cast.staff, skip_unmatched=True)


def test_who_exported_is_written_down_and_the_file_has_a_name(course: Cast) -> None:
    sheet = sheet_of(course.course)
    export(EXPORTS["xlsx"], sheet, Options(), course=course.course, by=course.staff)
    assert AuditEntry.objects.get(action="grades-exported").actor == course.owner
    assert file_name(EXPORTS["oneroster"], sheet) == "autodiff-oneroster.zip"
