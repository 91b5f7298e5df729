"""Imports the ids of people in an LMS from a gradebook that was downloaded there.

The status of every row is determined first; then all rows are applied, or none. A row is matched by login, e-mail or id,
never by name, and only if none of its values points to a different person. The import neither creates members nor reads
grades.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.accounts.validation import too_long, unfit
from autograder.courses.errors import Refused
from autograder.courses.members import member_details_update
from autograder.courses.models import Course, Membership, Role
from autograder.courses.rights import Acting, Right
from autograder.courses.tables import csv_reader, uploaded_table
from autograder.courses.tables.xlsx_reader import Unreadable

WHAT = "The file"
MOST_ROWS = 5_000
WANTED = "the columns of Canvas (Student, ID, Section) or Moodle (Email address, ID number), in English"
IDS = ("lms_id", "sis_id")
WORDS = {"lms_id": "LMS id", "sis_id": "SIS id", "login": "login", "email": "e-mail"}


class Fate(StrEnum):
    FILLED = "filled"
    KNOWN = "known"
    STRANGER = "stranger"
    BAD = "bad"


@dataclass(frozen=True)
class Source:
    """The download format of an LMS: the meaning of its columns, and rows that are not about people."""

    label: str
    columns: Mapping[str, str]
    typical: tuple[str, ...]  # columns that occur together only in its files
    no_person: str = ""  # the text in the first cell of a row about something else


SOURCES = (
    Source(
        "Canvas",
        {"id": "lms_id", "sis_user_id": "sis_id", "sis_login_id": "login"},
        ("student", "id", "section"),
        "Points Possible",
    ),
    Source(
        "Moodle",
        {"id_number": "sis_id", "email_address": "email", "username": "login", "user_id": "lms_id"},
        ("email_address",),
    ),
)


@dataclass(frozen=True)
class Row:
    """One line of the file. `words` is the reason for its status, or what would change."""

    line: int
    who: str
    said: Mapping[str, str]
    fate: Fate = Fate.KNOWN
    words: str = ""
    membership_id: int | None = None


@dataclass(frozen=True)
class Ids:
    course: Course
    source: str
    rows: tuple[Row, ...]
    absent: tuple[str, ...] = ()  # students of the course missing from the file, by login

    @property
    def counts(self) -> dict[Fate, int]:
        counted = Counter(row.fate for row in self.rows)
        return {fate: counted[fate] for fate in Fate}

    @property
    def bad(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.fate == Fate.BAD)


def read(data: bytes, course: Course) -> Ids:
    """Return what would happen to every row if the file were applied now. Stores nothing."""
    file = uploaded_table.opened(data, what=WHAT, is_header=_is_header, wanted=WANTED)
    lines = file.lines
    _, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"The first line of the file {header}.")
    names = [csv_reader.named(name) for name in header]
    source = _source(names)
    rows: list[Row] = []
    for line, cells in lines:
        row = _row(line, cells, names, source)
        rows += [row] if row else []
        if len(rows) > MOST_ROWS:
            raise Refused(f"{WHAT} has more than {MOST_ROWS:,} rows.")
    if not rows:
        raise Refused(f"{WHAT} has a header but no rows.")
    label = f"{source.label}, sheet '{file.sheet}'" if file.sheet else source.label
    return _judged(course, label, rows)


def apply(ids: Ids, *, by: Acting, only_good: bool = False) -> Ids:
    """Store the ids. If a row is bad, nothing is stored unless `only_good`. Rows are evaluated again, because the course may
    have changed."""
    rights.require(by, Right.PEOPLE, ids.course)
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=ids.course.pk)
        fresh = _judged(ids.course, ids.source, [replace(row, fate=_unjudged(row)) for row in ids.rows])
        if fresh.bad and not only_good:
            first = fresh.bad[0]
            more = f" and {len(fresh.bad) - 1} more" if len(fresh.bad) > 1 else ""
            raise Refused(f"Nothing was imported. Line {first.line}: {first.words}{more}.")
        members = {member.pk: member for member in _members(ids.course)}
        for row in fresh.rows:
            if row.fate == Fate.FILLED and row.membership_id is not None:
                _fill(members[row.membership_id], row.said, by)
        counts: dict[str, Any] = {str(fate): count for fate, count in fresh.counts.items()}
        audit.record("ids-imported", ids.course, actor=by.user, course=ids.course, source=ids.source, **counts)
    return fresh


# -- the file -------------------------------------------------------------------------------------------------------------


def _is_header(cells: Sequence[str]) -> bool:
    return _source_of([csv_reader.named(cell) for cell in cells]) is not None


def _source_of(names: Sequence[str]) -> Source | None:
    return next((one for one in SOURCES if set(one.typical) <= set(names)), None)


def _source(names: Sequence[str]) -> Source:
    source = _source_of(names)
    if source is None:
        raise Refused(
            f"{WHAT} is no gradebook that was downloaded from Canvas (Student, ID, Section) "
            "or Moodle (Email address, ID number) in English."
        )
    count = Counter(source.columns[name] for name in names if name in source.columns)
    twice = next((name for name in names if count.get(source.columns.get(name, ""), 0) > 1), None)
    if twice:
        raise Refused(f"{WHAT} has the column '{twice}' twice.")
    return source


def _row(line: int, cells: list[str] | str, names: Sequence[str], source: Source) -> Row | None:
    """Return None for a line that is not about a person: blank, maximum points, or without any id."""
    if isinstance(cells, str):
        return Row(line, "", {}, Fate.BAD, cells)
    if source.no_person and source.no_person in cells[0]:
        return None
    if len(cells) != len(names):
        return Row(line, "", {}, Fate.BAD, f"has {len(cells)} columns, and the header {len(names)}")
    pairs = list(zip(names, cells, strict=True))
    unreadable = [cell for name, cell in pairs if name in source.columns and isinstance(cell, Unreadable)]
    if unreadable:
        return Row(line, "", {}, Fate.BAD, str(unreadable[0]))
    said = {source.columns[name]: csv_reader.clean(cell) for name, cell in pairs if name in source.columns}
    said = {name: value for name, value in said.items() if value}
    return Row(line, csv_reader.clean(cells[0]), said) if said else None


def _unjudged(row: Row) -> Fate:
    """Return the status before evaluation: rows that cannot be read stay bad."""
    return row.fate if not row.said else Fate.KNOWN


# -- evaluating the rows --------------------------------------------------------------------------------------------------


@dataclass
class Bench:
    """Evaluates rows against the members by all their identifiers, and against the previous rows."""

    members: Mapping[int, Membership]
    known: Mapping[tuple[str, str], Sequence[int]]
    seen: dict[int, int] = field(default_factory=dict)
    given: dict[tuple[str, str], int] = field(default_factory=dict)

    def fate(self, row: Row) -> Row:
        trouble = _trouble(row.said) or self._twice(row)
        if trouble:
            return replace(row, fate=Fate.BAD, words=trouble)
        found = {name: self.known.get((name, value.casefold()), ()) for name, value in row.said.items()}
        pointed = {pk for owners in found.values() for pk in owners}
        if not pointed:
            return replace(row, fate=Fate.STRANGER, words="is not in the course")
        if len(pointed) > 1:
            return replace(row, fate=Fate.BAD, words=self._torn(row.said, found))
        (pk,) = pointed
        if self.seen.setdefault(pk, row.line) != row.line:
            return replace(row, fate=Fate.BAD, words=f"is {self._login(pk)}, who stands in line {self.seen[pk]} already")
        changes = _changes(self.members[pk], row.said)
        return replace(row, fate=Fate.FILLED if changes else Fate.KNOWN, words="; ".join(changes), membership_id=pk)

    def _twice(self, row: Row) -> str:
        """Report an id that another row contains already: shared ids would assign grades to the wrong person."""
        for name in IDS:
            value = row.said.get(name, "")
            first = self.given.setdefault((name, value.casefold()), row.line)
            if value and first != row.line:
                return f"{WORDS[name]} {value} stands in line {first} already"
        return ""

    def _torn(self, said: Mapping[str, str], found: Mapping[str, Sequence[int]]) -> str:
        owners = (
            f"{WORDS[name]} {said[name]} is that of {' and '.join(self._login(pk) for pk in pks)}"
            for name, pks in found.items()
            if pks
        )
        return ", ".join(owners)

    def _login(self, pk: int) -> str:
        return self.members[pk].user.username


def _judged(course: Course, source: str, rows: Iterable[Row]) -> Ids:
    members = {member.pk: member for member in _members(course)}
    bench = Bench(members, _known(members.values()))
    judged = tuple(row if row.fate == Fate.BAD else bench.fate(row) for row in rows)
    found = {row.membership_id for row in judged}
    absent = (one.user.username for one in members.values() if one.role == Role.STUDENT and one.pk not in found)
    return Ids(course, source, judged, tuple(absent))


def _members(course: Course) -> Iterable[Membership]:
    return course.memberships.filter(removed_at=None).select_related("user", "section").order_by("user__username")


def _known(members: Iterable[Membership]) -> dict[tuple[str, str], list[int]]:
    """Index the members by their identifiers. Many schools' LMS contains an e-mail address in the login column."""
    known: dict[tuple[str, str], list[int]] = defaultdict(list)
    for member in members:
        login, email = member.user.username.casefold(), member.user.email.casefold()
        keys = {("login", login), ("login", email), ("email", email)}
        keys |= {(name, getattr(member, name).casefold()) for name in IDS}
        for name, value in keys:
            if value:
                known[name, value].append(member.pk)
    return known


def _trouble(said: Mapping[str, str]) -> str:
    for name in IDS:
        value = said.get(name, "")
        if words := unfit(WORDS[name], value) or too_long(name, value).replace(name, WORDS[name]):
            return words
    return ""


def _changes(member: Membership, said: Mapping[str, str]) -> list[str]:
    """Describe what the row would change. Empty cells change nothing."""
    now = {name: getattr(member, name) for name in IDS}
    return [
        f"{member.user.username}: {WORDS[name]} {before or 'none'} → {said[name]}"
        for name, before in now.items()
        if said.get(name) and said[name] != before
    ]


def _fill(member: Membership, said: Mapping[str, str], by: Acting) -> None:
    ids = {name: said.get(name) or getattr(member, name) for name in IDS}
    member_details_update(membership=member, by=by, section=member.section, **ids)
