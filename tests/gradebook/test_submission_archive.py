"""The zip of all submissions of an assignment: selection, permissions, file names and memory use."""

import csv
import io
import os
import stat
import unicodedata
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Extension, Membership, Role, Section, User
from autograder.courses.rights import OPERATOR, Acting
from autograder.gradebook.decisions.excuses import excuse
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.exports.submission_archive import (
    COLUMNS,
    FILES_AT_ONCE,
    MANIFEST,
    Which,
    count_of,
    folder_names,
    submissions_download,
)
from autograder.submissions.models import UNREADABLE, Kind, Submission
from tests.cast import Cast
from tests.commands import Shell
from tests.gradebook.conftest import graded
from tests.gradebook.test_regrade_requests import member

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def owner(cast: Cast) -> Membership:
    return cast.membership(cast.owner.username)


def downloaded(cast: Cast, by: Acting, which: Which = Which.ALL) -> zipfile.ZipFile:
    made = submissions_download(assignment=cast.assignment, by=by, which=which)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(made.parts)))
    assert archive.testzip() is None
    return archive


def files(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if name != MANIFEST]


def rows(archive: zipfile.ZipFile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(MANIFEST).decode("utf-8-sig"))))


def numbers(archive: zipfile.ZipFile) -> list[str]:
    return [f"{row['login']} {row['submission']}" for row in rows(archive)]


def test_files_are_as_they_were_handed_in_under_their_time(cast: Cast, owner: Membership) -> None:
    submission = graded(cast, "ada", 4, NOON)
    Submission.objects.filter(pk=submission.pk).update(source=b"x = '\xff\r\n'")
    archive = downloaded(cast, owner)
    path = "ada/2026-03-02T12-00-00Z_submission-1.py"
    assert files(archive) == [path]
    assert archive.read(path) == b"x = '\xff\r\n'"


def test_which_are_chosen(cast: Cast, owner: Membership) -> None:
    graded(cast, "ada", 9, NOON)
    graded(cast, "ada", 5, NOON + timedelta(hours=1))
    cast.hands_in("ada", b"x = 2\n")
    graded(cast, "ada", 10, kind=Kind.RUN)
    graded(cast, "ben", 0, NOON)
    assert numbers(downloaded(cast, owner, Which.ALL)) == ["ada 1", "ada 2", "ada 3", "ben 1"]
    assert numbers(downloaded(cast, owner, Which.LAST)) == ["ada 3", "ben 1"]
    assert numbers(downloaded(cast, owner, Which.COUNTING)) == ["ada 1", "ben 1"]
    cast.assignment.policy = "last"
    cast.assignment.save()
    assert numbers(downloaded(cast, owner, Which.COUNTING)) == ["ada 2", "ben 1"], "as the policy says"


def test_a_syntax_error_has_no_number(cast: Cast, owner: Membership) -> None:
    broken = graded(cast, "ada", 0, NOON, verdict=UNREADABLE)
    graded(cast, "ada", 9, NOON + timedelta(hours=1))
    archive = downloaded(cast, owner, Which.ALL)
    assert numbers(archive) == ["ada ", "ada 1"]
    assert files(archive)[0].endswith(f"_unreadable-{broken.pk}.py")
    assert [(row["verdict"], row["counts"]) for row in rows(archive)] == [("unreadable", "no"), ("partial", "yes")]


def test_the_manifest(cast: Cast, owner: Membership) -> None:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    cast.assignment.course = cast.course
    cast.assignment.due_at, cast.assignment.points = NOON, Decimal(20)
    cast.assignment.save()
    ada = member(cast, "ada", Role.STUDENT, Section.objects.create(course=cast.course, name="Monday"))
    User.objects.filter(pk=ada.user_id).update(first_name="Ada", last_name="Lovelace")
    graded(cast, "ada", 4, NOON + timedelta(hours=26, minutes=5), verdict="partial")
    waiting = cast.hands_in("ben", b"x = 1\n")
    Submission.objects.filter(pk=waiting.pk).update(submitted_at=NOON)
    archive = downloaded(cast, owner)
    first, second = rows(archive)
    assert tuple(first) == COLUMNS
    assert first == {
        "login": "ada",
        "name": "Ada Lovelace",
        "section": "Monday",
        "submission": "1",
        "submitted": "2026-03-03T15:05:00+01:00",
        "verdict": "partial",
        "points": "8.00",
        "out of": "20.00",
        "late by (h:mm)": "26:05",
        "counts": "yes",
        "grade": "computed",
        "file": files(archive)[0],
    }
    assert (second["verdict"], second["points"], second["late by (h:mm)"], second["counts"]) == ("not graded", "", "", "no")


def test_late_is_after_the_students_own_due_date(cast: Cast, owner: Membership) -> None:
    cast.assignment.due_at = NOON
    cast.assignment.save()
    graded(cast, "ada", 4, NOON + timedelta(hours=2))
    more = {"due_at": NOON + timedelta(hours=1), "reason": "Ill.", "granted_by": cast.owner}
    Extension.objects.create(assignment=cast.assignment, membership=cast.membership("ada"), **more)
    assert rows(downloaded(cast, owner))[0]["late by (h:mm)"] == "1:00"


def test_where_somebody_decided_it_says_so(cast: Cast, owner: Membership) -> None:
    for name in ("ada", "ben"):
        graded(cast, name, 4)
    ada, ben = cast.membership("ada"), cast.membership("ben")
    override(assignment=cast.assignment, membership=ada, points=Decimal(9), reason="Oral.", by=cast.staff)
    excuse(assignment=cast.assignment, membership=ben, reason="Ill.", by=owner)
    assert [row["grade"] for row in rows(downloaded(cast, owner, Which.COUNTING))] == ["set by hand", "excused"]


def test_what_a_spreadsheet_takes_for_a_formula(cast: Cast, owner: Membership) -> None:
    ada = member(cast, "@ada", Role.STUDENT, Section.objects.create(course=cast.course, name="+1"))
    User.objects.filter(pk=ada.user_id).update(first_name="=cmd()", last_name="x")
    graded(cast, "@ada", 4)
    (row,) = rows(downloaded(cast, owner))
    assert (row["login"], row["name"], row["section"]) == ("'@ada", "'=cmd() x", "'+1")
    assert row["file"].startswith("'@ada/")


# -- permissions


def test_of_those_whom_one_may_see(cast: Cast, owner: Membership) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, mine)
    member(cast, "ben", Role.STUDENT, other)
    for name in ("ada", "ben", "cy"):
        graded(cast, name, 4)
    Membership.objects.filter(user__username="cy").update(removed_at=timezone.now())

    def logins(by: Acting) -> list[str]:
        return [row["login"] for row in rows(downloaded(cast, by))]

    assert logins(owner) == logins(member(cast, "ines", Role.INSTRUCTOR)) == logins(OPERATOR) == ["ada", "ben"]
    assert logins(member(cast, "ann", Role.ASSISTANT, mine)) == ["ada"]
    assert logins(member(cast, "sam", Role.ASSISTANT)) == ["ada", "ben"]
    assert count_of(cast.assignment, cast.membership("ann")) == (1, 1)


def test_students_and_strangers_get_nothing(cast: Cast) -> None:
    graded(cast, "ada", 4)
    gone = member(cast, "rob", Role.INSTRUCTOR)
    gone.removed_at = timezone.now()
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").membership("elsewhere-grace")
    for nobody in (cast.membership("ada"), gone, elsewhere):
        with pytest.raises(Refused, match="You may not see"):
            downloaded(cast, nobody)
    assert not AuditEntry.objects.filter(action="submissions-downloaded").exists()


def test_each_download_is_written_down(cast: Cast, owner: Membership) -> None:
    for name in ("ada", "ada", "ben"):
        graded(cast, name, 4)
    submissions_download(assignment=cast.assignment, by=owner, which=Which.ALL)
    entry = AuditEntry.objects.get(action="submissions-downloaded")
    assert (entry.actor, entry.course, entry.assignment) == (cast.owner, cast.course, cast.assignment)
    assert entry.details == {"which": "all submissions", "students": 2, "submissions": 3}


def test_nothing_to_download(cast: Cast, owner: Membership) -> None:
    with pytest.raises(Refused, match="no submissions of value-engine"):
        downloaded(cast, owner)


# -- names ----------------------------------------------------------------------------------------------------------------


def folders(cast: Cast, logins: Sequence[str]) -> list[str]:
    return list(folder_names([cast.membership(login) for login in logins]).values())


@pytest.mark.parametrize(
    ("login", "folder"),
    [
        ("ada.lovelace+x@uni-y.edu_1", "ada.lovelace+x@uni-y.edu_1"),
        ("..", "__"),
        ("../../etc/passwd", "_._.._etc_passwd"),
        ("/etc/passwd", "_etc_passwd"),
        ("C:\\x", "C__x"),
        (".hidden", "_hidden"),
        ("dot.", "dot_"),
        ("CON.x", "_CON.x"),
        ("lpt1", "_lpt1"),
        ("submissions.csv", "submissions.csv~2"),
        ("自动微分", "自动微分"),
        ("a\u202eb\n", "a_b_"),
        ("e\u0301", "é"),
    ],
)
def test_folder_names_are_safe(cast: Cast, login: str, folder: str) -> None:
    assert folders(cast, [login]) == [folder]


def test_folder_names_are_distinct_on_every_file_system(cast: Cast) -> None:
    logins = ["Ada", "ADA", "ada", "ada~2", "ada_2", "straße", "STRASSE", "ﬁ", "fi", "x/", "x_", "x:"]
    names = folders(cast, logins)
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in names}) == len(logins)
    assert all(".." not in name and "/" not in name for name in names)


def test_a_long_login_fits_into_a_file_name(cast: Cast) -> None:
    names = folders(cast, ["自" * 150, "自" * 149 + "动"])
    assert len(set(names)) == 2
    assert all(len(name.encode()) <= 130 for name in names)


# -- memory ---------------------------------------------------------------------------------------------------------------


def test_files_are_read_a_few_at_a_time(cast: Cast, owner: Membership) -> None:
    """Sources are not read before the first part is sent, and only a limited number of rows at a time."""
    many = 3 * FILES_AT_ONCE + 1
    first = graded(cast, "ada", 4)
    Submission.objects.bulk_create(
        Submission(
            assignment=cast.assignment, membership=first.membership, source=os.urandom(5_000), submitted_at=timezone.now()
        )
        for _ in range(many - 1)
    )
    read: list[int] = []

    def count(execute: Any, sql: str, params: Any, several: bool, context: Any) -> Any:
        found = execute(sql, params, several, context)
        if '"source"' in sql:
            read.append(len(params))
        return found

    with connection.execute_wrapper(count):
        made = submissions_download(assignment=cast.assignment, by=owner, which=Which.ALL)
        next(made.parts)
        assert read == [], "the list alone"
        largest = max(len(part) for part in made.parts)
    assert sum(read) == many
    assert max(read) == FILES_AT_ONCE
    assert largest < 2 * FILES_AT_ONCE * 5_000


# -- the command ----------------------------------------------------------------------------------------------------------


def test_the_command_writes_a_file_for_its_owner_alone(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    graded(cast, "ada", 9), graded(cast, "ada", 4)
    file = tmp_path / "all.zip"
    ended = shell("download_submissions", "autodiff", "value-engine", "-o", file)
    assert (ended.status, ended.out) == (0, f"{file}: 1 submission from 1 student\n"), ended.error
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with zipfile.ZipFile(file) as archive:
        assert len(files(archive)) == 1
    entry = AuditEntry.objects.get(action="submissions-downloaded")
    assert (entry.actor, entry.details["which"]) == (None, "the submission that counts for each student")
    assert shell("download_submissions", "autodiff", "value-engine", "--which", "all", "-o", tmp_path / "2.zip").status == 0


def test_the_command_overwrites_nothing_and_leaves_nothing_half(shell: Shell, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    nothing = shell("download_submissions", "autodiff", "value-engine", "-o", file)
    assert (nothing.status, file.exists()) == (1, False)
    assert nothing.error.startswith("There are no submissions")
    graded(cast, "ada", 4)
    file.write_text("mine")
    ended = shell("download_submissions", "autodiff", "value-engine", "-o", file)
    assert (ended.status, file.read_text()) == (1, "mine")
    assert "will not be overwritten" in ended.error
    assert not AuditEntry.objects.filter(action="submissions-downloaded").exists()
    assert shell("download_submissions", "autodiff", "value-engine", "-o", tmp_path / "no" / "x.zip").status == 1
