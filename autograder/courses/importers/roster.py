"""Imports a roster: all rows are evaluated first; then all of them are applied, or none.

An import creates accounts and members. It never makes anyone site staff or owner of the course, never changes an owner's
role, and never changes the name or email address of an existing account: the account may belong to other courses, too, and
changing its address would allow resetting its password.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction

from autograder.courses import audit, rights
from autograder.courses.accounts.selectors import users_with_logins
from autograder.courses.accounts.services import account_create
from autograder.courses.accounts.validation import names_of
from autograder.courses.errors import Refused
from autograder.courses.importers.list_formats import COLUMNS, roster_format
from autograder.courses.importers.people_table import read_people_table
from autograder.courses.importers.roster_matching import add_logins, match_rows, wanted_role
from autograder.courses.importers.rows import ImportRow, RowStatus, count_by_status, refuse_bad_rows
from autograder.courses.models import Course, Membership, Role, Section, User
from autograder.courses.people.members import member_add, member_details_update, member_role_update
from autograder.courses.rights import Acting, Right
from autograder.courses.setup.courses import section_create

MAX_TRIES = 3
LISTS = (
    f"the column 'login' (other columns that are read: {', '.join(COLUMNS[1:])}), "
    "or with the columns of a list from Canvas, Moodle or Gradescope, in English"
)
STATUSES = (RowStatus.NEW, RowStatus.UNCHANGED, RowStatus.CHANGED, RowStatus.BAD)


@dataclass(frozen=True)
class RosterPreview:
    course: Course
    rows: tuple[ImportRow, ...]
    ignored: tuple[str, ...] = ()  # unknown columns
    source: str = "plain"  # the program that wrote the file
    sheet: str = ""  # the sheet of a workbook that was read
    other_sheets: tuple[str, ...] = ()  # sheets with data that were not read

    @property
    def counts(self) -> dict[RowStatus, int]:
        return count_by_status(self.rows, STATUSES)

    @property
    def bad(self) -> list[ImportRow]:
        return [row for row in self.rows if row.is_bad]

    @property
    def owned(self) -> int:
        """The number of rows that could be imported with the account that owns their email address."""
        return sum(bool(row.owner) for row in self.rows)


def roster_preview(data: bytes, course: Course) -> RosterPreview:
    """Return the rows of the file and what would happen to each if it were applied now. Stores nothing."""
    table = read_people_table(data, what="The roster", format_of=roster_format, required=LISTS)
    rows = [row for row in table.rows if not row.person.startswith(table.format.test_student)]
    if table.format.email_is_login:
        rows = add_logins(rows)
    rows = [
        replace(row, values={**row.values, "login": User.normalize_username(row.login)}) if row.values else row
        for row in rows
    ]
    return RosterPreview(
        course, match_rows(rows, course), table.ignored, table.format.label, table.sheet, table.other_sheets
    )


def with_owners_of_emails(preview: RosterPreview) -> RosterPreview:
    """Match rows whose email address belongs to another account to that account."""
    rows = [
        replace(row, values={**row.values, "login": row.owner or row.login}) if row.values else row for row in preview.rows
    ]
    return replace(preview, rows=match_rows(rows, preview.course))


def roster_import(*, preview: RosterPreview, by: Acting, only_good: bool = False) -> RosterPreview:
    """Import the roster. If a row is bad, nothing is imported unless `only_good`. Rows are evaluated again, because the
    course may have changed."""
    rights.require(by, Right.PEOPLE, preview.course)
    for _ in range(MAX_TRIES):
        try:
            return _import(preview, by, only_good=only_good)
        except IntegrityError:  # one of the accounts was created concurrently; it is found at the next try
            continue
    raise Refused("Another person is adding the same people. Nothing was imported. Import the roster again.")


def _import(preview: RosterPreview, by: Acting, *, only_good: bool) -> RosterPreview:
    course = preview.course
    with transaction.atomic():
        fresh = replace(preview, rows=match_rows(preview.rows, course))
        if not only_good:
            refuse_bad_rows(fresh.rows)
        counts: dict[str, Any] = {str(status): count for status, count in fresh.counts.items()}
        with audit.parts_of(audit.record("roster-imported", course, actor=by.user, course=course, **counts)):
            _import_rows([row for row in fresh.rows if row.status in (RowStatus.NEW, RowStatus.CHANGED)], course, by)
    return fresh


def _import_rows(rows: Sequence[ImportRow], course: Course, by: Acting) -> None:
    sections = {section.name: section for section in course.sections.all()}
    users = users_with_logins([row.login for row in rows])
    for row in rows:
        user = users.get(row.login) or users.get(row.login.casefold())
        if user is None:
            user = account_create(login=row.login, email=row.values.get("email", ""), course=course, **names_of(row.values))
        name = row.values.get("section", "")
        if name and name not in sections:
            sections[name] = section_create(course=course, name=name, by=by)
        _import_member(row, course, user, sections.get(name), by)


def _import_member(row: ImportRow, course: Course, user: User, section: Section | None, by: Acting) -> None:
    """Add or change a member. Empty cells change nothing."""
    role = wanted_role(row.values)
    ids = {name: row.values.get(name, "") for name in ("lms_id", "sis_id")}
    member = Membership.objects.filter(course=course, user=user).select_related("section").first()
    section = section or (member.section if member else None)
    if member is None or member.removed_at is not None:
        member_add(course=course, user=user, role=role or Role.STUDENT, section=section, by=by, **ids)
        return
    kept = {name: value or getattr(member, name) for name, value in ids.items()}
    member_details_update(membership=member, section=section, by=by, **kept)
    if role and role != member.role:
        member_role_update(membership=member, role=role, by=by)
