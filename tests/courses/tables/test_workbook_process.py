"""Small files that ask for much work: they are refused, or read with limits, in a process of their own."""

from pathlib import Path

import pytest

from autograder.courses.errors import Refused
from autograder.courses.tables import workbook_process
from autograder.courses.tables.uploaded_table import read_csv_table, read_table
from autograder.courses.tables.workbook_process import MAX_CELL, read_workbook
from tests.courses.tables.workbooks import KINDS, MAIN, by_hand, row, written

WHAT = "The roster"
PEOPLE = {"Students": [["login", "name"], ["ada", "Ada"], ["ben", "Ben"]]}


def refusal(data: bytes) -> str:
    with pytest.raises(Refused) as refused:
        read_table(data, what=WHAT, is_header=lambda cells: "login" in cells, required="a login")
    return refused.value.message


def test_what_a_program_wrote_is_read() -> None:
    (sheet,) = read_workbook(written(PEOPLE), WHAT)
    assert (sheet.name, sheet.merged) == ("Students", [])
    assert sheet.rows == [(1, ["login", "name"]), (2, ["ada", "Ada"]), (3, ["ben", "Ben"])]


def test_one_part_under_a_hundred_thousand_names() -> None:
    sheets = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r1"/>' for n in range(1, 100_000))
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{KINDS}"><sheets>{sheets}</sheets></workbook>'
    data = by_hand(row("login"), parts={"xl/workbook.xml": book})
    assert len(data) < 1_000_000
    assert refusal(data).startswith("The roster has more than 100 sheets.")


def test_a_long_text_in_every_row() -> None:
    strings = f"<si><t>login</t></si><si><t>{'Ǆ' * 32_000}</t></si>"
    cells = "<row><c t='s'><v>0</v></c></row>" + "<row><c t='s'><v>1</v></c></row>" * 1_000
    table = read_table(by_hand(cells, strings=strings), what=WHAT, is_header=lambda c: "login" in c, required="a login")
    assert {len(cells[0]) for cells in (r.cells for r in table.rows)} == {MAX_CELL}
    assert len(table.rows) == 1_000


def test_a_long_text_in_every_cell() -> None:
    strings = f"<si><t>login</t></si><si><t>{'x' * 32_000}</t></si>"
    wide = "<row>" + "<c t='s'><v>1</v></c>" * 900 + "</row>"
    data = by_hand("<row><c t='s'><v>0</v></c></row>" + wide * 500, strings=strings)
    assert refusal(data).startswith("The roster has too much text.")


def test_a_process_that_computes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_process, "CPU_SECONDS", 0.01)
    data = by_hand("<row>" + "<c/>" * 900 + "<c t='str'><v>x</v></c></row>" + ("<row>" + "<c/>" * 900 + "</row>") * 1_500)
    assert refusal(data).startswith("The roster takes too long to read.")


def test_a_process_that_needs_too_much_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_process, "MEMORY_BYTES", 40 << 20)
    data = by_hand(row("login"), strings=f"<si><t>{'x' * 32_000}</t></si>" * 900)
    assert refusal(data).startswith("The roster takes too long to read.")


def test_a_process_that_fails_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_process, "CPU_SECONDS", "many")
    with pytest.raises(RuntimeError, match="could not convert"):
        read_workbook(written(PEOPLE), WHAT)


def test_a_process_knows_no_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It reads what anybody wrote. Here, a script in its place tells its environment."""
    (tmp_path / "python").write_text("#!/bin/sh\necho environment: >&2\nenv >&2\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setenv("GRADUS_SECRET_KEY", "hush")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(RuntimeError, match="environment:") as raised:
        read_workbook(b"", WHAT)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("login" + "," * 200_000 + "\nada\n", "Line 1 of the file has more than 10,000 columns."),
        ("login,name\nada" + "," * 200_000 + "\n", "Line 2 of the file has more than 10,000 columns."),
        ("login" + ",x" * 1_000 + "\nada\n", "The roster has more than 1,000 columns."),
    ],
)
def test_a_text_of_very_many_columns(text: str, words: str) -> None:
    assert refusal(text.encode()).startswith(words)


def test_a_long_text_in_a_csv_file_is_cut() -> None:
    table = read_csv_table(f"login,{'y' * 50_000}\nada,{'x' * 50_000}\n".encode(), what=WHAT)
    assert [len(cell) for cell in table.header] == [5, MAX_CELL]
    assert [len(cell) for cell in table.rows[0].cells] == [3, MAX_CELL]
