"""Previews what would happen to every cell of a table of scores if it were imported now. Stores nothing."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

from django.utils import timezone

from autograder.courses.accounts.validation import LABELS
from autograder.courses.errors import Refused
from autograder.courses.importers.member_index import MemberIndex
from autograder.courses.models import Assignment, Course, Membership, Role
from autograder.courses.people.extensions import StudentTerms, terms_where_extended
from autograder.courses.tables import csv_reader
from autograder.gradebook.grades.scores import NO_SCORE, Score, ScoreKey, scores_of_course
from autograder.gradebook.grades.totals import plain
from autograder.gradebook.imports.score_file import FileRow, NotPoints, ScoreFile, points_in

OUT_OF = re.compile(r"\s*\((?:out )?of ([\d.,]+)\)$", re.IGNORECASE | re.ASCII)
ABOUT_PEOPLE = ("name", "student", "last_name", "first_name", "email", "e_mail", "section", "login", "lms_id", "sis_id")


class CellStatus(StrEnum):
    """What happens to a cell, in the order of how much it needs a decision."""

    CONFLICT = "replaces"
    BAD = "cannot be imported"
    EXCUSED = "excused"
    NEW = "new"
    SAME = "unchanged"


@dataclass(frozen=True)
class ScoreCell:
    """A non-empty cell. `words` describes the existing value, or why the cell cannot be imported."""

    assignment: Assignment
    said: str
    status: CellStatus
    words: str = ""
    points: Decimal | None = None
    score: Score = NO_SCORE  # the current score

    @property
    def is_above(self) -> bool:
        """Whether the points would change and exceed the maximum of the assignment."""
        changes = self.status in (CellStatus.NEW, CellStatus.CONFLICT)
        return changes and self.points is not None and self.points > self.assignment.points

    @property
    def judgement(self) -> str:
        above = ", above" if self.is_above else ""
        return f"{self.assignment.slug}: {self.status}, {self.words}{above}"


@dataclass(frozen=True)
class ScoreRow:
    """A line of the file. Without a member nothing of it can be imported, and `words` gives the reason."""

    line: int
    who: str
    member: Membership | None = None
    cells: tuple[ScoreCell, ...] = ()
    words: str = ""

    @property
    def judgement(self) -> tuple[str, ...]:
        """A summary of the row's treatment, for comparison with a later preview."""
        who = self.member.user.username if self.member else ""
        return (f"{who} {self.words}", *(cell.judgement for cell in self.cells))


@dataclass(frozen=True)
class ScorePreview:
    course: Course
    file: ScoreFile
    assignments: tuple[Assignment, ...]  # assignments with a column in the file
    rows: tuple[ScoreRow, ...]
    ignored: tuple[tuple[str, str], ...]  # columns that are not an assignment, and why

    @cached_property
    def bad_rows(self) -> tuple[ScoreRow, ...]:
        return tuple(row for row in self.rows if row.member is None)

    def cells(self, *statuses: CellStatus) -> list[tuple[ScoreRow, ScoreCell]]:
        return [(row, cell) for row in self.rows for cell in row.cells if cell.status in statuses]

    @cached_property
    def above(self) -> list[tuple[ScoreRow, ScoreCell]]:
        return [(row, cell) for row in self.rows for cell in row.cells if cell.is_above]

    @cached_property
    def counts(self) -> dict[CellStatus, int]:
        return {status: len(self.cells(status)) for status in CellStatus}

    @property
    def judgements(self) -> tuple[tuple[str, ...], ...]:
        return tuple(row.judgement for row in self.rows)


def preview_scores(course: Course, file: ScoreFile, now: datetime | None = None) -> ScorePreview:
    columns, ignored = _columns(course, file)
    assignments = [column for column in columns if isinstance(column, Assignment)]
    people = People(course, file)
    with_scores = [row for row in file.rows if row.unreadable or _said(row, columns)]  # other rows have nothing to import
    found = [(row, people.find(row.who)) for row in with_scores]
    lines: dict[int, list[int]] = defaultdict(list)
    for row, who in found:
        if isinstance(who, Membership):
            lines[who.pk].append(row.line)
    bench = Bench(assignments, list(lines), now or timezone.now(), file.exported)
    rows = tuple(_row(row, who, lines, columns, bench) for row, who in found)
    return ScorePreview(course, file, tuple(assignments), rows, ignored)


# -- columns --------------------------------------------------------------------------------------------------------------


def _columns(course: Course, file: ScoreFile) -> tuple[list[Assignment | None], tuple[tuple[str, str], ...]]:
    """Return the assignment of each column, or None, and the columns that are ignored."""
    known = _known_names(course, by_slug_alone=file.exported)
    columns: list[Assignment | None] = []
    ignored = []
    taken: dict[int, str] = {}
    for header in file.columns:
        found = _assignment(header, known)
        columns.append(found if isinstance(found, Assignment) else None)
        if isinstance(found, str):
            ignored.append((header, found))
        elif found is not None:
            other = taken.setdefault(found.pk, header)
            if other is not header:
                raise Refused(f"The columns '{other}' and '{header}' are the same assignment, {found.title}. Remove one.")
    if not taken:
        there = ", ".join(course.assignments.filter(removed_at=None).values_list("slug", flat=True)) or "none"
        raise Refused(f"No column of the file is an assignment of {course.title}. Its assignments: {there}.")
    return columns, tuple(ignored)


def _known_names(course: Course, *, by_slug_alone: bool) -> Mapping[str, Sequence[Assignment]]:
    known: dict[str, list[Assignment]] = defaultdict(list)
    for assignment in course.assignments.filter(removed_at=None).select_related("course"):
        names = {assignment.slug.casefold()} if by_slug_alone else {assignment.slug.casefold(), _name(assignment.title)}
        for name in names:
            known[name].append(assignment)
    return known


def _assignment(header: str, known: Mapping[str, Sequence[Assignment]]) -> Assignment | str | None:
    """Return the assignment of a column, None for a column about people, or else the reason why it is not an assignment."""
    found, out_of = known.get(_name(header), ()), OUT_OF.search(header)
    if not found and out_of:
        found = known.get(_name(header[: out_of.start()]), ())
        if len(found) == 1 and not _is_worth(found[0], out_of[1]):
            return f"{found[0].title} is worth {plain(found[0].points)} points"
    if len(found) > 1:
        return f"this matches {len(found)} assignments: use one of {', '.join(assignment.slug for assignment in found)}"
    if found:
        return found[0]
    return None if csv_reader.column_name(header) in ABOUT_PEOPLE else "no assignment has this title or slug"


def _is_worth(assignment: Assignment, said: str) -> bool:
    try:
        return points_in(said) == assignment.points
    except NotPoints:
        return False


def _name(text: str) -> str:
    return " ".join(csv_reader.clean(text).casefold().split())


# -- people ---------------------------------------------------------------------------------------------------------------


class People:
    """Finds the members of a course by the identifiers that the file may use."""

    def __init__(self, course: Course, file: ScoreFile) -> None:
        self._identifiers = file.identities
        self._index = MemberIndex(course.memberships.select_related("user", "course").order_by("pk"))

    def find(self, who: str) -> Membership | str:
        """Return a student of the course, or a message why there is none."""
        if not who:
            return "The first column is empty, so the row does not identify a student."
        found: dict[Membership, str] = {}
        for identifier in self._identifiers:
            for member in self._index.find(identifier, who):
                found.setdefault(member, LABELS[identifier])
        members = sorted((member for member in found if member.removed_at is None), key=lambda member: member.pk)
        if len(members) > 1:
            owners = " and ".join(f"the {found[member]} of {member.user.username}" for member in members)
            return f"{who} is {owners}."
        if not members:
            return f"{who} was removed from the course." if found else f"{who} is not in the course."
        return members[0] if members[0].role == Role.STUDENT else f"{who} is not a student of the course."


# -- cells ----------------------------------------------------------------------------------------------------------------


class Bench:
    """Compares cells with the current scores of these members."""

    def __init__(self, assignments: Sequence[Assignment], members: Sequence[int], now: datetime, exported: bool) -> None:
        self._terms: Mapping[ScoreKey, StudentTerms] = terms_where_extended(assignments, members)
        self._scores = scores_of_course(assignments, members, self._terms)
        self._now, self._exported = now, exported

    def judged(self, assignment: Assignment, member: Membership, said: str) -> ScoreCell:
        score = self._scores[member.pk, assignment.pk]
        try:
            points = points_in(said)
        except NotPoints as trouble:
            return ScoreCell(assignment, said, CellStatus.BAD, str(trouble), score=score)
        status, words = self._status(assignment, member, points, score)
        return ScoreCell(assignment, said, status, words, points, score)

    def _status(self, assignment: Assignment, member: Membership, points: Decimal, score: Score) -> tuple[CellStatus, str]:
        if score.excuse is not None:
            return CellStatus.EXCUSED, "still excused; withdraw the excuse to set points"
        if score.points == points:
            return CellStatus.SAME, ""
        if score.points is not None:
            return CellStatus.CONFLICT, _standing(score)
        if self._exported and not points and self._is_past_due(assignment, member):
            return CellStatus.SAME, "missing, which already counts as 0"
        return CellStatus.NEW, ""

    def _is_past_due(self, assignment: Assignment, member: Membership) -> bool:
        own = self._terms.get((member.pk, assignment.pk))
        due_at = own.due_at if own else assignment.due_at
        return due_at is not None and due_at <= self._now


def _standing(score: Score) -> str:
    """Describe the existing points and their origin."""
    points = plain(score.points or Decimal(0))
    if score.override is None:
        return f"{points}, computed from a submission" if score.counted else points
    author = score.override.author.display_name
    return f"{points}, set by {author}: {score.override.reason}"


def _row(
    row: FileRow,
    who: Membership | str,
    lines: Mapping[int, Sequence[int]],
    columns: Sequence[Assignment | None],
    bench: Bench,
) -> ScoreRow:
    if row.unreadable:
        return ScoreRow(row.line, row.who, words=row.unreadable)
    if isinstance(who, str):
        return ScoreRow(row.line, row.who, words=who)
    others = [str(line) for line in lines[who.pk] if line != row.line]
    if others:
        return ScoreRow(
            row.line, row.who, words=f"This row is for {who.user.username}, who is also on line {', '.join(others)}."
        )
    return ScoreRow(row.line, row.who, who, tuple(bench.judged(column, who, cell) for column, cell in _said(row, columns)))


def _said(row: FileRow, columns: Sequence[Assignment | None]) -> list[tuple[Assignment, str]]:
    """Return the non-empty cells of a line with their assignments."""
    pairs = zip(columns, row.cells, strict=False)  # a line that cannot be read has no cells
    return [(column, cell) for column, cell in pairs if column is not None and cell]
