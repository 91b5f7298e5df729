"""Every format byte for byte as documented. Each documented reader gets the grades back."""

import io
import zipfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from autograder.gradebook.exports import EXPORTS, Identity, Options
from tests.gradebook.exports import readers
from tests.gradebook.exports.cast import CUBE, DAY, ONEROSTER, OPTIONS, RELU, small

GOLDEN = Path(__file__).parent / "golden"
DOWNLOADED = (GOLDEN / "blackboard-downloaded.csv").read_bytes()
FILLED = replace(OPTIONS, template=DOWNLOADED)
MOST = {RELU.title: RELU.points, CUBE.title: CUBE.points}
IDS = {
    Identity.LMS: ("1234", "1235", "1236"),
    Identity.SIS: ("S-0002", "S-0003", "00042"),
    Identity.LOGIN: ("zohara", "link", "ada"),
    Identity.EMAIL: ("zoe@example.org", "link@example.org", "ada@example.org"),
}


def grades(identity: Identity) -> readers.Arrived:
    """The grades of the small gradebook, with half cents rounded up."""
    zoe, link, ada = IDS[identity]
    return {
        (zoe, RELU.title): Decimal("8.5"), (zoe, CUBE.title): Decimal("12.5"),
        (link, RELU.title): Decimal(0), (link, CUBE.title): None,
        (ada, RELU.title): None, (ada, CUBE.title): Decimal("1.01"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"),
    [("canvas", OPTIONS), ("moodle", OPTIONS), ("brightspace", OPTIONS), ("blackboard", FILLED), ("csv", OPTIONS)],
)
def test_the_file_is_as_documented(name: str, options: Options) -> None:
    assert EXPORTS[name].write(small(), options) == (GOLDEN / f"{name}.csv").read_bytes()


def test_oneroster_is_a_zip_of_documented_tables() -> None:
    with zipfile.ZipFile(io.BytesIO(EXPORTS["oneroster"].write(small(), ONEROSTER))) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed == {path.name: path.read_bytes() for path in (GOLDEN / "oneroster").glob("*.csv")}


def test_the_same_grades_are_the_same_bytes() -> None:
    for name, options in (("oneroster", ONEROSTER), ("xlsx", OPTIONS)):
        assert EXPORTS[name].write(small(), options) == EXPORTS[name].write(small(), options)


# -- reading the files


@pytest.mark.parametrize("identity", [Identity.LMS, Identity.SIS, Identity.LOGIN])
def test_canvas_reads_it_by_every_id(identity: Identity) -> None:
    data = EXPORTS["canvas"].write(small(), replace(OPTIONS, identity=identity))
    there = {one: set(IDS[one]) if one == identity else set() for one in Identity}
    arrived = readers.canvas(data, there[Identity.LMS], there[Identity.SIS], there[Identity.LOGIN])
    assert arrived == grades(identity)


def test_canvas_is_not_shown_an_id_that_it_would_ask_before_the_chosen_one() -> None:
    data = EXPORTS["canvas"].write(small(), replace(OPTIONS, identity=Identity.LOGIN))
    assert [row[1:4] for row in readers.rows(data)[2:]] == [["", "", login] for login in IDS[Identity.LOGIN]]


@pytest.mark.parametrize(
    ("identity", "header"),
    [
        *((Identity.EMAIL, "Email address"), (Identity.SIS, "ID number")),
        *((Identity.LOGIN, "Username"), (Identity.LMS, "User ID")),
    ],
)
def test_moodle_reads_it_by_every_id(identity: Identity, header: str) -> None:
    data = EXPORTS["moodle"].write(small(), replace(OPTIONS, identity=identity))
    assert readers.moodle(data, header, set(IDS[identity]), MOST) == grades(identity)


@pytest.mark.parametrize(("identity", "header"), [(Identity.SIS, "OrgDefinedId"), (Identity.LOGIN, "Username")])
def test_brightspace_reads_it_by_every_id(identity: Identity, header: str) -> None:
    data = EXPORTS["brightspace"].write(small(), replace(OPTIONS, identity=identity))
    assert readers.brightspace(data, header, MOST) == grades(identity)


@pytest.mark.parametrize("identity", [Identity.LOGIN, Identity.SIS])
def test_blackboard_finds_its_own_columns_and_keeps_what_we_have_no_grade_for(identity: Identity) -> None:
    data = EXPORTS["blackboard"].write(small(), replace(FILLED, identity=identity))
    arrived = readers.blackboard(data, {"534283": RELU.title, "534284": CUBE.title})
    assert arrived == grades(Identity.LOGIN) | {("ada", RELU.title): Decimal(3)}


@pytest.mark.parametrize("identity", [Identity.SIS, Identity.LMS])
def test_oneroster_reads_it(identity: Identity) -> None:
    arrived = readers.oneroster(EXPORTS["oneroster"].write(small(), replace(ONEROSTER, identity=identity)))
    assert arrived == {key: points for key, points in grades(identity).items() if points is not None}


def test_xlsx_has_numbers_text_and_a_list_of_what_is_special() -> None:
    pages = readers.xlsx(EXPORTS["xlsx"].write(small(), OPTIONS))
    head, worth, zoe, link, ada = pages["Grades"]
    assert head == ["Name", "Login", "Email", "Section", "SIS ID", "ReLU backward", 'Cube, "by hand"']
    assert worth == ["Points possible", None, None, None, None, Decimal(10), Decimal("12.5")]
    assert zoe == ["O'Hara, Zoë", "zohara", "zoe@example.org", "Monday", "S-0002", Decimal("8.5"), Decimal("12.5")]
    assert link[0] == '=HYPERLINK("http://x")'
    assert link[5:] == [Decimal(0)]
    assert ada[4:] == ["00042", None, Decimal("1.01")]
    assert pages["Comments"][1:] == [
        ["O'Hara, Zoë", "zohara", 'Cube, "by hand"', Decimal("12.5"), "set by hand"],
        ['=HYPERLINK("http://x")', "link", "ReLU backward", Decimal(0), "late"],
    ]


def test_a_line_items_dates_are_those_of_the_courses_own_clock() -> None:
    """Due at 22:59 UTC is 23:59 in Berlin, the same day; an hour later it would be the next."""
    late = replace(RELU, due_at=RELU.due_at and RELU.due_at.replace(hour=23, minute=30))
    data = EXPORTS["oneroster"].write(small(columns=(late,)), ONEROSTER)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b",2027-01-16,2027-01-16,class-7," in archive.read("lineItems.csv")


def test_the_downloaded_file_may_be_utf16_with_tabs() -> None:
    text = DOWNLOADED.decode().replace('","', '"\t"').encode("utf-16")
    assert EXPORTS["blackboard"].write(small(), Options(template=text, day=DAY)) == (GOLDEN / "blackboard.csv").read_bytes()
