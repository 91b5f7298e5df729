"""Workbooks for tests: written by a library, and by hand for content that no program writes."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import xlsxwriter

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
DOCUMENT = RELS.format(f'<Relationship Id="r1" Type="{KINDS}/officeDocument" Target="xl/workbook.xml"/>')
Parts = Mapping[str, str | bytes]


def written(sheets: Mapping[str, Sequence[Sequence[Any]]], **options: Any) -> bytes:
    """Write a workbook with a library: shared strings, and numbers as numbers."""
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed, {"in_memory": True, "strings_to_formulas": False, **options}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, cells in enumerate(rows):
                sheet.write_row(number, 0, cells)
    return packed.getvalue()


def by_hand(
    rows: str, *, strings: str = "", styles: str = "", book: str = "", after: str = "", parts: Parts | None = None
) -> bytes:
    """Build a workbook with this XML as its only sheet. `parts` adds or replaces files of the archive."""
    sheets = '<sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets>'
    relation = f'<Relationship Id="r1" Type="{KINDS}/worksheet" Target="worksheets/sheet1.xml"/>'
    files: dict[str, str | bytes] = {
        "_rels/.rels": DOCUMENT,
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{KINDS}">{book}{sheets}</workbook>',
        "xl/_rels/workbook.xml.rels": RELS.format(relation),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>',
    }
    if strings:
        files["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{strings}</sst>'
    if styles:
        files["xl/styles.xml"] = f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
    return zipped(files | dict(parts or {}))


def zipped(files: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def row(*cells: str) -> str:
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells) + "</row>"
