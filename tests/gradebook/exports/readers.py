"""Readers of the export formats, written only from the documentation or the source of each LMS.

`Arrived` maps the id by which a student was found and the title of the assignment to the score; None is "no grade".
"""

import csv
import io
import re
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

Arrived = dict[tuple[str, str], Decimal | None]


class NotRead(Exception):
    """The LMS rejects the whole file."""


def rows(data: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), delimiter=delimiter, strict=True))


def canvas(data: bytes, by_id: set[str], by_sis: set[str], by_login: set[str]) -> Arrived:
    """Finds students by ID, then SIS User ID, then SIS Login ID. The real import then falls back to names."""
    table = [[_decimal_point(cell) for cell in row] for row in rows(data, _canvas_delimiter(data))]
    header, *rest = table
    if not (len(header) > 3 and "Student" in header[0] and "ID" in header[1] and "Section" in header[4]):
        raise NotRead("Invalid header row")
    assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
    totals = "(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)"
    titles = [title for title in header[5:] if not re.search(totals, title)]
    places = {title: header.index(title) for title in titles}  # the first column with this title
    assert not any(re.search(r"\(\d+\)$", title) for title in titles), "an id of Canvas's own"
    arrived: Arrived = {}
    for row in rest:
        if "Points Possible" in row[0]:
            continue
        if all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell, re.IGNORECASE) for cell in row):
            continue
        number = re.match(r"\d*", row[1])
        numbered = str(int(number[0])) if number and number[0] else ""
        known = ((numbered, by_id), (row[2], by_sis), (row[3], by_login))
        found = next((value for value, there in known if value in there), None)
        if found is None:
            raise NotRead(f"nobody by the ids of {row[:5]}: Canvas would go by the name")
        for title, place in places.items():
            cell = row[place].strip()
            arrived[found, title] = None if cell in ("", "-") else Decimal(cell)
    return arrived


def _canvas_delimiter(data: bytes) -> str:
    """Return the delimiter that gives the same number of cells in each of the first three lines; if both do, the one with
    more cells.
    """
    first = data.decode().splitlines(keepends=True)[:3]
    counts = {}
    for mark in ";,":
        sizes = {len(next(csv.reader([line], delimiter=mark), [])) for line in first}
        counts[mark] = sizes.pop() if len(sizes) == 1 else 0
    return ";" if counts[";"] > counts[","] else ","


def _decimal_point(cell: str) -> str:
    if not re.fullmatch(r"-?[0-9.,]+%?", cell):
        return cell
    parts = re.split("[.,]", cell)
    while parts and not parts[-1]:
        parts.pop()
    *whole, last = parts or [""]
    return ".".join(["".join(whole), last]) if whole else last


def moodle(data: bytes, id_header: str, known: set[str], most: Mapping[str, Decimal]) -> Arrived:
    """Accepts all rows or none. The columns of the id and the grades are chosen in a form."""
    header, *rest = rows(data)
    at = header.index(id_header)
    titles = {place: name.removesuffix(" (Real)") for place, name in enumerate(header) if name.endswith(" (Real)")}
    folded = {one.casefold(): one for one in known}
    arrived: Arrived = {}
    for row in rest:
        cells = [cell.strip() for cell in row]
        student = cells[at].casefold()
        if student in ("", "0"):
            raise NotRead("a row without an id: its grades would go to the student before")
        if student not in folded:
            raise NotRead("user mapping error")
        for place, title in titles.items():
            if cells[place] in ("", "-"):
                arrived[folded[student], title] = None
            elif not re.fullmatch(r"\d+(\.\d+)?", cells[place]):
                raise NotRead("Supplied grade is invalid")
            elif Decimal(cells[place]) > most[title]:
                raise NotRead("larger than the allowed grade maximum")
            else:
                arrived[folded[student], title] = Decimal(cells[place])
    return arrived


def blackboard(data: bytes, columns: Mapping[str, str]) -> Arrived:
    """Finds students by Username, and columns by the number after the bar, given in `columns`. All fields are quoted."""
    header, *rest = rows(data)
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", data.decode())
    assert not unquoted.strip(",\r\n"), "a field without quotes"
    at = header.index("Username")
    ids = {place: match[1] for place, name in enumerate(header) if (match := re.search(r"\|(\d+)$", name))}
    graded = [name for place, name in enumerate(header) if place not in ids]
    assert set(graded) <= {"Last Name", "First Name", "Username", "Student ID"}, "would become new text columns"
    return {
        (row[at], columns[key]): Decimal(row[place]) if row[place] else None for row in rest for place, key in ids.items()
    }


def brightspace(data: bytes, key: str, most: Mapping[str, Decimal]) -> Arrived:
    header, *rest = rows(data)
    assert header[0] == key and key in ("OrgDefinedId", "Username")
    assert header[-1] == "End-of-Line Indicator"
    shape = re.compile(r"(?P<item>.+) Points Grade(?: <Numeric MaxPoints:(?P<most>[\d.]+)>)?")
    items = [shape.fullmatch(name) for name in header[1:-1]]
    arrived: Arrived = {}
    for row in rest:
        assert row[-1] == "#" and row[0].startswith("#")
        for item, cell in zip(items, row[1:-1], strict=True):
            assert item is not None
            assert Decimal(item["most"]) == most[item["item"]]
            arrived[row[0][1:], item["item"]] = min(Decimal(cell), most[item["item"]]) if cell else None
    return arrived


def oneroster(data: bytes) -> Arrived:
    """In bulk mode, missing rows mean no grade. Every reference within the zip must resolve."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        files = {name: _records(archive.read(name)) for name in archive.namelist()}
    manifest = {one["propertyName"]: one["value"] for one in files.pop("manifest.csv")}
    assert (manifest["manifest.version"], manifest["oneroster.version"]) == ("1.0", "1.1")
    assert {f"{name[5:]}.csv" for name, how in manifest.items() if name[:5] == "file." and how == "bulk"} == set(files)
    for one in (one for table in files.values() for one in table):
        assert one["status"] == one["dateLastModified"] == ""
    categories = {one["sourcedId"] for one in files["categories.csv"]}
    items = {one["sourcedId"]: one for one in files["lineItems.csv"]}
    for one in items.values():
        assert one["categorySourcedId"] in categories
        assert one["classSourcedId"] and one["gradingPeriodSourcedId"]
        assert "" < one["assignDate"] <= one["dueDate"]
    results = files["results.csv"]
    assert len({one["sourcedId"] for one in results}) == len(results)
    assert {one["scoreStatus"] for one in results} <= {"fully graded", "not submitted", "exempt"}
    return {
        (one["studentSourcedId"], items[one["lineItemSourcedId"]]["title"]): Decimal(one["score"]) if one["score"] else None
        for one in results
    }


def _records(data: bytes) -> list[dict[str, str]]:
    assert not data.startswith(b"\xef\xbb\xbf"), "OneRoster has no byte order mark"
    header, *rest = rows(data)
    return [dict(zip(header, row, strict=True)) for row in rest]


def xlsx(data: bytes) -> dict[str, list[list[Any]]]:
    """Return the cells of every sheet, text as str and numbers as Decimal. Formulas are an error."""
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        strings = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
        texts = ["".join(part.text or "" for part in one.iterfind(".//m:t", space)) for one in strings]
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        names = [sheet.attrib["name"] for sheet in book.iterfind(".//m:sheet", space)]
        pages = {}
        for number, name in enumerate(names, 1):
            page = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
            assert page.find(".//m:f", space) is None, "a formula"
            pages[name] = [_cells(row, texts, space) for row in page.iterfind(".//m:row", space)]
    return pages


def _cells(row: ElementTree.Element, texts: list[str], space: dict[str, str]) -> list[Any]:
    found: dict[int, Any] = {}
    for cell in row.iterfind("m:c", space):
        letters = re.match("[A-Z]+", cell.attrib["r"])
        value = cell.find("m:v", space)
        if letters and value is not None and value.text is not None:
            place = 0
            for letter in letters[0]:
                place = place * 26 + ord(letter) - 64
            found[place] = texts[int(value.text)] if cell.get("t") == "s" else Decimal(value.text)
    return [found.get(place) for place in range(1, max(found, default=0) + 1)]
