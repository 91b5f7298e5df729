"""Reads the cells of an Excel workbook (.xlsx) as text, row by row. Formulas are not evaluated; their stored results are read.

Built on the standard library. A workbook is an uploaded zip archive of XML files, so everything is limited: the size of the
file, the number of entries, the unpacked size, and the columns. Document types are refused, which excludes entities.
"""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from xml.parsers import expat

from autograder.courses.errors import Refused

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0"  # .xls files, and .xlsx files with a password
MAX_BYTES = 10_000_000
MAX_UNPACKED = 32_000_000  # bytes of XML in all parts that are read
MAX_ELEMENTS = 1_500_000  # elements in them, which determine the time
MAX_TEXT = 32_767  # characters per cell, as in Excel
MAX_ENTRIES = 1_000
MAX_SHEETS = 100
MAX_COLUMNS = 1_000
MAX_ROW = 1_048_576  # as in Excel
CHUNK = 1 << 20  # large, because with small chunks expat scans a long token again for each of them
MAX_DIGITS = 15  # of a number, as Excel stores it
# ids of built-in number formats for dates, which have no format code
BUILT_IN_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
NOT_A_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')  # text, colours and fill characters in a number format
# The exceptions that the parsers raise for files that are damaged, encrypted or of another type. zipfile raises
# NotImplementedError for an unknown compression and RuntimeError for a password; the others come from invalid numbers, dates
# and references.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    struct.error,
    EOFError,
    LookupError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)

Attributes = Mapping[str, str]


class Unreadable(str):
    """A cell without a reliable value. As text, it is the reason."""

    __slots__ = ()


@dataclass(frozen=True)
class Sheet:
    name: str
    part: str  # its file in the archive


def is_workbook(data: bytes) -> bool:
    """Return whether data is a zip archive or an OLE file, neither of which can be text."""
    return data.startswith((ZIP, OLE))


class Workbook:
    """A workbook with its visible `sheets` and their `rows`. Hidden sheets are ignored, because users do not see their content."""

    def __init__(self, data: bytes, what: str) -> None:
        self._what = what
        self._refuse_by_size(data)
        self._unpacked = self._elements = 0
        # merged ranges such as B2:B9, by the name of a sheet that was read completely
        self.merged: dict[str, list[str]] = {}
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            main = self._main_part()
            book = _Book()
            self._parse(main, book)
            if len(book.sheets) > MAX_SHEETS:
                raise self._too_large(f"has more than {MAX_SHEETS} sheets")
            targets = self._relations(main)
            self.sheets = [
                Sheet(name, targets[key]) for name, key in book.sheets if targets.get(key) in self._zip.namelist()
            ]
            self._epoch = date(1904, 1, 1) if book.from_1904 else date(1899, 12, 30)
            self._strings = self._shared_strings(posixpath.dirname(main))
            self._formats = self._number_formats(posixpath.dirname(main))
        except DAMAGED as error:
            raise self._damaged() from error

    def rows(self, sheet: Sheet) -> Iterator[tuple[int, list[str]]]:
        """Yield every non-blank row with its number. A cell that cannot be read is an `Unreadable`."""
        cells = _Cells(self._text_of)
        try:
            for _ in self._feed(sheet.part, cells):
                while cells.rows:
                    number, row = cells.rows.popleft()
                    self._refuse_column(sheet, number, row)
                    yield number, [row.get(column, "") for column in range(max(row) + 1)]
        except DAMAGED as error:
            raise self._damaged() from error
        self.merged[sheet.name] = cells.merged

    # -- the archive

    def _refuse_by_size(self, data: bytes) -> None:
        if data.startswith(OLE):
            raise Refused(
                f"{self._what} is an Excel 97–2003 file or protected by a password. "
                "Save it as .xlsx without a password or as CSV UTF-8."
            )
        if len(data) > MAX_BYTES:
            raise Refused(
                f"{self._what} is a workbook that is larger than {MAX_BYTES // 1_000_000} MB. Save the sheet as CSV UTF-8."
            )
        if data.count(b"PK\x01\x02") > MAX_ENTRIES:
            raise Refused(f"{self._what} is an archive of more than {MAX_ENTRIES:,} files. Save the sheet as CSV UTF-8.")

    def _damaged(self) -> Refused:
        return Refused(f"{self._what} is damaged or not an Excel workbook. Save it again as .xlsx or as CSV UTF-8.")

    def _main_part(self) -> str:
        relations = _Relations()
        self._parse("_rels/.rels", relations)
        found = [target for kind, target in relations.found.values() if kind.endswith("/officeDocument")]
        return found[0].lstrip("/")

    def _relations(self, part: str) -> dict[str, str]:
        folder, name = posixpath.split(part)
        relations = _Relations()
        self._parse(posixpath.join(folder, "_rels", f"{name}.rels"), relations)
        return {
            key: posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            for key, (kind, target) in relations.found.items()
            if kind.endswith("/worksheet")
        }

    def _shared_strings(self, folder: str) -> list[str]:
        strings = _Strings()
        part = posixpath.join(folder, "sharedStrings.xml")
        if part in self._zip.namelist():
            self._parse(part, strings)
        return strings.found

    def _number_formats(self, folder: str) -> list[str]:
        """Return the effect of each style on numbers: `date`, a run of zeros, or an empty string."""
        styles = _Styles()
        part = posixpath.join(folder, "styles.xml")
        if part in self._zip.namelist():
            self._parse(part, styles)
        return [_kind_of_format(number, styles.codes.get(number, "")) for number in styles.used]

    def _parse(self, part: str, reader: "_Reader") -> None:
        for _ in self._feed(part, reader):
            pass

    def _feed(self, part: str, reader: "_Reader") -> Iterator[None]:
        """Unpack and parse one part in chunks. Stops at the limit, whatever size the archive declares."""
        info = self._zip.getinfo(part)
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile(part)  # other methods decompress without a limit
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_entities
        parser.StartElementHandler = lambda name, attributes: self._start(reader, name, attributes)
        parser.EndElementHandler = lambda name: reader.end(name.rpartition(":")[2])
        parser.CharacterDataHandler = reader.text
        with self._zip.open(info) as stream:
            while chunk := stream.read(CHUNK):
                self._unpacked += len(chunk)
                if self._unpacked > MAX_UNPACKED:
                    raise self._too_large(f"unpacks to more than {MAX_UNPACKED // 1_000_000} MB")
                parser.Parse(chunk, False)
                yield
        parser.Parse(b"", True)
        yield

    def _start(self, reader: "_Reader", name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise self._too_large("has too many cells")
        if ":" in name:
            name = name.rpartition(":")[2]
        if any(":" in key for key in attributes):
            attributes = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        reader.start(name, attributes)

    def _too_large(self, how: str) -> Refused:
        return Refused(f"{self._what} {how}. Copy only the list into a new workbook, or save it as CSV UTF-8.")

    def _refuse_entities(self, *_: object) -> None:
        raise Refused(
            f"{self._what} contains a document type declaration, which no spreadsheet program writes. Save it as CSV UTF-8."
        )

    # -- the cells

    def _text_of(self, place: Callable[[], str], attributes: Attributes, value: str | None, has_formula: bool) -> str:
        """Return a cell as text. `value` is the stored value, for a formula its last result. `place` is called for error messages."""
        kind = attributes.get("t", "n")
        if value is None:
            empty = has_formula and kind != "str"  # a formula with an empty text as result has stored it
            return Unreadable(f"Cell {place()} has a formula without a stored result. Enter the value.") if empty else ""
        if kind == "s":
            return self._strings[_within(int(value), 0, len(self._strings) - 1)]
        if kind == "e":
            return Unreadable(f"Cell {place()} contains the error {value[:20]}.")
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind == "n":
            return self._number(place, value, int(attributes.get("s", "0")))
        return _unescaped(value) if kind in ("str", "inlineStr") else value

    def _number(self, place: Callable[[], str], text: str, style: int) -> str:
        try:
            number = Decimal(text)
        except InvalidOperation as error:
            raise ValueError(text[:20]) from error
        if not number.is_finite() or abs(number.adjusted()) > 300:
            raise ValueError(text[:20])
        shape = self._formats[style] if 0 <= style < len(self._formats) else ""
        if shape == "date":
            return self._date(place, number)
        if number != number.to_integral_value():
            return repr(float(number))
        if abs(number) >= 10**MAX_DIGITS:
            return Unreadable(
                f"Cell {place()} has a number with more than {MAX_DIGITS} digits, "
                f"but Excel keeps only {MAX_DIGITS}. Enter it as text."
            )
        return f"{int(number):0{max(1, len(shape))}d}"

    def _date(self, place: Callable[[], str], number: Decimal) -> str:
        try:
            at = datetime.combine(self._epoch, time()) + timedelta(seconds=round(float(number) * 86400))
        except OverflowError:
            return Unreadable(f"Cell {place()} has an invalid date.")
        return at.date().isoformat() if at.time() == time() else at.isoformat(" ", "minutes")

    def _refuse_column(self, sheet: Sheet, number: int, row: Mapping[int, str]) -> None:
        if max(row) >= MAX_COLUMNS:
            raise Refused(f"The sheet '{sheet.name}' has more than {MAX_COLUMNS:,} columns in row {number}.")


# -- parsers for each part ------------------------------------------------------------------------------------------------


class _Reader:
    """Receives every element and its attributes by local name, and the text."""

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


@dataclass
class _Relations(_Reader):
    found: dict[str, tuple[str, str]] = field(default_factory=dict)  # id: kind and target

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            self.found[attributes["Id"]] = attributes["Type"], attributes["Target"]


@dataclass
class _Book(_Reader):
    sheets: list[tuple[str, str]] = field(default_factory=list)  # name and relation id
    from_1904: bool = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sheet" and attributes.get("state", "visible") == "visible":
            self.sheets.append((attributes["name"], attributes["id"]))
        elif name == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")


@dataclass
class _Styles(_Reader):
    codes: dict[int, str] = field(default_factory=dict)
    used: list[int] = field(default_factory=list)  # the number format of each style
    inside: bool = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "numFmt":
            self.codes[int(attributes["numFmtId"])] = attributes["formatCode"][:255]
        elif name == "cellXfs":
            self.inside = True
        elif name == "xf" and self.inside:
            self.used.append(int(attributes.get("numFmtId", "0")))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self.inside = False


class _Text(_Reader):
    """Collects the text in `t` or `v`, which may be split by formatting. Phonetic hints are skipped."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._open = False
        self._spoken = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "rPh":
            self._spoken = True
        self._open = name in ("t", "v") and not self._spoken

    def end(self, name: str) -> None:
        if name == "rPh":
            self._spoken = False
        self._open = False

    def text(self, data: str) -> None:
        if self._open:
            self._length = _within(self._length + len(data), 0, MAX_TEXT)
            self._pieces.append(data)

    def taken(self) -> str | None:
        """Return the text read since the last call, or None."""
        found = "".join(self._pieces) if self._pieces else None
        self._pieces, self._length = [], 0
        return found


class _Strings(_Text):
    """The shared strings that cells refer to by index."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.found.append(_unescaped(self.taken() or ""))


class _Cells(_Text):
    """The rows of a sheet read so far, each as a mapping from column number to text."""

    def __init__(self, text_of: Callable[[Callable[[], str], Attributes, str | None, bool], str]) -> None:
        super().__init__()
        self.rows: deque[tuple[int, dict[int, str]]] = deque()
        self._text_of = text_of
        self.merged: list[str] = []
        self._number = 0
        self._row: dict[int, str] = {}
        self._column = -1
        self._cell: Attributes | None = None
        self._has_formula = False

    def start(self, name: str, attributes: Attributes) -> None:
        super().start(name, attributes)
        if name == "row":
            self._number = _within(int(attributes.get("r", self._number + 1)), 1, MAX_ROW)
            self._row, self._column = {}, -1
        elif name == "c":
            self._cell, self._has_formula = attributes, False
            self._column = _column_of(attributes["r"]) if "r" in attributes else self._column + 1
        elif name == "f":
            self._has_formula = True
        elif name == "mergeCell":
            self.merged.append(attributes["ref"])

    def end(self, name: str) -> None:
        super().end(name)
        if name == "c" and self._cell is not None:
            value = self.taken()
            if value is not None or self._has_formula:
                text = self._text_of(self._place, self._cell, value, self._has_formula)
                if text.strip():
                    self._row[self._column] = text
            self._cell = None
        elif name == "row" and self._row:
            self.rows.append((self._number, self._row))

    def _place(self) -> str:
        return f"{_letters(self._column)}{self._number}"


# -- cell references ------------------------------------------------------------------------------------------------------


def rows_of_range(reference: str) -> tuple[int, int]:
    """Return the first and the last row of a range such as B2:B9."""
    ends = [REFERENCE.fullmatch(end) for end in reference.split(":")]
    numbers = [int(end[2]) for end in ends if end is not None]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def _column_of(reference: str) -> int:
    found = REFERENCE.fullmatch(reference)
    if found is None:
        raise ValueError(reference[:20])
    number = 0
    for letter in found[1]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _letters(column: int) -> str:
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _within(number: int, least: int, most: int) -> int:
    if not least <= number <= most:
        raise ValueError(str(number)[:20])
    return number


def _kind_of_format(number: int, code: str) -> str:
    if number in BUILT_IN_DATES and not code:
        return "date"
    plain = NOT_A_DATE.sub("", code.split(";")[0])
    if plain and not plain.strip("0"):
        return plain
    return "date" if re.search(r"[dmyhs]", plain, re.IGNORECASE) and "general" not in plain.casefold() else ""


def _unescaped(text: str) -> str:
    """Decode `_x000D_`, the notation of a workbook for characters that XML cannot contain."""
    return ESCAPED.sub(lambda found: "" if 0xD800 <= int(found[1], 16) < 0xE000 else chr(int(found[1], 16)), text)
