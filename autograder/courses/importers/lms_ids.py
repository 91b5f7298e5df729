"""Imports the ids of people in an LMS from a gradebook that was downloaded there.

The status of every row is determined first; then all rows are applied, or none. A row is matched by login, email address or
id, never by name, and only if none of its values points to a different person. The import neither creates members nor reads
grades.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.accounts.validation import LABELS, validate_text
from autograder.courses.errors import AtField
from autograder.courses.importers.list_formats import gradebook_format
from autograder.courses.importers.member_index import IDENTIFIERS, MemberIndex
from autograder.courses.importers.people_table import read_people_table
from autograder.courses.importers.rows import EarlierLines, ImportRow, RowStatus, count_by_status, refuse_bad_rows
from autograder.courses.models import Course, Membership, Role
from autograder.courses.people.members import member_details_update
from autograder.courses.rights import Acting, Right

GRADEBOOKS = "the columns of a gradebook from Canvas (Student, ID, Section) or Moodle (Email address, ID number), in English"
IDS = ("lms_id", "sis_id")
STATUSES = (RowStatus.FILLED, RowStatus.UNCHANGED, RowStatus.NOT_A_MEMBER, RowStatus.BAD)


@dataclass(frozen=True)
class LmsIdsPreview:
    course: Course
    source: str  # the LMS, and the sheet of a workbook
    rows: tuple[ImportRow, ...]
    absent: tuple[str, ...] = ()  # students of the course missing from the file, by login

    @property
    def counts(self) -> dict[RowStatus, int]:
        return count_by_status(self.rows, STATUSES)

    @property
    def bad(self) -> list[ImportRow]:
        return [row for row in self.rows if row.is_bad]


def lms_ids_preview(data: bytes, course: Course) -> LmsIdsPreview:
    """Return what would happen to every row if the file were applied now. Stores nothing."""
    table = read_people_table(data, what="The file", format_of=gradebook_format, required=GRADEBOOKS)
    read = [
        replace(row, values={name: row.values[name] for name in IDENTIFIERS if row.values.get(name)}) for row in table.rows
    ]
    about_people = [row for row in read if row.values or row.is_bad]
    source = f"{table.format.label}, sheet '{table.sheet}'" if table.sheet else table.format.label
    return _preview(course, source, about_people)


def lms_ids_import(preview: LmsIdsPreview, *, by: Acting, only_good: bool = False) -> LmsIdsPreview:
    """Store the ids. If a row is bad, nothing is stored unless `only_good`. Rows are evaluated again, because the course may
    have changed."""
    course = preview.course
    rights.require(by, Right.PEOPLE, course)
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        fresh = _preview(course, preview.source, preview.rows)
        if not only_good:
            refuse_bad_rows(fresh.rows)
        members = {member.pk: member for member in _members(course)}
        for row in fresh.rows:
            if row.status == RowStatus.FILLED and row.membership_id is not None:
                _fill(members[row.membership_id], row.values, by)
        counts: dict[str, Any] = {str(status): count for status, count in fresh.counts.items()}
        audit.record("ids-imported", course, actor=by.user, course=course, source=preview.source, **counts)
    return fresh


@dataclass
class _RowMatcher:
    """Matches rows to the members of a course, and compares them with the previous rows."""

    members: MemberIndex
    earlier: EarlierLines = field(default_factory=EarlierLines)

    def matched(self, row: ImportRow) -> ImportRow:
        try:
            for name in IDS:
                validate_text(name, row.values.get(name, ""))
        except AtField as refused:
            return replace(row, status=RowStatus.BAD, message=refused.message)
        if repeated := self._repeated_id(row):
            return replace(row, status=RowStatus.BAD, message=repeated)
        found = {name: self._find(name, value) for name, value in row.values.items()}
        people = {member.pk: member for members in found.values() for member in members}
        if not people:
            return replace(row, status=RowStatus.NOT_A_MEMBER, message="not in the course")
        if len(people) > 1:
            return replace(row, status=RowStatus.BAD, message=_several_people(row.values, found))
        (member,) = people.values()
        first = self.earlier.first_line("member", str(member.pk), row.line)
        if first is not None:
            message = f"This row is for {member.user.username}, who is already on line {first}."
            return replace(row, status=RowStatus.BAD, message=message)
        changes = _changes(member, row.values)
        status = RowStatus.FILLED if changes else RowStatus.UNCHANGED
        return replace(row, status=status, message="; ".join(changes), membership_id=member.pk)

    def _find(self, name: str, value: str) -> list[Membership]:
        """Many schools' LMS contains an email address in the login column."""
        identifiers = ("login", "email") if name == "login" else (name,)
        return list(dict.fromkeys(member for identifier in identifiers for member in self.members.find(identifier, value)))

    def _repeated_id(self, row: ImportRow) -> str:
        """Report an id that another row contains already: shared ids would assign grades to the wrong person."""
        for name in IDS:
            value = row.values.get(name, "")
            first = self.earlier.first_line(name, value.casefold(), row.line) if value else None
            if first is not None:
                return f"The {LABELS[name]} {value} is already on line {first}."
        return ""


def _several_people(values: Mapping[str, str], found: Mapping[str, Sequence[Membership]]) -> str:
    owners = (
        f"{LABELS[name]} {values[name]} belongs to {' and '.join(member.user.username for member in members)}"
        for name, members in found.items()
        if members
    )
    return f"The values belong to different people: {', '.join(owners)}."


def _preview(course: Course, source: str, rows: Iterable[ImportRow]) -> LmsIdsPreview:
    members = list(_members(course))
    matcher = _RowMatcher(MemberIndex(members))
    matched = tuple(matcher.matched(replace(row, membership_id=None)) if row.values else row for row in rows)
    found = {row.membership_id for row in matched}
    absent = (member.user.username for member in members if member.role == Role.STUDENT and member.pk not in found)
    return LmsIdsPreview(course, source, matched, tuple(absent))


def _members(course: Course) -> Iterable[Membership]:
    return course.memberships.filter(removed_at=None).select_related("user", "section").order_by("user__username")


def _changes(member: Membership, values: Mapping[str, str]) -> list[str]:
    """Describe what the row would change. Empty cells change nothing."""
    return [
        f"{member.user.username}: {LABELS[name]} {getattr(member, name) or 'none'} → {values[name]}"
        for name in IDS
        if values.get(name) and values[name] != getattr(member, name)
    ]


def _fill(member: Membership, values: Mapping[str, str], by: Acting) -> None:
    ids = {name: values.get(name) or getattr(member, name) for name in IDS}
    member_details_update(membership=member, by=by, section=member.section, **ids)
