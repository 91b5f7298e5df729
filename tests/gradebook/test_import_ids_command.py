"""`manage.py import_ids`: reports every row, and imports all or nothing."""

from pathlib import Path

import pytest

from autograder.courses.models import Membership
from tests.cast import Cast
from tests.commands import Shell

pytestmark = pytest.mark.django_db


def download(tmp_path: Path, *rows: str) -> Path:
    file = tmp_path / "canvas.csv"
    file.write_text("\n".join(["Student,ID,SIS User ID,SIS Login ID,Section,ReLU (4711)", *rows]) + "\n")
    return file


def lms_id(login: str) -> str:
    return Membership.objects.get(user__username=login).lms_id


def test_ids_are_filled_and_every_fate_told(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    cast.student("ada")
    cast.student("ben")
    ended = shell("import_ids", "autodiff", download(tmp_path, "Ada,48101,S1,ada,,", '"Student, Test",9,,x,,'))
    assert (ended.status, ended.out.splitlines()) == (
        0,
        [
            "line 2: filled   Ada: ada: LMS ID none → 48101; ada: SIS ID none → S1",
            "line 3: stranger Student, Test: not in the course",
            "not in the file: ben",
            "Canvas, 2 rows: 1 filled, 0 known, 1 stranger, 0 bad; imported",
        ],
    )
    assert lms_id("ada") == "48101"


def test_with_bad_rows_nothing_is_imported_and_the_status_is_1(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    cast.student("ada")
    cast.student("ben")
    file = download(tmp_path, "Ada,48101,,ada,,", "\x1b[2JBen,48101,,ben,,")
    ended = shell("import_ids", "autodiff", file)
    assert (ended.status, ended.out.splitlines()[1:]) == (
        1,
        [
            "line 3: bad      ?[2JBen: The LMS ID 48101 is already on line 2.",
            "not in the file: ben",
            "Canvas, 2 rows: 1 filled, 0 known, 0 stranger, 1 bad; nothing was imported",
        ],
    )
    assert lms_id("ada") == ""
    assert shell("import_ids", "autodiff", file, "--only-good").status == 0
    assert (lms_id("ada"), lms_id("ben")) == ("48101", "")


def test_a_dry_run_stores_nothing(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    cast.student("ada")
    ended = shell("import_ids", "autodiff", download(tmp_path, "Ada,48101,,ada,,"), "--dry-run")
    assert (ended.status, lms_id("ada")) == (0, "")
    assert ended.out.endswith("1 filled, 0 known, 0 stranger, 0 bad; nothing was imported\n")


def test_what_is_refused_is_one_line_and_status_1(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n")
    ended = shell("import_ids", "autodiff", file)
    assert (ended.status, ended.out) == (1, "")
    assert ended.error.startswith("The file has no header with the columns of a gradebook from Canvas")
    assert shell("import_ids", "none", file).error == "There is no course 'none'. Existing courses: autodiff."


def test_a_wrong_call_has_status_2(shell: Shell, cast: Cast) -> None:
    assert shell("import_ids", "autodiff", "no-such-file.csv").status == 2
    assert shell("import_ids", "autodiff").status == 2
