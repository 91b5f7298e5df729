"""With any names, ids and titles: an export is either rejected or arrives unchanged, and nothing is executed by a
spreadsheet.
"""

import csv
import io
import re
import zipfile
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.courses.errors import Refused
from autograder.courses.tables.formulas import FORMULA
from autograder.gradebook.exports import EXPORTS, Identity, Options
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet, StudentRow
from tests.gradebook.exports import readers
from tests.gradebook.exports.cast import DAY, ONEROSTER, OPTIONS, ZOE, of_one, small

ODD = [
    "O'Hara, Zoë",
    '=HYPERLINK("http://x")',
    "-",
    "+1",
    "@x",
    "Points Possible",
    "1,5",
    "12%",
    "a;b;c;d;e;f;g;h",
    "#1",
    ' "q" ',
]
NAMES = st.one_of(st.sampled_from(ODD), st.text(max_size=12))
IDS = st.one_of(st.sampled_from([*ODD, "007", "1.234.567"]), st.text("0123456789.,-aZé =", max_size=8))
POINTS = st.one_of(st.none(), st.decimals(0, 10, places=3), st.sampled_from([Decimal("0.005"), Decimal("9.995")]))


@st.composite
def sheets(draw: st.DrawFn) -> GradeSheet:
    students = tuple(
        StudentRow(n, f"login{n}", f"s{n}@example.org", draw(NAMES), draw(NAMES), draw(NAMES), draw(IDS), draw(IDS))
        for n in range(draw(st.integers(1, 4)))
    )
    columns = tuple(
        AssignmentColumn(n, f"slug-{n}", draw(NAMES.filter(str.strip)), Decimal(10), draw(NAMES))
        for n in range(draw(st.integers(1, 3)))
    )
    cells = {(s.membership_id, c.assignment_id): GradeCell(draw(POINTS)) for s in students for c in columns}
    return GradeSheet("course", "Course", "UTC", students, columns, cells)


def leaving(name: str, sheet: GradeSheet, options: Options) -> tuple[GradeSheet, bytes] | None:
    """Export without students who cannot be identified. None if the export is rejected."""
    export = EXPORTS[name]
    sheet = sheet.without([one.student for one in export.unmatched(sheet, options)])
    try:
        export.refuse(sheet, options)
    except Refused:
        return None
    return sheet, export.write(sheet, options)


def expected(sheet: GradeSheet, identity: Identity) -> list[Decimal | None]:
    return [
        None if points is None else points.quantize(Decimal("0.01"), ROUND_HALF_UP)
        for student in sheet.students
        for points in sheet.points(student)
    ]


@settings(deadline=None, max_examples=100)
@given(sheets(), st.sampled_from([Identity.LMS, Identity.SIS, Identity.LOGIN]))
def test_canvas(sheet: GradeSheet, identity: Identity) -> None:
    left = leaving("canvas", sheet, Options(identity, day=DAY))
    if left is None:
        return
    sheet, data = left
    ids = [identity.of(student) for student in sheet.students]
    there = {one: set(ids) if one == identity else set() for one in Identity}
    if identity == Identity.LMS:
        there[Identity.LMS] = {str(int(one)) for one in ids}
    arrived = readers.canvas(data, there[Identity.LMS], there[Identity.SIS], there[Identity.LOGIN])
    assert list(arrived.values()) == expected(sheet, identity)


@settings(deadline=None, max_examples=100)
@given(
    sheets(), st.sampled_from([(Identity.EMAIL, "Email address"), (Identity.SIS, "ID number"), (Identity.LMS, "User ID")])
)
def test_moodle(sheet: GradeSheet, by: tuple[Identity, str]) -> None:
    left = leaving("moodle", sheet, Options(by[0], day=DAY))
    if left is None:
        return
    sheet, data = left
    header = readers.rows(data)[0]
    most = {name.removesuffix(" (Real)"): Decimal(10) for name in header}
    arrived = readers.moodle(data, by[1], {by[0].of(student) for student in sheet.students}, most)
    assert list(arrived.values()) == expected(sheet, by[0])


@settings(deadline=None, max_examples=100)
@given(sheets(), st.sampled_from([(Identity.SIS, "OrgDefinedId"), (Identity.LOGIN, "Username")]))
def test_brightspace(sheet: GradeSheet, by: tuple[Identity, str]) -> None:
    left = leaving("brightspace", sheet, Options(by[0], day=DAY))
    if left is None:
        return
    sheet, data = left
    shape = re.compile(r"(.+) Points Grade <")
    items = [match[1] for name in readers.rows(data)[0] if (match := shape.match(name))]
    arrived = readers.brightspace(data, by[1], dict.fromkeys(items, Decimal(10)))
    assert list(arrived.values()) == expected(sheet, by[0])
    assert {key[0] for key in arrived} == {by[0].of(student) for student in sheet.students}


@settings(deadline=None, max_examples=40)
@given(sheets())
def test_oneroster(sheet: GradeSheet) -> None:
    left = leaving("oneroster", sheet, ONEROSTER)
    assert left is not None
    sheet, data = left
    titled = replace(sheet, columns=tuple(replace(c, title=f"{n}") for n, c in enumerate(sheet.columns)))
    arrived = readers.oneroster(EXPORTS["oneroster"].write(titled, ONEROSTER))
    assert list(arrived.values()) == [points for points in expected(sheet, Identity.SIS) if points is not None]
    readers.oneroster(data)


@settings(deadline=None, max_examples=100)
@given(sheets())
def test_no_cell_of_the_plain_file_starts_a_formula(sheet: GradeSheet) -> None:
    text = EXPORTS["csv"].write(sheet, OPTIONS).decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert len(rows) == len(sheet.students)
    for row in rows:
        assert len(row) == len(header)
        assert not [cell for cell in row if cell.lstrip(" \u00a0").startswith(FORMULA)]


@settings(deadline=None, max_examples=15)
@given(sheets())
def test_every_text_of_the_spreadsheet_is_a_text(sheet: GradeSheet) -> None:
    pages = readers.xlsx(EXPORTS["xlsx"].write(sheet, OPTIONS))  # this checks for formulas
    assert [row[1] for row in pages["Grades"][2:]] == [student.login for student in sheet.students]


# -- single numbers and formulas


@pytest.mark.parametrize(
    ("points", "written"),
    [
        *(("0.005", "0.01"), ("0.004", "0.00"), ("2.675", "2.68"), ("1.015", "1.02"), ("8.5", "8.50")),
        *(("1E+1", "10.00"), ("12345.6", "12345.60"), ("99999.99", "99999.99"), ("0", "0.00")),
    ],
)
@pytest.mark.parametrize("name", ["canvas", "brightspace", "csv"])
def test_two_places_half_a_cent_upwards_and_nothing_between_the_thousands(name: str, points: str, written: str) -> None:
    last = EXPORTS[name].write(of_one(ZOE, points, worth="99999.99"), OPTIONS).decode().splitlines()[-1]
    assert last.removesuffix(",#").rpartition(",")[2] == written


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "＝", "\u00a0=", " ="])
def test_a_formula_is_disarmed_for_people_and_left_alone_for_an_lms(begin: str) -> None:
    formula = f"{begin}1+1"
    student = replace(ZOE, login=formula, sis_id=formula.strip(), section=formula, last_name="")
    student = replace(student, first_name=formula)
    plain = EXPORTS["csv"].write(small(students=(student,)), OPTIONS).decode("utf-8-sig").splitlines()[1].split(",")
    assert plain[:7] == [
        f"'{formula.strip()}",
        "zoe@example.org",
        "",
        *[f"'{formula.strip()}"] * 2,
        "1234",
        f"'{formula.strip()}",
    ]
    ids = EXPORTS["brightspace"].write(small(students=(student,)), OPTIONS).decode().splitlines()[1]
    assert ids.startswith(f"#{formula.strip()},")


def test_text_in_the_spreadsheet_stays_text_when_it_is_edited() -> None:
    data = EXPORTS["xlsx"].write(small(), OPTIONS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b'quotePrefix="1"' in archive.read("xl/styles.xml")
