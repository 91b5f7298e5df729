"""Ids from an LMS export are filled in only if all columns of a row match the same student."""

import pytest

from autograder.courses.errors import Refused
from autograder.courses.importers.lms_ids import LmsIdsPreview, lms_ids_import, lms_ids_preview
from autograder.courses.models import AuditEntry, Course, Membership
from autograder.courses.rights import OPERATOR
from tests.cast import Cast, ago

pytestmark = pytest.mark.django_db

CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,ReLU (4711)\n    Points Possible,,,,,10.00\n"
MOODLE = "First name,Last name,ID number,Email address,ReLU (Real),Last downloaded from this course\n"


@pytest.fixture
def course() -> Course:
    """Ada and Zoë, with email addresses and without ids."""
    cast = Cast()
    for name in ("ada", "zoe"):
        user = cast.student(name)
        user.email = f"{name}@example.org"
        user.save()
    return cast.course


def read(text: str, course: Course) -> LmsIdsPreview:
    return lms_ids_preview(text.encode(), course)


def statuses(text: str, course: Course) -> list[tuple[int, str, str]]:
    return [(row.line, str(row.status), row.message) for row in read(text, course).rows]


def ids(course: Course, login: str) -> tuple[str, str]:
    member = Membership.objects.get(course=course, user__username=login)
    return member.lms_id, member.sis_id


def give(course: Course, login: str, **changed: str) -> None:
    Membership.objects.filter(course=course, user__username=login).update(**changed)


# -- filled in


def test_a_download_from_canvas(course: Course) -> None:
    text = CANVAS + '"O\'Hara, Zoë",1234,S-0002,zoe,Monday,8.50\nAda,1235,,ADA@example.org,"A, B",\n'
    assert statuses(text, course) == [
        (3, "filled", "zoe: LMS ID none → 1234; zoe: SIS ID none → S-0002"),
        (4, "filled", "ada: LMS ID none → 1235"),
    ]
    applied = lms_ids_import(preview=read(text, course), by=OPERATOR)
    assert (ids(course, "zoe"), ids(course, "ada")) == (("1234", "S-0002"), ("1235", ""))
    assert applied.source == "Canvas"
    assert AuditEntry.objects.filter(action="member-changed").count() == 2
    entry = AuditEntry.objects.get(action="ids-imported")
    assert entry.details == {"source": "Canvas", "filled": 2, "known": 0, "stranger": 0, "bad": 0}


def test_a_download_from_moodle(course: Course) -> None:
    text = MOODLE + "Zoë,O'Hara,S-0002,ZOE@example.org,8.50,1790000000\nAda,Lovelace,,ada@example.org,-,1790000000\n"
    lms_ids_import(preview=read(text, course), by=OPERATOR)
    assert (ids(course, "zoe"), ids(course, "ada")) == (("", "S-0002"), ("", ""))


def test_somebody_is_found_by_an_id_that_is_known(course: Course) -> None:
    give(course, "zoe", sis_id="S-0002")
    assert statuses(CANVAS + "Zoë,1234,S-0002,,,\n", course) == [(3, "filled", "zoe: LMS ID none → 1234")]


def test_importing_again_changes_nothing(course: Course) -> None:
    text = CANVAS + "Zoë,1234,S-0002,zoe,,\n"
    lms_ids_import(preview=read(text, course), by=OPERATOR)
    entries = AuditEntry.objects.filter(action="member-changed").count()
    assert statuses(text, course) == [(3, "known", "")]
    lms_ids_import(preview=read(text, course), by=OPERATOR)
    assert AuditEntry.objects.filter(action="member-changed").count() == entries


def test_a_new_id_takes_the_place_of_the_old_and_an_empty_cell_says_nothing(course: Course) -> None:
    give(course, "zoe", lms_id="1", sis_id="S-0002")
    text = CANVAS + "Zoë,2,,zoe,,\n"
    assert statuses(text, course) == [(3, "filled", "zoe: LMS ID 1 → 2")]
    lms_ids_import(preview=read(text, course), by=OPERATOR)
    assert ids(course, "zoe") == ("2", "S-0002")


def test_reading_stores_nothing(course: Course) -> None:
    read(CANVAS + "Zoë,1234,S-0002,zoe,,\n", course)
    assert ids(course, "zoe") == ("", "")


def test_rows_that_are_about_nobody(course: Course) -> None:
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,ReLU\n,,,,,Manual Posting\n    Points Possible,,,,,10\nZoë,1,,zoe,,\n"
    )
    assert [row.line for row in read(text, course).rows] == [4]


def test_who_is_not_in_the_course_and_who_is_not_in_the_file(course: Course) -> None:
    found = read(CANVAS + '"Student, Test",99,,b7e1,,\nZoë,1234,,zoe,,\n', course)
    assert [(str(row.status), row.person) for row in found.rows] == [("stranger", "Student, Test"), ("filled", "Zoë")]
    assert found.absent == ("ada",)


def test_spreadsheets_save_it_otherwise(course: Course) -> None:
    data = (CANVAS + "Zoë,1234,S-0002,zoe,,\n").replace(",", "\t").encode("utf-16")
    lms_ids_import(preview=lms_ids_preview(data, course), by=OPERATOR)
    assert ids(course, "zoe") == ("1234", "S-0002")


# -- bad rows


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("Zoë,1,S-A,zoe,,", "login zoe belongs to zoe, SIS ID S-A belongs to ada."),
        ("Zoë,7,,zoe,,", "login zoe belongs to zoe, LMS ID 7 belongs to ada."),
        ("Zoë,=1+1,,zoe,,", "The LMS ID starts with =, so spreadsheets would treat it as a formula."),
        ('Zoë,"1\n2",,zoe,,', "The LMS ID contains a control character. Delete it."),
        ("Zoë,1," + "x" * 101 + ",zoe,,", "The SIS ID has 101 characters; at most 100 are allowed."),
        ("Zoë,1,zoe,,", "The row has 5 columns, but the header has 6."),
        ('Zoë,"1"2,,zoe,,', "The row is not valid CSV"),
    ],
)
def test_a_bad_row_has_its_reason(course: Course, row: str, words: str) -> None:
    give(course, "ada", lms_id="7", sis_id="S-A")
    ((line, fate, said),) = statuses(CANVAS + row + "\n", course)
    assert (line, fate) == (3, "bad")
    assert words in said


def test_the_same_student_or_id_twice(course: Course) -> None:
    assert statuses(CANVAS + "Zoë,1,,zoe,,\nZoë,2,,zoe,,\nAda,1,,ada,,\n", course)[1:] == [
        (4, "bad", "This row is for zoe, who is already on line 3."),
        (5, "bad", "The LMS ID 1 is already on line 3."),
    ]


def test_with_a_bad_row_nothing_is_imported(course: Course) -> None:
    found = read(CANVAS + "Zoë,1,,zoe,,\nAda,=2,,ada,,\n", course)
    with pytest.raises(Refused, match=r"^Nothing was imported. Line 4: The LMS ID starts with ="):
        lms_ids_import(preview=found, by=OPERATOR)
    assert ids(course, "zoe") == ("", "")
    assert not AuditEntry.objects.exists()


def test_only_the_good_rows_if_told_so(course: Course) -> None:
    lms_ids_import(preview=read(CANVAS + "Zoë,1,,zoe,,\nAda,=2,,ada,,\n", course), by=OPERATOR, only_good=True)
    assert (ids(course, "zoe"), ids(course, "ada")) == (("1", ""), ("", ""))


def test_what_happened_between_reading_and_importing_counts(course: Course) -> None:
    found = read(CANVAS + "Zoë,1,,zoe,,\n", course)
    give(course, "ada", lms_id="1")
    with pytest.raises(Refused, match="LMS ID 1 belongs to ada"):
        lms_ids_import(preview=found, by=OPERATOR)


def test_who_left_keeps_her_ids_and_takes_nobody_elses(course: Course) -> None:
    give(course, "ada", lms_id="1", removed_at=str(ago(days=1)))
    assert statuses(CANVAS + "Zoë,1,,zoe,,\n", course) == [(3, "filled", "zoe: LMS ID none → 1")]


# -- files that are not exports


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The file is empty"),
        (CANVAS, "a header but no rows"),
        ("login,points\nada,3\n", "has no header with the columns of a gradebook from Canvas .* or Moodle"),
        ("Student,ID,ID,Section\nZoë,1,2,A\n", "the column 'id' twice"),
        ('"Student', "The file has an unreadable header on line 1: The row is not valid CSV"),
        (MOODLE + "A,B,,x@example.org,-,1\n" * 5_001, "more than 5,000 rows"),
    ],
)
def test_a_file_that_is_no_download(course: Course, text: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        read(text, course)


def test_a_file_that_is_too_large(course: Course) -> None:
    with pytest.raises(Refused, match="The file is larger than 50 MB"):
        lms_ids_preview(b"x" * 50_000_001, course)
