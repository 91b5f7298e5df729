"""The rows of an import: what a file says about each person, and what the import does with it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from autograder.courses.errors import Refused


class RowStatus(StrEnum):
    """What an import does with a row."""

    NEW = "new"
    CHANGED = "changed"
    FILLED = "filled"
    UNCHANGED = "known"
    NOT_A_MEMBER = "stranger"
    BAD = "bad"


@dataclass(frozen=True)
class ImportRow:
    """One line of the file. `values` are by our own column names; without any the row cannot be read, and `message` says why."""

    line: int
    values: Mapping[str, str]
    status: RowStatus = RowStatus.UNCHANGED
    message: str = ""  # the reason for the status, or what would change
    person: str = ""  # the first cell, which usually is a name
    membership_id: int | None = None
    owner: str = ""  # the login of another account with this row's email address

    @property
    def login(self) -> str:
        return self.values.get("login", "")

    @property
    def is_bad(self) -> bool:
        return self.status == RowStatus.BAD


@dataclass
class EarlierLines:
    """Remembers in which line a value occurred first."""

    _lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def first_line(self, kind: str, value: str, line: int) -> int | None:
        """Return the earlier line with this value, or None if `line` is the first."""
        first = self._lines.setdefault((kind, value), line)
        return first if first != line else None


def count_by_status(rows: Iterable[ImportRow], statuses: Sequence[RowStatus]) -> dict[RowStatus, int]:
    counts = Counter(row.status for row in rows)
    return {status: counts[status] for status in statuses}


def refuse_bad_rows(rows: Iterable[ImportRow]) -> None:
    bad = [row for row in rows if row.is_bad]
    if bad:
        more = len(bad) - 1
        others = f" {more} more {'row has a problem' if more == 1 else 'rows have problems'}." if more else ""
        raise Refused(f"Nothing was imported. Line {bad[0].line}: {bad[0].message}{others}")
