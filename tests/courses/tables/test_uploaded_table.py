"""Workbooks with rosters and ids: which sheet is read, and which content stops the import."""

from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.importers.lms_ids import lms_ids_import, lms_ids_preview
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.courses.importers.rows import RowStatus
from autograder.courses.models import Course, Membership, User
from autograder.courses.rights import OPERATOR
from tests.courses.tables.workbooks import by_hand, written

pytestmark = pytest.mark.django_db
Sheets = dict[str, list[list[Any]]]
PEOPLE: list[list[Any]] = [["login", "name", "section"], ["ada", "Ada Lovelace", "Monday"], [1234, "Ben Ali", ""]]


@pytest.fixture
def course() -> Course:
    return Course.objects.create(slug="autodiff", title="Autodiff")


def refusal(data: bytes, course: Course) -> str:
    with pytest.raises(Refused) as refused:
        roster_preview(data, course)
    return refused.value.message


def test_a_workbook_is_imported_as_a_text_is(course: Course) -> None:
    read = roster_preview(written({"Students": PEOPLE}), course)
    assert (read.sheet, read.other_sheets, read.source) == ("Students", (), "plain")
    roster_import(preview=read, by=OPERATOR)
    assert list(User.objects.order_by("id").values_list("username", "last_name")) == [("ada", "Lovelace"), ("1234", "Ali")]


def test_a_text_is_read_as_before(course: Course) -> None:
    read = roster_preview("login\nbjörn\n".encode(), course)
    assert (read.sheet, [row.login for row in read.rows]) == ("", ["björn"])
    assert refusal(b" \n", course) == "The roster is empty."


def test_the_first_sheet_with_a_header_is_read_and_others_with_data_are_named(course: Course) -> None:
    sheets: Sheets = {"Notes": [["Remember", "the milk"]], "Empty": [], "Students": PEOPLE, "Waiting": [["login"], ["cy"]]}
    read = roster_preview(written(sheets), course)
    assert (read.sheet, read.other_sheets) == ("Students", ("Notes", "Waiting"))
    assert [row.login for row in read.rows] == ["ada", "1234"]


def test_above_the_header_may_stand_a_title(course: Course) -> None:
    sheet: list[list[Any]] = [
        ["Winter 2026"],
        [],
        ["Student", "ID", "SIS Login ID", "Section"],
        ["Lovelace, Ada", 48101, "ada", "Monday"],
    ]
    read = roster_preview(written({"A": sheet}), course)
    (row,) = read.rows
    assert (read.source, row.line, row.values["lms_id"]) == ("Canvas", 4, "48101")


def test_without_a_header_the_sheets_are_named(course: Course) -> None:
    told = refusal(written({"Notes": [["a"]], "More": [["b"]]}), course)
    assert told.startswith("No sheet of the workbook has a header with the column 'login'")
    assert told.endswith("Sheets with data: 'Notes', 'More'.")
    assert "no visible sheet of the workbook has data" in refusal(written({"Empty": []}), course)


def test_a_cell_without_a_value_is_bad_where_it_is_read_and_nowhere_else(course: Course) -> None:
    head = "<row><c t='str'><v>login</v></c><c t='str'><v>age</v></c></row>"
    rows = "<row><c><f>A9</f></c><c><v>1</v></c></row><row><c t='str'><v>ben</v></c><c t='e'><v>#N/A</v></c></row>"
    read = roster_preview(by_hand(head + rows), course)
    assert [(row.line, row.login, row.message) for row in read.rows] == [
        (2, "", "Cell A2 has a formula without a stored result. Enter the value."),
        (3, "ben", "will get an account"),
    ]


def test_merged_cells_of_the_list_are_refused_and_those_of_a_title_are_not(course: Course) -> None:
    rows = "<row r='2'><c t='str'><v>login</v></c></row><row r='3'><c t='str'><v>ada</v></c></row>"
    told = refusal(by_hand(rows, after='<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="B3:B9"/></mergeCells>'), course)
    assert told.startswith("The sheet 'Sheet1' has merged cells (B3:B9). Only the first of them has a value.")
    title = by_hand(rows, after='<mergeCells><mergeCell ref="A1:C1"/></mergeCells>')
    assert [row.login for row in roster_preview(title, course).rows] == ["ada"]


def test_a_formula_that_a_spreadsheet_would_run_is_refused_as_in_a_text(course: Course) -> None:
    (row,) = roster_preview(written({"A": [["login", "name"], ["ada", "=1+1"]]}), course).rows
    assert (row.status, row.message) == (
        RowStatus.BAD,
        "The name starts with =, so spreadsheets would treat it as a formula.",
    )


def test_more_rows_than_are_imported_at_once_are_refused(course: Course) -> None:
    rows = [["login"], *([f"s{n}"] for n in range(5_001))]
    assert refusal(written({"A": rows}), course).startswith("The roster has more than 5,000 rows.")


def test_cells_beside_the_columns_make_a_row_bad(course: Course) -> None:
    (row,) = roster_preview(written({"A": [["login"], ["ada", "", "x"]]}), course).rows
    assert row.message == "The row has 3 columns, but the header has 1."


def test_ids_come_from_a_workbook_too(course: Course) -> None:
    ada = Membership.objects.create(course=course, user=User.objects.create_user("ada"))
    sheets: Sheets = {
        "About": [["x"]],
        "Grades": [["Student", "ID", "SIS Login ID", "Section"], ["Lovelace, Ada", 48101, "ada", ""]],
    }
    ids = lms_ids_preview(written(sheets), course)
    assert ids.source == "Canvas, sheet 'Grades'"
    lms_ids_import(preview=ids, by=OPERATOR)
    ada.refresh_from_db()
    assert ada.lms_id == "48101"
