"""The export page reports unmatched students before it offers a file; the import page fills in ids."""

import csv
import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from autograder.courses.models import AuditEntry, Membership, Role, Section, User
from autograder.gradebook.exports import EXPORTS
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.web.conftest import browser_of, member

pytestmark = pytest.mark.django_db

BLACKBOARD = (
    b'"Last Name","First Name","Username","value-engine [Total Pts: 10 Score] |71"\r\n'
    b'"","","ada",""\r\n"","","ben","3.00"\r\n'
)
CANVAS = b"Student,ID,SIS User ID,SIS Login ID,Section\r\nAda,501,S-1,ada,Mon\r\nNobody,502,S-2,nobody,Mon\r\n"


@pytest.fixture(autouse=True)
def grades(cast: Cast) -> None:
    graded(cast, "ada", 7.5)
    graded(cast, "ben", 4)


def asked(cast: Cast, who: User | None = None, *, get: bool = False, **fields: Any) -> Any:
    browser, address = browser_of(who or cast.owner), reverse("export", args=(cast.course.slug,))
    response: Any = browser.get(address, fields) if get else browser.post(address, fields)
    return response


def text(response: Any) -> str:
    assert response.status_code == 200
    assert "Content-Disposition" not in response
    return str(response.content.decode())


def file(response: Any) -> list[list[str]]:
    assert response["Content-Disposition"].startswith("attachment; filename=")
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))


def template() -> SimpleUploadedFile:
    return SimpleUploadedFile("gc.csv", BLACKBOARD, "text/csv")


# -- the file -------------------------------------------------------------------------------------------------------------


def test_a_file_for_people(cast: Cast) -> None:
    response = asked(cast, format="csv", do="download")
    assert response["Content-Disposition"] == 'attachment; filename="autodiff-csv.csv"'
    assert [row[0] for row in file(response)] == ["login", "ada", "ben"]
    assert AuditEntry.objects.filter(action="grades-exported", actor=cast.owner).count() == 1


def test_the_same_by_its_address(cast: Cast) -> None:
    assert len(file(asked(cast, get=True, format="csv", do="download"))) == 3


def test_every_format_leaves(cast: Cast) -> None:
    Membership.objects.filter(user__username="ada").update(lms_id="501", sis_id="S-1")
    Membership.objects.filter(user__username="ben").update(lms_id="502", sis_id="S-2")
    for name in ("ada", "ben"):
        User.objects.filter(username=name).update(email=f"{name}@example.org")
    for name, to in EXPORTS.items():
        more: dict[str, Any] = {
            "class_id": "c1",
            "grading_period": "g1",
            "template": template(),
            "identity": "",
        }
        if name in ("moodle", "brightspace"):
            more["identity"] = str(to.identities[0])
        response = asked(cast, format=name, do="download", **more)
        assert response.get("Content-Disposition") == f'attachment; filename="autodiff-{name}.{to.extension}"', name


def test_who_cannot_be_matched_is_told_before_there_is_a_file(cast: Cast) -> None:
    Membership.objects.filter(user__username="ada").update(lms_id="501")
    for do in ("check", "download"):
        html = text(asked(cast, format="canvas", identity="lms", do=do))
        assert "1 of 2 students cannot be matched" in html
        assert "has no LMS ID" in html
    assert not AuditEntry.objects.filter(action="grades-exported").exists()
    rows = file(asked(cast, format="canvas", identity="lms", do="download", skip_unmatched="on"))
    assert "501" in rows[-1]
    assert not any("502" in row for row in rows)


def test_a_check_that_finds_nothing_says_so(cast: Cast) -> None:
    assert "all 2 students can be matched" in text(asked(cast, get=True, format="brightspace", identity="login"))


def test_exercises_and_a_section_are_chosen(cast: Cast) -> None:
    cast.assign("fn-cubic", position=2)
    section = Section.objects.create(course=cast.course, name="Mon")
    member(cast, "ada", Role.STUDENT, section)
    rows = file(asked(cast, format="csv", do="download", assignment=["fn-cubic"], section=section.pk))
    assert [row[0] for row in rows] == ["login", "ada"]
    assert "value-engine" not in rows[0]


def test_blackboard_fills_the_file_that_was_downloaded_there(cast: Cast) -> None:
    assert "Blackboard needs a file that was downloaded" in text(asked(cast, format="blackboard", do="download"))
    rows = file(asked(cast, format="blackboard", do="download", template=template()))
    assert [row[-1] for row in rows[1:]] == ["7.50", "4.00"]


def test_what_stands_against_it_is_said(cast: Cast) -> None:
    assert "needs the sourcedId of the class." in text(asked(cast, format="oneroster", do="download"))
    assert "can identify students by" in text(asked(cast, format="blackboard", identity="email", template=template()))
    assert "Select a valid choice" in text(asked(cast, format="nonsense", do="download"))
    wrong = SimpleUploadedFile("gc.csv", b"a,b\r\n1\r\n", "text/csv")
    assert "Line 2 of the file from Blackboard has 1 column" in text(
        asked(cast, format="blackboard", do="download", template=wrong)
    )


def test_an_assistant_of_a_section_exports_that_section(cast: Cast) -> None:
    own, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, own)
    member(cast, "ben", Role.STUDENT, other)
    ann = member(cast, "ann", Role.ASSISTANT, own).user
    assert [row[0] for row in file(asked(cast, ann, format="csv", do="download"))] == ["login", "ada"]
    assert asked(cast, ann, format="csv", do="download", section=other.pk).status_code == 404


# -- importing ids


def imported(cast: Cast, data: bytes = CANVAS) -> str:
    upload = SimpleUploadedFile("canvas.csv", data, "text/csv")
    response = browser_of(cast.owner).post(reverse("import-lms-ids", args=(cast.course.slug,)), {"file": upload})
    return str(response.content.decode())


def sealed(html: str) -> str:
    return html.partition('name="read" value="')[2].partition('"')[0]


def commit(cast: Cast, read: str, **more: str) -> str:
    address = reverse("import-lms-ids", args=(cast.course.slug,))
    return str(browser_of(cast.owner).post(address, {"read": read} | more, follow=True).content.decode())


def ids(cast: Cast) -> tuple[str, str]:
    ada = cast.membership("ada")
    return ada.lms_id, ada.sis_id


def test_first_the_fate_of_every_row_then_the_ids(cast: Cast) -> None:
    html = imported(cast)
    assert "Canvas, 2 rows" in html
    assert "LMS ID none → 501" in html
    assert "not in the course" in html
    assert "Not in the file: ben" in html
    assert ids(cast) == ("", "")
    assert "IDs of 1 student filled in from Canvas." in commit(cast, sealed(html))
    assert ids(cast) == ("501", "S-1")


def test_with_a_bad_row_nothing_unless_the_good_are_enough(cast: Cast) -> None:
    html = imported(cast, CANVAS + b"Ben,501,S-3,ben,Mon\r\n")
    assert "The LMS ID 501 is already on line 2." in html
    assert "Nothing was imported." in commit(cast, sealed(html))
    assert ids(cast) == ("", "")
    commit(cast, sealed(html), only_good="1")
    assert ids(cast) == ("501", "S-1")


def test_what_was_changed_on_the_way_or_is_of_another_course_is_not_taken(cast: Cast) -> None:
    read = sealed(imported(cast))
    assert "This preview has expired" in commit(cast, read[:-2] + "xx")
    other = Cast(slug="other", exercise="value-unary")
    assert "belongs to another course" in commit(other, read)
    assert ids(cast) == ("", "")


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", b"a,b\r\n1,2\r\n", b"\x00" * 10])
def test_what_is_no_download_is_refused_at_the_field(cast: Cast, data: bytes) -> None:
    html = imported(cast, data)
    assert 'class="why"' in html
    assert 'name="read"' not in html
