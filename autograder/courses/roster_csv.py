"""The columns of a roster, and its rows. Knows nothing of courses."""

from collections import Counter
from collections.abc import Mapping

from autograder.courses import table
from autograder.courses.errors import Refused

COLUMNS = ("login", "email", "name", "first_name", "last_name", "section", "role", "lms_id", "sis_id")
MOST_ROWS = 5_000  # imported in one transaction, for which others wait
Said = Mapping[str, str] | str  # what stands in a row by column, or why it cannot be read


def parse(text: str) -> tuple[list[tuple[int, Said]], tuple[str, ...]]:
    """Every row with the number of its line, and the columns that are not ours."""
    if not text.removeprefix("\ufeff").strip():
        raise Refused("The roster is empty.")
    lines = table.lines(text)
    _, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"The first line of the roster {header}.")
    names = [table.named(name) for name in header]
    _refuse_header(names)
    rows: list[tuple[int, Said]] = []
    for line, cells in lines:
        if isinstance(cells, str):
            rows.append((line, cells))
        elif len(cells) != len(names):
            rows.append((line, f"has {len(cells)} columns, and the header {len(names)}"))
        elif any(cell.strip() for cell in cells):
            rows.append(
                (line, {name: table.clean(cell) for name, cell in zip(names, cells, strict=True) if name in COLUMNS})
            )
        if len(rows) > MOST_ROWS:
            raise Refused(f"The roster has more than {MOST_ROWS:,} rows.")
    if not rows:
        raise Refused("The roster has a header and nobody below it.")
    ignored = tuple(said.strip() or "(no name)" for name, said in zip(names, header, strict=True) if name not in COLUMNS)
    return rows, ignored


def _refuse_header(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name in COLUMNS]
    if twice:
        raise Refused(f"The roster has the column '{twice[0]}' twice.")
    if "login" not in names:
        raise Refused(f"The roster has no column 'login'. The columns that are read: {', '.join(COLUMNS)}.")
