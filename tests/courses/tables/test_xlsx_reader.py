"""The xlsx reader: cells are read as displayed, and hostile or damaged files are rejected with a message."""

import io
import random
import tracemalloc
import zipfile
from datetime import date, datetime
from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.tables import xlsx_reader
from autograder.courses.tables.xlsx_reader import Unreadable, Workbook
from tests.courses.tables.workbooks import MAIN, by_hand, row, written, zipped


def cells(data: bytes) -> list[list[str]]:
    book = Workbook(data, "The roster")
    return [values for _, values in book.rows(book.sheets[0])]


def one(xml: str, **parts: Any) -> str:
    """Return the text of a single cell."""
    ((text,),) = cells(by_hand(f"<row>{xml}</row>", **parts))
    return text


def refusal(data: bytes) -> str:
    with pytest.raises(Refused) as refused:
        cells(data)
    return refused.value.message


# -- values


def test_a_workbook_as_a_program_writes_it() -> None:
    rows: list[list[Any]] = [
        ["login", "name", "section"],
        ["ada", "Ada & Łovelace <3", 7],
        [1234, "", "x"],
        ["", "", ""],
        ["ben"],
    ]
    assert cells(written({"People": rows})) == [
        ["login", "name", "section"],
        ["ada", "Ada & Łovelace <3", "7"],
        ["1234", "", "x"],
        ["ben"],
    ]


def test_rows_have_the_numbers_that_people_see() -> None:
    book = Workbook(written({"People": [[], ["login"], [], ["ada"]]}), "The roster")
    assert list(book.rows(book.sheets[0])) == [(2, ["login"]), (4, ["ada"])]


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        *(("1234", "1234"), ("1234.0", "1234"), ("1.234E3", "1234"), ("-7", "-7"), ("12.5", "12.5"), ("0", "0")),
        ("999999999999999", "9" * 15),
    ],
)
def test_a_whole_number_is_written_without_a_point(stored: str, text: str) -> None:
    assert one(f"<c><v>{stored}</v></c>") == text


def test_a_number_with_more_digits_than_excel_keeps_is_not_read() -> None:
    found = one("<c><v>4711000000000000123</v></c>")
    assert isinstance(found, Unreadable)
    assert "Cell A1 has a number with more than 15 digits" in found


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("00000000", "00004711"),
        *((code, "4711") for code in ("0", "General", '0 "students"', "[Red]0", "@", "#,##0")),
    ],
)
def test_leading_zeros_of_a_number_format_are_kept(code: str, text: str) -> None:
    escaped = code.replace('"', "&quot;")
    styles = (
        f'<numFmts><numFmt numFmtId="164" formatCode="{escaped}"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs>'
    )
    assert one('<c s="1"><v>4711</v></c>', styles=styles) == text


@pytest.mark.parametrize(
    ("value", "text"), [(date(2026, 10, 12), "2026-10-12"), (datetime(2026, 10, 12, 9, 30), "2026-10-12 09:30")]
)
@pytest.mark.parametrize("from_1904", [False, True])
def test_dates_are_written_as_iso_dates(value: date, text: str, from_1904: bool) -> None:
    options = {"default_date_format": "dd.mm.yyyy", "date_1904": from_1904}
    assert cells(written({"People": [["login"], [value]]}, **options)) == [["login"], [text]]


def test_built_in_date_formats_are_dates() -> None:
    assert one('<c s="1"><v>46307</v></c>', styles='<cellXfs><xf/><xf numFmtId="14"/></cellXfs>') == "2026-10-12"


def test_a_formula_is_not_evaluated_and_its_stored_result_is_read() -> None:
    assert one('<c t="str"><f>WEBSERVICE("http://evil.example")</f><v>ada</v></c>') == "ada"
    found = one("<c><f>1+1</f></c>")
    assert isinstance(found, Unreadable)
    assert found == "Cell A1 has a formula without a stored result. Enter the value."


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
        ('<c t="d"><v>2026-10-12</v></c>', "2026-10-12"),
        ('<c t="e"><v>#REF!</v></c>', "Cell A1 contains the error #REF!."),
        ('<c t="inlineStr"><is><r><t>A</t></r><r><t xml:space="preserve">da </t></r><rPh><t>ei</t></rPh></is></c>', "Ada "),
        ('<c t="inlineStr"><is><t>a_x000A_b_xD800_</t></is></c>', "a\nb"),
    ],
)
def test_other_kinds_of_cells(xml: str, text: str) -> None:
    assert one(xml) == text


def test_cells_stand_where_their_references_say() -> None:
    assert cells(by_hand('<row r="3"><c r="C3"><v>1</v></c><c><v>2</v></c></row>')) == [["", "", "1", "2"]]


def test_prefixed_names_are_the_same_names() -> None:
    inside = "<x:sheetData><x:row><x:c><x:v>7</x:v></x:c></x:row></x:sheetData>"
    sheet = f'<x:worksheet xmlns:x="{MAIN}">{inside}</x:worksheet>'
    assert cells(by_hand("", parts={"xl/worksheets/sheet1.xml": sheet})) == [["7"]]


def test_hidden_sheets_are_not_there() -> None:
    data = by_hand(row("login"), book='<sheets><sheet name="Old" sheetId="9" r:id="r1" state="veryHidden"/></sheets>')
    assert [sheet.name for sheet in Workbook(data, "The roster").sheets] == ["Sheet1"]


# -- hostile and damaged files


def test_an_archive_that_unpacks_to_too_much_is_refused_during_unpacking() -> None:
    data = by_hand("", parts={"xl/worksheets/sheet1.xml": b"<worksheet><!--" + b" " * 400_000_000 + b"--></worksheet>"})
    assert len(data) < 1_000_000
    tracemalloc.start()
    try:
        assert "unpacks to more than 32 MB" in refusal(data)
        assert tracemalloc.get_traced_memory()[1] < 150_000_000
    finally:
        tracemalloc.stop()


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_reader, "MAX_ELEMENTS", 1_000)
    assert "has too many cells" in refusal(by_hand(f"<row>{'<c/>' * 1_000}</row>"))


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "_rels/.rels"])
def test_entities_are_refused_in_every_part(part: str) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    xml = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&l9;&f;</x>'
    assert "contains a document type" in refusal(by_hand(row("login"), parts={part: xml}))


def test_a_row_that_is_too_wide_is_refused() -> None:
    assert (
        refusal(by_hand('<row r="2"><c r="XFD2"><v>1</v></c></row>'))
        == "The sheet 'Sheet1' has more than 1,000 columns in row 2."
    )


def test_an_archive_of_many_files_is_refused() -> None:
    assert "is an archive of more than 1,000 files" in refusal(zipped({f"{n}": "" for n in range(1_001)}))


def test_a_large_file_is_refused_before_it_is_opened() -> None:
    assert "is a workbook that is larger than 10 MB" in refusal(b"PK\x03\x04" + b"\0" * 10_000_000)


def test_old_and_protected_workbooks_are_told_as_such() -> None:
    assert "protected by a password. Save it as .xlsx" in refusal(b"\xd0\xcf\x11\xe0" + b"\0" * 512)


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04",
        zipped({"word/document.xml": "<w/>"}),
        zipped({"_rels/.rels": "<Relationships/>"}),
        by_hand('<row><c t="s"><v>0</v></c></row>'),
        by_hand('<row><c t="s"><v>-1</v></c></row>', strings="<si><t>a</t></si>"),
        by_hand("<row><c><v>nan</v></c></row>"),
        by_hand("<row><c><v>1E999999999</v></c></row>"),
        by_hand("<row><c><v>one</v></c></row>"),
        by_hand('<row r="-1"><c><v>1</v></c></row>'),
        by_hand('<row r="99999999"><c><v>1</v></c></row>'),
        by_hand('<row><c r="1A"><v>1</v></c></row>'),
        by_hand("<row><c>"),
        by_hand(f'<row><c t="str"><v>{"a" * 40_000}</v></c></row>'),
        by_hand('<row><c s="1"><v>1</v></c></row>', styles="<cellXfs><xf numFmtId='x'/></cellXfs>"),
        zipped({"_rels/.rels": "<a/>", "xl/workbook.xml": "<a/>"}, zipfile.ZIP_LZMA),
    ],
)
def test_a_damaged_workbook_is_refused_in_a_sentence(data: bytes) -> None:
    assert refusal(data) == "The roster is damaged or not an Excel workbook. Save it again as .xlsx or as CSV UTF-8."


@pytest.mark.parametrize("where", ["archive", "parts"])
def test_whatever_bytes_are_changed_there_is_text_or_a_refusal(where: str) -> None:
    whole = written({"People": [["login", "name"], ["ada", "Ada"], [12, date(2026, 1, 1)]]})
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    chance, read = random.Random(7), 0
    for _ in range(400):
        if where == "archive":
            data = _spoilt(whole, chance, least=4)
        else:
            part = chance.choice([name for name in files if "xl/" in name or name == "_rels/.rels"])
            data = zipped({**files, part: _spoilt(files[part], chance)})
        try:
            book = Workbook(data, "The roster")
            for sheet in book.sheets:
                for _, values in book.rows(sheet):
                    assert all(isinstance(cell, str) for cell in values)
                    read += 1
        except Refused:
            pass
    assert read > 0, "some are still read"


def _spoilt(data: bytes, chance: random.Random, least: int = 0) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        found[chance.randrange(least, len(found))] = chance.choice(b'0123456789<>/"= aZ-:\xff\x00')
    return bytes(found)
