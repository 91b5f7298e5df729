"""`manage.py course`: setting up a course on the command line."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from autograder.courses.models import Assignment, AuditEntry, Course, Membership, Role, User
from autograder.courses.rights import OPERATOR
from autograder.gradebook.decisions.criteria import NewCriterion, criteria_set
from tests.cast import Cast, version_of
from tests.commands import Shell
from tests.courses.tables.workbooks import written

pytestmark = pytest.mark.django_db


@pytest.fixture
def course() -> Course:
    version_of("value-engine")
    return Course.objects.create(slug="autodiff", title="Autodiff", time_zone="Europe/Berlin")


def roster(tmp_path: Path, *rows: str) -> Path:
    file = tmp_path / "roster.csv"
    file.write_text("\n".join(["login,email,section,shoes", *rows]) + "\n")
    return file


def test_create(shell: Shell) -> None:
    User.objects.create_user("grace")
    created = shell("course", "create", "autodiff", "--title", "Autodiff", "--owner", "grace", "--supersedes")
    assert (created.status, created.out) == (0, "Created Autodiff (autodiff)\n")
    course = Course.objects.get()
    assert course.supersedes
    assert Membership.objects.get(course=course).role == Role.OWNER


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "autodiff", "--title", "Again"), "A course 'autodiff' already exists."),
        (("create", "new", "--title", "New", "--owner", "nobody"), "There is no account 'nobody'."),
        (("show", "audotiff"), "There is no course 'audotiff'. Existing courses: autodiff."),
        (("assign", "autodiff", "value-motor"), "There is no exercise 'value-motor'. Loaded exercises: value-engine."),
        (("assign", "autodiff", "value-engine", "--policy", "worst"), "There is no policy 'worst'."),
    ],
)
def test_what_is_refused_is_one_line_and_status_1(
    shell: Shell, course: Course, arguments: tuple[str, ...], words: str
) -> None:
    ended = shell("course", *arguments)
    assert (ended.status, ended.out) == (1, "")
    assert ended.error.startswith(words)
    assert "\n" not in ended.error


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("create", "autodiff"),
        ("assign", "autodiff", "value-engine", "--due", "tomorrow"),
        ("assign", "autodiff", "value-engine", "--points", "nan"),
        ("assign", "autodiff", "value-engine", "--attempts", "0"),
        ("assign", "autodiff", "value-engine", "--show-hidden", "sometimes"),
        ("roster", "autodiff", "no-such-file.csv"),
    ],
)
def test_a_wrong_call_has_status_2(shell: Shell, course: Course, arguments: tuple[str, ...]) -> None:
    assert shell("course", *arguments).status == 2


# -- roster


def test_a_roster_is_imported_and_every_fate_told(shell: Shell, course: Course, tmp_path: Path) -> None:
    ended = shell("course", "roster", "autodiff", roster(tmp_path, "ada,ada@example.org,Monday,38", "ben,,,"))
    assert ended.status == 0
    assert ended.out.splitlines() == [
        "line 2: new      ada: will get an account",
        "line 3: new      ben: will get an account",
        "ignored columns: shoes",
        "2 rows: 2 new, 0 known, 0 changed, 0 bad; imported",
    ]
    assert course.memberships.count() == 2


def test_with_bad_rows_nothing_is_imported_and_the_status_is_1(shell: Shell, course: Course, tmp_path: Path) -> None:
    file = roster(tmp_path, "ada,,,", "\x1b[2Jben,,,", "cy,at home,,")
    ended = shell("course", "roster", "autodiff", file)
    assert ended.status == 1
    assert "line 3: bad      ?[2Jben: The login contains a control character. Delete it." in ended.out
    assert "line 4: bad      cy: 'at home' is not an email address." in ended.out
    assert ended.out.endswith("3 rows: 1 new, 0 known, 0 changed, 2 bad; nothing was imported\n")
    assert not course.memberships.exists()


def test_a_workbook_says_which_sheet_was_read(shell: Shell, course: Course, tmp_path: Path) -> None:
    file = tmp_path / "roster.xlsx"
    file.write_bytes(written({"Notes": [["x"]], "Students": [["login"], [1234]]}))
    ended = shell("course", "roster", "autodiff", file)
    assert ended.out.splitlines() == [
        "sheet read: Students; not read: Notes",
        "line 2: new      1234: will get an account",
        "1 rows: 1 new, 0 known, 0 changed, 0 bad; imported",
    ]


def test_a_damaged_workbook_is_refused_in_a_line(shell: Shell, course: Course, tmp_path: Path) -> None:
    file = tmp_path / "roster.xlsx"
    file.write_bytes(b"PK\x03\x04 and nothing else")
    ended = shell("course", "roster", "autodiff", file)
    assert (ended.status, "is damaged or not an Excel workbook" in ended.error) == (1, True)


def test_only_the_good_rows(shell: Shell, course: Course, tmp_path: Path) -> None:
    ended = shell("course", "roster", "autodiff", roster(tmp_path, "ada,,,", ",,,x"), "--only-good")
    assert (ended.status, ended.out.splitlines()[-1]) == (0, "2 rows: 1 new, 0 known, 0 changed, 1 bad; imported")
    assert course.memberships.get().user.username == "ada"


def test_a_dry_run_stores_nothing(shell: Shell, course: Course, tmp_path: Path) -> None:
    ended = shell("course", "roster", "autodiff", roster(tmp_path, "ada,,,"), "--dry-run")
    assert (ended.status, ended.out.splitlines()[-1]) == (
        0,
        "1 rows: 1 new, 0 known, 0 changed, 0 bad; nothing was imported",
    )
    assert not User.objects.exists()


# -- assign and show


def test_assign(shell: Shell, course: Course) -> None:
    ended = shell(
        *("course", "assign", "autodiff", "value-engine", "--slug", "first", "--points", "12.5", "--opens", "2027-01-04"),
        *("--due", "2027-01-11T18:00", "--closes", "2027-01-12T00:00:00Z", "--policy", "best"),
        *("--late-share", "0.5", "--attempts", "5", "--cool-down", "10", "--show-hidden", "never"),
        "--no-explain-hidden",
    )
    said = "autodiff/first: A scalar engine: addition and multiplication, 12.5 points, due 2027-01-11 18:00\n"
    assert (ended.status, ended.out) == (0, said), ended.error
    made = Assignment.objects.get()
    assert made.opens_at == datetime(2027, 1, 3, 23, 0, tzinfo=UTC), "the beginning of the day in Berlin"
    assert made.due_at == datetime(2027, 1, 11, 17, 0, tzinfo=UTC)
    assert made.closes_at == datetime(2027, 1, 12, tzinfo=UTC)
    assert (made.late_share, made.attempt_limit, made.cool_down) == (Decimal("0.5"), 5, timedelta(minutes=10))
    assert (made.show_hidden, made.explain_hidden) == ("never", False)
    assert shell("course", "change", "autodiff", "first", "--explain-hidden").status == 0
    assert Assignment.objects.get().explain_hidden


def test_a_date_alone_is_due_at_its_end(shell: Shell, course: Course) -> None:
    shell("course", "assign", "autodiff", "value-engine", "--due", "2027-01-11")
    assert Assignment.objects.get().due_at == datetime(2027, 1, 11, 22, 59, 59, tzinfo=UTC)


def test_exercises_are_shown_in_the_order_of_the_course(shell: Shell, course: Course) -> None:
    for slug in ("vjp-matmul", "graph-walk", "value-engine"):
        version_of(slug)
        shell("course", "assign", "autodiff", slug)
    out = shell("course", "show", "autodiff").out
    assert [line.split(":")[0].strip() for line in out.splitlines() if " points, version " in line] == [
        "value-engine",
        "graph-walk",
        "vjp-matmul",
    ]


def test_show(shell: Shell) -> None:
    cast = Cast(settings={"due_at": datetime(2027, 1, 11, 18, 0, tzinfo=UTC)})
    cast.hands_in("ada")
    out = shell("course", "show", "autodiff").out
    assert "Autodiff  autodiff · UTC" in out
    assert "1 student, 1 owner" in out
    version = cast.assignment.exercise_version.hash
    assert (
        f"  value-engine: value-engine, 10 points, version {version}, 1 submission\n    due 2027-01-11 18:00; best\n" in out
    )


def test_show_names_the_criteria(shell: Shell) -> None:
    cast = Cast()
    wanted = [NewCriterion("Style", Decimal("2.5")), NewCriterion("Tests", Decimal(1))]
    criteria_set(assignment=cast.assignment, by=OPERATOR, criteria=wanted)
    assert "    3.5 points given by hand: Style 2.5, Tests 1\n" in shell("course", "show", "autodiff").out


def test_a_title_is_shown_as_it_is(shell: Shell) -> None:
    Course.objects.create(slug="odd", title="x[i] and [/y]")
    assert shell("course", "show", "odd").out.startswith("x[i] and [/y]  odd · UTC\n")


# -- change, extend, role and remove


def audited() -> list[str]:
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def test_what_is_named_changes_and_the_rest_stays(shell: Shell) -> None:
    cast = Cast(settings={"attempt_limit": 5, "policy": "last", "closes_at": datetime(2027, 1, 20, tzinfo=UTC)})
    ended = shell(
        *("course", "change", "autodiff", "value-engine", "--due", "2027-01-11", "--late-share", "0.5"),
        *("--cool-down", "3", "--without", "attempts"),
    )
    said = "autodiff/value-engine: attempt_limit, cool_down, due_at, late_share set\n"
    assert (ended.status, ended.out) == (0, said), ended.error
    changed = Assignment.objects.get(pk=cast.assignment.pk)
    assert (changed.due_at, changed.attempt_limit) == (datetime(2027, 1, 11, 23, 59, 59, tzinfo=UTC), None)
    assert (changed.late_share, changed.cool_down) == (Decimal("0.5"), timedelta(minutes=3))
    assert (changed.policy, changed.closes_at) == ("last", datetime(2027, 1, 20, tzinfo=UTC))
    assert audited()[-1] == "assignment-changed"


def test_an_extension_is_granted_and_withdrawn(shell: Shell) -> None:
    cast = Cast()
    ada = cast.membership("ada")
    extend = ("course", "extend", "autodiff", "value-engine", "ada", "--reason", "ill")
    granted = shell(*extend, "--due", "2027-01-11", "--attempts", "2")
    assert (granted.status, granted.out) == (0, "ada now has an extension for value-engine\n"), granted.error
    extension = ada.extensions.get()
    assert (extension.due_at, extension.extra_attempts) == (datetime(2027, 1, 11, 23, 59, 59, tzinfo=UTC), 2)
    assert (extension.granted_by, extension.reason) == (cast.owner, "ill")
    assert shell(*extend, "--withdraw").out == "ada no longer has an extension for value-engine\n"
    assert not ada.extensions.exists()
    assert audited()[-2:] == ["extension-granted", "extension-withdrawn"]
    again = shell(*extend, "--withdraw")
    assert (again.status, again.error) == (1, "ada has no extension for value-engine.")


def test_a_member_gets_another_role_and_is_removed(shell: Shell) -> None:
    ada = Cast().membership("ada")
    assert shell("course", "role", "autodiff", "ada", "assistant").out == "The role of ada in autodiff is now assistant\n"
    assert shell("course", "remove", "autodiff", "ada").out == "ada is no longer a member of autodiff; all work is kept\n"
    ada.refresh_from_db()
    assert ada.role == Role.ASSISTANT
    assert ada.removed_at is not None
    assert audited()[-2:] == ["role-changed", "member-removed"]
    assert shell("course", "remove", "autodiff", "ada").error == "ada is not a member of Autodiff."


def test_the_last_owner_stays(shell: Shell) -> None:
    Cast()
    assert shell("course", "remove", "autodiff", "autodiff-grace").status == 1
    assert shell("course", "role", "autodiff", "autodiff-grace", "student").status == 1


def test_work_graded_outside_is_added_and_shown(shell: Shell, cast: Cast) -> None:
    ended = shell(
        "course", "outside", "autodiff", "Midterm exam", "--points", "20", "--unit", "Exams", "--due", "2031-01-15"
    )
    said = "autodiff/midterm-exam: Midterm exam, 20 points, due 2031-01-15 23:59, graded outside\n"
    assert (ended.status, ended.out) == (0, said), ended.error
    assert (
        "  midterm-exam: Midterm exam, 20 points, graded outside, due 2031-01-15 23:59"
        in shell("course", "show", "autodiff").out
    )
    ended = shell("course", "outside", "autodiff", "Another", "--points", "20", "--slug", "midterm-exam")
    assert (ended.status, ended.error) == (1, "An assignment 'midterm-exam' already exists in Autodiff.")
    assert shell("course", "change", "autodiff", "midterm-exam", "--points", "25").status == 0
    ended = shell("course", "change", "autodiff", "midterm-exam", "--attempts", "3")
    assert ended.error.startswith("Midterm exam is graded outside Gradus, so it has no attempt limit.")
