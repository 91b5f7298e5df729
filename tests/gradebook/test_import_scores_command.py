"""`manage.py import_scores`: reports every score, and imports all or nothing."""

from decimal import Decimal
from pathlib import Path

import pytest

from autograder.courses.models import Assignment
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.assignments import outside_assignment_create
from autograder.gradebook.grades import freezing
from autograder.gradebook.models import Override
from tests.cast import Cast
from tests.commands import Shell
from tests.gradebook.conftest import graded

pytestmark = pytest.mark.django_db


@pytest.fixture
def exam(cast: Cast) -> Assignment:
    for name in ("ada", "ben"):
        cast.student(name)
    return outside_assignment_create(course=cast.course, by=OPERATOR, title="Exam", points=Decimal(20))


def table(tmp_path: Path, *rows: str) -> Path:
    file = tmp_path / "exam.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


def points() -> dict[str, Decimal]:
    return dict(Override.objects.filter(undone_at=None).values_list("membership__user__username", "points"))


def test_scores_are_imported_and_what_needs_a_look_is_told(
    shell: Shell, cast: Cast, exam: Assignment, tmp_path: Path
) -> None:
    graded(cast, "ada", 8.0)
    file = table(tmp_path, "login;Exam;value-engine;Remark", "ada;18,5;9;good", "ben;;;")
    ended = shell("import_scores", "autodiff", file, "--reason", "On paper.")
    assert (ended.status, ended.out.splitlines()) == (
        0,
        [
            "line 2: ada, value-engine: 9 replaces: 8, computed from a submission",
            "column Remark was ignored: no assignment has this title or slug",
            "1 row: 1 new, 1 differ, 0 unchanged, 0 excused, 0 bad; 1 imported, 1 kept as before",
        ],
    )
    assert points() == {"ada": Decimal("18.50")}
    assert Override.objects.get().reason.endswith(" On paper.")
    ended = shell("import_scores", "autodiff", file, "--replace")
    assert ended.out.splitlines()[-1] == "1 row: 0 new, 1 differ, 1 unchanged, 0 excused, 0 bad; 1 imported"
    ended = shell("import_scores", "autodiff", file, "--replace")
    assert (ended.status, ended.out.splitlines()[-1]) == (
        0,
        "1 row: 0 new, 0 differ, 2 unchanged, 0 excused, 0 bad; nothing to import",
    )


def test_with_a_bad_row_nothing_is_imported_and_the_status_is_1(
    shell: Shell, cast: Cast, exam: Assignment, tmp_path: Path
) -> None:
    file = table(tmp_path, "login,Exam", "\x1b[2Jzoe,3", "ada,18", "ben,21")
    ended = shell("import_scores", "autodiff", file)
    assert ended.status == 1
    assert ended.out.splitlines() == [
        "line 2: [2Jzoe is not in the course.",
        "line 4: ben, exam: 21 of 20",
        "3 rows: 2 new, 0 differ, 0 unchanged, 0 excused, 1 bad; nothing was imported",
    ]
    assert "Nothing was imported. Line 2: [2Jzoe is not in the course. There is 1 more problem." in ended.error
    assert points() == {}
    assert shell("import_scores", "autodiff", file, "--only-good", "--bonus").status == 0
    assert points() == {"ada": Decimal(18), "ben": Decimal(21)}


def test_a_dry_run_stores_nothing(shell: Shell, cast: Cast, exam: Assignment, tmp_path: Path) -> None:
    ended = shell("import_scores", "autodiff", table(tmp_path, "login,Exam", "ada,18"), "--dry-run")
    assert ended.out.splitlines() == ["1 row: 1 new, 0 differ, 0 unchanged, 0 excused, 0 bad; nothing was imported"]
    assert (ended.status, points()) == (0, {})


def test_a_frozen_gradebook_is_said_in_a_line(shell: Shell, cast: Cast, exam: Assignment, tmp_path: Path) -> None:
    freezing.freeze(course=cast.course, by=cast.staff)
    ended = shell("import_scores", "autodiff", table(tmp_path, "login,Exam", "ada,18"))
    assert ended.status == 1
    assert "No scores can be imported now" in ended.error
