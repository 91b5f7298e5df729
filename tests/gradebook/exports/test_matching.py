"""Unmatched students are reported before a file is created, and values that an LMS would misread are never written."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.gradebook.exports import EXPORTS, Identity, Options
from autograder.gradebook.grades.sheet import GradeCell, GradeSheet, StudentRow
from tests.gradebook.exports.cast import ADA, CUBE, LINK, ONEROSTER, OPTIONS, RELU, ZOE, of_one, small
from tests.gradebook.exports.test_golden import DOWNLOADED, FILLED

LMS = [name for name, export in EXPORTS.items() if export.identities]


def told(
    name: str, sheet: GradeSheet, identity: Identity | None = None, template: bytes | None = None
) -> list[tuple[str, str]]:
    options = replace(OPTIONS, identity=identity, template=template)
    return [(one.student.login, one.reason) for one in EXPORTS[name].unmatched(sheet, options)]


def named(student: StudentRow, field: str, value: str) -> StudentRow:
    changed: dict[str, Any] = {field: value}
    return replace(student, **changed)


def refusal(name: str, sheet: GradeSheet, options: Options = OPTIONS) -> str:
    with pytest.raises(Refused) as refused:
        EXPORTS[name].refuse(sheet, options)
    return refused.value.message


# -- students


@pytest.mark.parametrize("name", LMS)
def test_everybody_of_the_small_course_can_be_matched(name: str) -> None:
    for identity in EXPORTS[name].identities:
        assert told(name, small(), identity, DOWNLOADED) == []


@pytest.mark.parametrize(
    ("name", "identity", "field", "words"),
    [
        ("canvas", "lms", "lms_id", "has no LMS ID"),
        ("canvas", "sis", "sis_id", "has no SIS ID"),
        ("moodle", "email", "email", "has no email"),
        ("moodle", "sis", "sis_id", "has no SIS ID"),
        ("brightspace", "sis", "sis_id", "has no SIS ID"),
        ("blackboard", "sis", "sis_id", "has no SIS ID"),
        ("oneroster", "sis", "sis_id", "has no SIS ID"),
        ("oneroster", "lms", "lms_id", "has no LMS ID"),
    ],
)
def test_who_has_no_id(name: str, identity: str, field: str, words: str) -> None:
    sheet = small(students=(ZOE, named(ADA, field, " "), named(LINK, field, "")))
    assert told(name, sheet, Identity(identity), DOWNLOADED) == [("ada", words), ("link", words)]


@pytest.mark.parametrize("name", ["canvas", "moodle", "brightspace", "blackboard", "oneroster"])
def test_an_id_shared_by_two_students_matches_nobody(name: str) -> None:
    sheet = small(students=(ZOE, ADA, replace(LINK, sis_id="s-0002")))
    assert told(name, sheet, Identity.SIS, DOWNLOADED) == [
        ("zohara", "SIS ID S-0002 is also used by link"),
        ("link", "SIS ID s-0002 is also used by zohara"),
    ]


@pytest.mark.parametrize(
    ("name", "identity", "value", "words"),
    [
        ("canvas", Identity.LMS, "12a", "LMS ID 12a is not a number; Canvas IDs are numbers"),
        ("canvas", Identity.LMS, "03", "LMS ID 03 would be read as the number 3"),
        ("canvas", Identity.LMS, "١٢", "LMS ID ١٢ is not a number; Canvas IDs are numbers"),
        ("canvas", Identity.SIS, "1.234.567", "SIS ID 1.234.567 would be read as the number 1234.567"),
        ("canvas", Identity.SIS, "12,5", "SIS ID 12,5 would be read as the number 12.5"),
        ("canvas", Identity.SIS, "77.", "SIS ID 77. would be read as the number 77"),
        ("canvas", Identity.SIS, "1.5", ""),
        ("moodle", Identity.LMS, "x1", "LMS ID x1 is not a number; Moodle IDs are numbers"),
        ("moodle", Identity.SIS, "0", "Moodle treats SIS ID 0 as no ID"),
        ("brightspace", Identity.SIS, " 7", "SIS ID ' 7' begins or ends with a space"),
        ("brightspace", Identity.SIS, "7\n8", "SIS ID contains a control character"),
        ("brightspace", Identity.SIS, "=7", ""),
    ],
)
def test_an_id_that_would_be_read_as_another(name: str, identity: Identity, value: str, words: str) -> None:
    field = "lms_id" if identity == Identity.LMS else "sis_id"
    expected = [("ada", words)] if words else []
    assert told(name, small(students=(ZOE, named(ADA, field, value))), identity) == expected


def test_blackboard_knows_only_who_is_in_its_file() -> None:
    stranger = replace(ADA, membership_id=9, login="newcomer")
    assert told("blackboard", small(students=(ADA, stranger)), None, DOWNLOADED) == [
        ("newcomer", "login newcomer is not in the file")
    ]


@pytest.mark.parametrize(("name", "identity"), [("canvas", "email"), ("oneroster", "login"), ("brightspace", "lms")])
def test_an_identity_that_the_other_side_does_not_know(name: str, identity: str) -> None:
    with pytest.raises(Refused, match=r"cannot identify students by .*\. Use one of"):
        told(name, small(), Identity(identity))


@pytest.mark.parametrize("name", ["csv", "xlsx"])
def test_people_need_no_ids(name: str) -> None:
    assert told(name, small(students=(replace(ADA, email="", lms_id="", sis_id=""),))) == []


def test_canvas_leaves_out_second_ids_that_would_name_another() -> None:
    sheet = small(students=(ZOE, replace(ADA, sis_id=ZOE.sis_id)))
    rows = EXPORTS["canvas"].write(sheet, OPTIONS).decode().splitlines()
    assert [row.split(",")[-6:-2] for row in rows[2:]] == [["1234", "", "zohara", "Monday"], ["1236", "", "ada", "Thursday"]]


# -- titles and scores


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("canvas", "Backward (2)", "Canvas would read the number in brackets at the end as an assignment ID"),
        ("canvas", "Section", "Canvas uses this name for a column with student details"),
        ("canvas", "My Final Score", "Canvas uses this name for total columns"),
        ("canvas", "1,5", "Canvas would read it as the number 1.5"),
        ("brightspace", "a < b", "<, > and 'Points Grade'"),
        ("brightspace", "My Text Grade", "<, > and 'Points Grade'"),
    ],
)
def test_a_title_that_would_be_misread(name: str, title: str, words: str) -> None:
    said = refusal(name, of_one(ZOE, title=title))
    assert words in said
    assert f"'{title}'" in said
    assert "export without it." in said


@pytest.mark.parametrize("name", ["canvas", "moodle", "brightspace", "blackboard"])
def test_two_assignments_of_one_title(name: str) -> None:
    sheet = small(columns=(RELU, replace(CUBE, title=" relu Backward")))
    said = refusal(name, sheet, FILLED)
    assert "two have the title" in said
    assert "export one without the other" in said


@pytest.mark.parametrize("name", ["csv", "xlsx", "oneroster"])
def test_others_do_not_go_by_titles(name: str) -> None:
    EXPORTS[name].refuse(small(columns=(RELU, replace(CUBE, title=RELU.title))), OPTIONS)


def test_moodle_is_not_given_what_it_would_refuse() -> None:
    sheet = small(cells={(1, 11): GradeCell(Decimal("10.01")), (3, 12): GradeCell(Decimal(13))})
    assert "one score is above the maximum: O'Hara, Zoë has 10.01 of 10 in ReLU backward (and 1 more). Lower" in refusal(
        "moodle", sheet
    )


def test_brightspace_says_what_it_will_cut() -> None:
    sheet = small(cells={(1, 11): GradeCell(Decimal("10.01"))})
    (remark,) = EXPORTS["brightspace"].remarks(sheet, OPTIONS)
    assert remark == (
        "O'Hara, Zoë has 10.01 of 10 in ReLU backward: "
        'Brightspace reduces this to the maximum unless "Can Exceed" is on for the grade item'
    )


def test_a_student_whose_name_canvas_would_take_for_the_points() -> None:
    data = EXPORTS["canvas"].write(small(students=(replace(ADA, last_name="Points Possible"),)), OPTIONS)
    assert data.decode().splitlines()[-1].startswith("ada,1236,")


@pytest.mark.parametrize("name", ["canvas", "moodle", "brightspace", "oneroster", "xlsx"])
def test_a_title_that_cannot_be_seen_is_the_slug(name: str) -> None:
    seen, unseen = (EXPORTS[name].write(of_one(ZOE, title=title), ONEROSTER) for title in ("relu", "\x1b\n"))
    assert seen == unseen


# -- invalid Blackboard files


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("ReLU backward [", "ReLU ["), "has no column 'ReLU backward'"),
        (lambda text: text.replace("Essay [Total Pts: 20", "ReLU backward [Total Pts: 10"), "more than one column"),
        (lambda text: text.replace("Pts: 10 ", "Pts: 100 "), "worth 10 points here and 100 in Blackboard"),
        (lambda text: text.replace(" |534283", ""), "has no column 'ReLU backward'"),
        (lambda text: text.replace('"Username"', '"Benutzername"'), "has no column 'Username'"),
        (lambda text: text.replace('"guest"', '"Ada"'), "has Username Ada twice"),
        (lambda text: text + '"x","y"\r\n', "Line 6 of the file from Blackboard has 2 columns, but the header has 9"),
        (lambda text: text + '"x', "Line 6 of the file from Blackboard cannot be read"),
        (lambda text: '"', "The first line of the file from Blackboard cannot be read"),
        (lambda text: "", "The file is empty"),
    ],
)
def test_a_download_that_cannot_be_filled(change: Callable[[str], str], words: str) -> None:
    options = replace(FILLED, template=change(DOWNLOADED.decode()).encode())
    with pytest.raises(Refused) as refused:
        EXPORTS["blackboard"].unmatched(small(), options)
        EXPORTS["blackboard"].refuse(small(), options)
    assert words in refused.value.message
