"""Importing a roster in the browser: a preview of every row, then all or nothing."""

import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from autograder.courses.models import AuditEntry, Membership, Role, User
from autograder.courses.tables import csv_reader
from tests.cast import Cast
from tests.courses.tables.workbooks import by_hand, written
from tests.web.conftest import Signed, member

PLAIN = 'login,email,name,section\nada,ada@example.org,Ada Lovelace,Monday\nbad login,,,\nzoe,,"O\'Hara, Zoë",\n'


@pytest.fixture
def ines(cast: Cast, signed: Signed) -> Client:
    member(cast, "ines", Role.INSTRUCTOR)
    return signed("ines")


def where(cast: Cast) -> str:
    return reverse("roster", args=(cast.course.slug,))


def preview(cast: Cast, browser: Client, text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    response = browser.post(where(cast), {"file": SimpleUploadedFile("roster.csv", data)})
    return unescape(response.content.decode())


def decided(cast: Cast, browser: Client, shown: str, **sent: str) -> str:
    """Commit the preview and return the response page."""
    found = re.search(r'name="kept" value="([^"]+)"', shown)
    assert found is not None
    answer = browser.post(where(cast), {"act": "import", "kept": found[1]} | sent, follow=True)
    return unescape(answer.content.decode())


def logins(cast: Cast) -> set[str]:
    students = Membership.objects.filter(course=cast.course, role=Role.STUDENT, removed_at=None)
    return set(students.values_list("user__username", flat=True))


def test_the_preview_tells_every_rows_fate_and_stores_nothing(cast: Cast, ines: Client) -> None:
    shown = preview(cast, ines, PLAIN)
    assert "3 rows: 2 new, 0 changed, 0 unchanged, 1 cannot be imported." in shown
    assert "The login 'bad login' can contain only letters" in shown
    assert shown.index("bad login") < shown.index("ada@example.org" if "ada@example.org" in shown else "Ada Lovelace")
    assert not User.objects.filter(username="ada").exists()


def test_the_account_that_has_an_e_mail_is_added_when_asked_for(cast: Cast, ines: Client) -> None:
    User.objects.create_user("ada", "ada@example.org")
    shown = preview(cast, ines, "login,email\nlovelace,ada@example.org\nben,ben@example.org\n")
    assert "belongs to another account of this site" in shown
    assert "1 row cannot be imported because the email address belongs to an existing account: add that account" in shown
    assert "lovelace" not in decided(cast, ines, shown, only_good="yes", by_email="yes")
    assert logins(cast) == {"ada", "ben"}


def test_a_good_roster_is_imported_whole(cast: Cast, ines: Client) -> None:
    shown = preview(cast, ines, "login,section\nada,Monday\nben,Monday\n")
    assert "Import all rows" in shown
    assert "The roster was imported: 2 new, 0 changed." in decided(cast, ines, shown)
    assert logins(cast) == {"ada", "ben"}
    assert AuditEntry.objects.get(action="roster-imported").actor == User.objects.get(username="ines")


def test_with_a_bad_row_nothing_is_imported_until_it_is_left_out(cast: Cast, ines: Client) -> None:
    shown = preview(cast, ines, PLAIN)
    assert "Import all rows" not in shown
    assert "Nothing was imported. Line 3" in decided(cast, ines, shown)
    assert logins(cast) == set()
    assert "2 new, 0 changed, 1 left out." in decided(cast, ines, shown, only_good="yes")
    assert logins(cast) == {"ada", "zoe"}
    assert User.objects.get(username="zoe").last_name == "O'Hara"


def test_a_row_that_cannot_be_read_at_all_stays_bad(cast: Cast, ines: Client) -> None:
    shown = preview(cast, ines, "login,section\nada,Monday\nben\n")
    assert "The row has 1 column, but the header has 2." in shown
    assert "1 new, 0 changed, 1 left out." in decided(cast, ines, shown, only_good="yes")


def test_the_rows_are_judged_again_when_they_are_imported(cast: Cast, ines: Client) -> None:
    shown = preview(cast, ines, "login,sis_id\nada,S1\n")
    ben = cast.membership("ben")
    ben.sis_id = "S1"
    ben.save()
    assert "Nothing was imported. Line 2: The SIS ID S1 belongs to ben." in decided(cast, ines, shown)


@pytest.mark.parametrize("spoil", ["other person", "other course", "changed", "old"])
def test_a_preview_is_good_for_one_person_one_course_and_an_hour(
    cast: Cast, ines: Client, signed: Signed, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, browser, target = preview(cast, ines, "login\nada\n"), ines, cast
    if spoil == "other person":
        browser = signed(cast.owner.username)
    elif spoil == "other course":
        target = Cast(slug="elsewhere", exercise="value-unary")
        Membership.objects.create(course=target.course, user=User.objects.get(username="ines"), role=Role.OWNER)
    elif spoil == "changed":
        shown = shown.replace('name="kept" value="', 'name="kept" value="x')
    else:
        monkeypatch.setattr("autograder.web.staff.signed_previews.GOOD_FOR", -1)
    assert "Nothing was imported. Choose the file again." in decided(target, browser, shown)
    assert not User.objects.filter(username="ada").exists()


@pytest.mark.parametrize(
    ("program", "text", "login"),
    [
        (
            "Canvas",
            "Student,ID,SIS User ID,SIS Login ID,Section,ReLU (4711)\n    Points Possible,,,,,10\n"
            "\"O'Hara, Bo\",1234,S-0002,bohara,AG101,8.5\n\"Student, Test\",99,,abc,AG101,\n",
            "bohara",
        ),
        ("Moodle", "First name,Last name,ID number,Email address,Groups\nBo,O'Hara,S-0002,bo@x.org,AG101\n", "bo@x.org"),
        ("Gradescope", "First Name,Last Name,SID,Email,Sections,Role\nBo,O'Hara,S-0002,BO@x.org,AG101,TA\n", "bo@x.org"),
        ("Brightspace", "OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n#S-0002,#bohara,O'Hara,Bo,#\n", "bohara"),
        ("Blackboard", '"Last Name"\t"First Name"\t"Username"\t"Student ID"\n"O\'Hara"\t"Bo"\t"bohara"\t"S-0002"\n', "bohara"),
    ],
)  # fmt: skip
def test_lists_of_other_programs_are_recognised(cast: Cast, ines: Client, program: str, text: str, login: str) -> None:
    shown = preview(cast, ines, text)
    assert f"read as a list from {program}" in shown
    assert "1 new, 0 changed" in decided(cast, ines, shown)
    found = Membership.objects.select_related("user", "section").get(sis_id="S-0002")
    assert (found.user.username, found.user.first_name, found.user.last_name) == (login, "Bo", "O'Hara")
    assert found.role == (Role.ASSISTANT if program == "Gradescope" else Role.STUDENT)
    if program == "Canvas":
        assert found.lms_id == "1234"


def test_a_workbook_is_read_and_its_sheets_are_named(cast: Cast, ines: Client) -> None:
    data = written({"Notes": [["x"]], "Students & co": [["login", "section"], [1234, "Monday"]], "Old": [["y"]]})
    shown = preview(cast, ines, data)
    assert "read as a plain list, sheet <bdi>Students & co</bdi>" in shown
    assert "Other sheets with data were not read: <bdi>Notes</bdi>, <bdi>Old</bdi>." in shown
    assert "The roster was imported: 1 new, 0 changed." in decided(cast, ines, shown)
    assert logins(cast) == {"1234"}


def test_a_hostile_workbook_is_refused_at_the_field(cast: Cast, ines: Client) -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    shown = preview(cast, ines, by_hand("", parts={"xl/workbook.xml": entities}))
    assert "contains a document type" in shown.partition('id="id_file_error"')[2].partition("</p>")[0]


def test_a_list_by_e_mail_finds_the_account_that_has_it(cast: Cast, ines: Client) -> None:
    User.objects.create_user("bohara", "Bo@x.org")
    decided(cast, ines, preview(cast, ines, "First name,Last name,Email address\nBo,O'Hara,bo@x.org\n"))
    assert logins(cast) == {"bohara"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"login\nBj\xf6rn\n", "is not UTF-8: line 2"),
        (b"shoe size\n38\n", "has no header with the column 'login'"),
        (b" ", "The roster is empty."),
        (b"", "The submitted file is empty."),
    ],
)
def test_a_file_that_is_no_roster_is_refused_at_its_field(cast: Cast, ines: Client, data: bytes, words: str) -> None:
    _, _, after = preview(cast, ines, data).partition('id="id_file_error"')
    assert words in after.partition("</p>")[0]


def test_an_oversized_file_is_refused_without_being_read(cast: Cast, ines: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "MAX_BYTES", 10)
    monkeypatch.setattr(csv_reader, "decoded", lambda data: pytest.fail("it was read"))
    assert "which is too large for a list of people" in preview(cast, ines, PLAIN)


def test_names_in_a_file_are_escaped_on_the_page(cast: Cast, ines: Client) -> None:
    response = ines.post(where(cast), {"file": SimpleUploadedFile("r.csv", b"login,name\n<b>ada</b>,<i>Ada</i>\n")})
    assert b"<b>ada</b>" not in response.content
    assert b"<i>Ada</i>" not in response.content


def test_a_class_of_five_thousand_fits_into_the_page(cast: Cast, ines: Client) -> None:
    rows = "".join(
        f"student{n},student{n}@university.example,First{n} Last{n},Section {n % 40},{n:08}\n" for n in range(5000)
    )
    shown = preview(cast, ines, "login,email,name,section,sis_id\n" + rows)
    assert "5000 rows: 5000 new" in shown
    kept = re.search(r'name="kept" value="([^"]+)"', shown)
    assert kept is not None and len(kept[1]) < 900_000
