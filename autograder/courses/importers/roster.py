"""Imports a roster: all rows are evaluated first; then all of them are applied, or none.

An import creates accounts and members. It never makes anyone site staff or owner of the course, never changes an owner's
role, and never changes the name or e-mail address of an existing account: the account may belong to other courses, too, and
changing its address would allow resetting its password.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Lower

from autograder.courses import audit, rights
from autograder.courses.accounts.access import ENDS, others_have_given
from autograder.courses.accounts.selectors import BY_LINK, owners_of_addresses
from autograder.courses.accounts.services import account_create
from autograder.courses.accounts.validation import names_of, row_trouble
from autograder.courses.courses import section_create
from autograder.courses.errors import Refused
from autograder.courses.importers import roster_csv
from autograder.courses.members import member_add, member_details_update, member_role_update
from autograder.courses.models import Course, Membership, Role, Section, User
from autograder.courses.rights import Acting, Right
from autograder.courses.tables import uploaded_table

TRIES = 3
ASKED = 400  # logins per database query


ANOTHER_ADDRESS = (
    "has an account with another e-mail, to which reset links would be sent, and staff of another course may have chosen it; "
    "ask an operator"
)


class Fate(StrEnum):
    NEW = "new"
    KNOWN = "known"
    CHANGED = "changed"
    BAD = "bad"


@dataclass(frozen=True)
class Row:
    """One line of the file, its values and its status. `words` is the reason for the status, or what would change."""

    line: int
    said: Mapping[str, str]
    fate: Fate = Fate.KNOWN
    words: str = ""
    owner: str = ""  # the login of another account with this row's e-mail address

    @property
    def login(self) -> str:
        return self.said.get("login", "")


@dataclass(frozen=True)
class Roster:
    course: Course
    rows: tuple[Row, ...]
    ignored: tuple[str, ...] = ()  # unknown columns
    counts: Mapping[Fate, int] = field(default_factory=dict)
    source: str = "plain"  # the program that wrote the file
    sheet: str = ""  # the sheet of a workbook that was read
    other_sheets: tuple[str, ...] = ()  # sheets with data that were not read

    @property
    def bad(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.fate == Fate.BAD)

    @property
    def owned(self) -> int:
        """The number of rows that could be imported with the account that owns their e-mail address."""
        return sum(bool(row.owner) for row in self.rows)


def read(text: str, course: Course) -> Roster:
    """Return the rows of the file and what would happen to each if it were applied now. Stores nothing."""
    return _read(roster_csv.parse(text), course)


def read_file(data: bytes, course: Course) -> Roster:
    """Like `read`, for a CSV file or an Excel workbook."""
    wanted = "the column 'login', or with those of a list from Canvas, Moodle or Gradescope, in English"
    file = uploaded_table.opened(data, what="The roster", is_header=roster_csv.is_header, wanted=wanted)
    found = _read(roster_csv.parse_lines(file.lines), course)
    return replace(found, sheet=file.sheet, other_sheets=file.others)


def _read(parsed: roster_csv.Parsed, course: Course) -> Roster:
    rows = [Row(line, {}, Fate.BAD, said) if isinstance(said, str) else Row(line, said) for line, said in parsed.rows]
    if parsed.program.email_is_login:
        rows = _with_logins(rows)
    rows = [replace(row, said=_as_stored(row.said)) if row.said else row for row in rows]
    return _roster(course, _judged(rows, course), parsed.ignored, parsed.program.label)


def again(
    course: Course,
    rows: Sequence[tuple[int, Mapping[str, str], str]],
    ignored: tuple[str, ...],
    source: str,
    *,
    by_email: bool = False,
) -> Roster:
    """Evaluate a roster that was read earlier against the current course: per row its line, and its values or why it cannot
    be read."""
    known = [Row(line, said) if said else Row(line, {}, Fate.BAD, words) for line, said, words in rows]
    found = _roster(course, _judged(known, course), ignored, source)
    return with_owners_of_emails(found) if by_email else found


def with_owners_of_emails(roster: Roster) -> Roster:
    """Match rows whose e-mail address belongs to another account to that account."""
    rows = [replace(row, said={**row.said, "login": row.owner or row.login}) if row.said else row for row in roster.rows]
    return _roster(roster.course, _judged(rows, roster.course), roster.ignored, roster.source)


def apply(roster: Roster, *, by: Acting, only_good: bool = False) -> Roster:
    """Import the roster. If a row is bad, nothing is imported unless `only_good`. Rows are evaluated again, because the
    course may have changed."""
    rights.require(by, Right.PEOPLE, roster.course)
    for _ in range(TRIES):
        try:
            return _apply_rows(roster, by, only_good=only_good)
        except IntegrityError:  # one of the accounts was created concurrently; it is found at the next try
            continue
    raise Refused("Another person is adding the same people. Nothing was imported. Import the list again.")


def _apply_rows(roster: Roster, by: Acting, *, only_good: bool) -> Roster:
    with transaction.atomic():
        fresh = _roster(roster.course, _judged(roster.rows, roster.course), roster.ignored, roster.source)
        if fresh.bad and not only_good:
            first = fresh.bad[0]
            more = f" and {len(fresh.bad) - 1} more" if len(fresh.bad) > 1 else ""
            raise Refused(f"Nothing was imported. Line {first.line}: {first.words}{more}.")
        sections = {section.name: section for section in roster.course.sections.all()}
        users = _users([row.login for row in fresh.rows])
        counts: dict[str, Any] = {str(fate): count for fate, count in fresh.counts.items()}
        with audit.parts_of(audit.record("roster-imported", roster.course, actor=by.user, course=roster.course, **counts)):
            for row in fresh.rows:
                if row.fate in (Fate.NEW, Fate.CHANGED):
                    user = users.get(row.login) or users.get(row.login.casefold()) or _account(row.said, roster.course)
                    _apply(row, roster.course, user, sections, by)
    return fresh


# -- evaluating the rows --------------------------------------------------------------------------------------------------


@dataclass
class Bench:
    """Evaluates rows against the existing accounts and members, and against the previous rows."""

    course: Course
    users: Mapping[str, User]  # by login as written, and casefolded
    members: Mapping[int, Membership]
    ids: Mapping[tuple[str, str], Membership]
    emails: Mapping[str, Sequence[User]]  # the accounts with this address as e-mail or login, by the address in lower case
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    # by course that gave access: whether other staff may still have it
    others: dict[int, bool] = field(default_factory=dict)

    def fate(self, row: Row) -> Row:
        user = self.users.get(row.login) or self.users.get(row.login.casefold())
        member = self.members.get(user.pk) if user else None
        trouble = row_trouble(row.said) or self._twice(row) or self._taken(row.said, member) or _owners(row.said, member)
        if trouble:
            return replace(row, fate=Fate.BAD, words=trouble)
        if user is None:
            return self._new(row)
        another = row.said.get("email") and row.said["email"].casefold() != user.email.casefold()
        others = (member is None or member.removed_at is not None) and self._is_others_access(user)
        if others and another:
            return replace(row, fate=Fate.BAD, words=ANOTHER_ADDRESS)
        kept = (["the account keeps its own e-mail"] if another else []) + ([ENDS] if others else [])
        if member is None:
            known = f"has an account, {BY_LINK}" if user.registered_by_link else "has an account"
            return replace(row, fate=Fate.NEW, words="; ".join([known, *kept]))
        if member.removed_at is not None:
            return replace(row, fate=Fate.CHANGED, words="; ".join(["comes back", *kept]))
        changes = _changes(row.said, member)
        return replace(row, fate=Fate.CHANGED if changes else Fate.KNOWN, words="; ".join([*changes, *kept]))

    def _is_others_access(self, user: User) -> bool:
        """Like `access.is_others_access`, with one query per course that gave access."""
        given_in = user.access_given_in_id
        if given_in is None:
            return False
        if given_in not in self.others:
            self.others[given_in] = others_have_given(given_in, self.course)
        return self.others[given_in]

    def _new(self, row: Row) -> Row:
        """Return the status of a row with an unknown login.

        An e-mail address belongs to one account: if two shared it, neither could sign in with it. A login equal to the
        e-mail address of another account would even take precedence over it.
        """
        name, owners = self._owners(row)
        if not owners:
            return replace(row, fate=Fate.NEW, words="gets an account")
        owner = owners[0]
        whose = f"the account {owner}" if owner.pk in self.members else "another account of this site"
        words = f"{'e-mail' if name == 'email' else name} {row.said[name]} belongs to {whose}, which has another login"
        return replace(row, fate=Fate.BAD, words=words, owner=owner.username if len(owners) == 1 else "")

    def _owners(self, row: Row) -> tuple[str, Sequence[User]]:
        for name in ("email", "login"):
            if owners := self.emails.get(row.said.get(name, "").lower(), ()):
                return name, owners
        return "", ()

    def _twice(self, row: Row) -> str:
        """Report a value that a previous row of the same file contains already."""
        keys = {"login": row.login.casefold(), "email": row.said.get("email", "").lower()}
        keys |= {name: row.said.get(name, "") for name in ("lms_id", "sis_id")}
        for name, value in keys.items():
            # an address is unique across logins and e-mail addresses
            kind = "email" if name == "login" and "@" in value else name
            if value and self.seen.setdefault((kind, value), row.line) != row.line:
                return f"{name} {row.said[name]} stands in line {self.seen[kind, value]} already"
        return ""

    def _taken(self, said: Mapping[str, str], own: Membership | None) -> str:
        """Report an id of another member: grades would go to the wrong person."""
        for name in ("lms_id", "sis_id"):
            other = self.ids.get((name, said.get(name, "")))
            if other is not None and other is not own:
                return f"{name} {said[name]} is that of {other.user}"
        return ""


def _as_stored(said: Mapping[str, str]) -> dict[str, str]:
    """Normalise the login as accounts store it."""
    return {**said, "login": User.normalize_username(said["login"])}


def _with_logins(rows: Sequence[Row]) -> list[Row]:
    """Add logins to a list that identifies people by e-mail: the login of the account with this address, or else the address.

    If two accounts share an address, the row is ambiguous and reported as bad.
    """
    owners = _owners_of_addresses(rows)
    found = []
    for row in rows:
        email = row.said.get("email", "").lower()
        if row.fate == Fate.BAD or row.said.get("login"):
            found.append(row)
        elif len(owners.get(email, ())) > 1:
            words = f"e-mail {email} is that of {' and '.join(owner.username for owner in owners[email])}"
            found.append(Row(row.line, {}, Fate.BAD, words))
        else:
            (login,) = [owner.username for owner in owners.get(email, ())] or [email]
            found.append(replace(row, said={**row.said, "login": login}))
    return found


def _owners_of_addresses(rows: Sequence[Row]) -> dict[str, list[User]]:
    """Return the accounts by e-mail address in lower case. A login may be an address, too."""
    said = [value for row in rows for value in (row.said.get("email", ""), row.login)]
    return owners_of_addresses([value for value in said if "@" in value and value.isprintable()])


def _judged(rows: Sequence[Row], course: Course) -> tuple[Row, ...]:
    members = {member.user_id: member for member in course.memberships.select_related("user", "section")}
    ids = {
        (name, value): member
        for member in members.values()
        for name, value in (("lms_id", member.lms_id), ("sis_id", member.sis_id))
        if value and member.removed_at is None
    }
    bench = Bench(course, _users([row.login for row in rows]), members, ids, _owners_of_addresses(rows))
    return tuple(bench.fate(replace(row, owner="")) if row.said else row for row in rows)


def _users(logins: Sequence[str]) -> dict[str, User]:
    """Return the accounts with these logins, ignoring case, because a second account that differs only in case would be a duplicate.

    Logins with unprintable characters are skipped, because PostgreSQL does not accept every character in a query.
    """
    found: dict[str, User] = {}
    logins = [login for login in logins if login.isprintable()]
    for some in (logins[n : n + ASKED] for n in range(0, len(logins), ASKED)):
        same = Q(username__in=some) | Q(lower__in=[login.lower() for login in some])
        for user in User.objects.annotate(lower=Lower("username")).filter(same).order_by("id"):
            found.setdefault(user.username.casefold(), user)
            found[user.username] = user
    return found


def _roster(course: Course, rows: tuple[Row, ...], ignored: tuple[str, ...], source: str) -> Roster:
    counts = Counter(row.fate for row in rows)
    return Roster(course, rows, ignored, {fate: counts[fate] for fate in Fate}, source)


def _owners(said: Mapping[str, str], member: Membership | None) -> str:
    role = said.get("role", "").casefold()
    is_owner = member is not None and member.role == Role.OWNER and member.removed_at is None
    if is_owner and role not in ("", Role.OWNER):
        return f"is an owner of the course; a roster does not make an owner {role}"
    if role == Role.OWNER and not is_owner:
        return "a roster does not make owners"
    return ""


def _changes(said: Mapping[str, str], member: Membership) -> list[str]:
    """Describe what the row would change. Empty cells change nothing."""
    section = member.section.name if member.section else ""
    now = {"section": section, "role": str(member.role), "lms_id": member.lms_id, "sis_id": member.sis_id}
    wanted = {name: _wanted(said, name) for name in now}
    return [f"{name} {now[name] or 'none'} → {value}" for name, value in wanted.items() if value and value != now[name]]


def _wanted(said: Mapping[str, str], name: str) -> str:
    value = said.get(name, "")
    return value.casefold() if name == "role" else value


# -- applying the rows ----------------------------------------------------------------------------------------------------


def _account(said: Mapping[str, str], course: Course) -> User:
    return account_create(login=said["login"], email=said.get("email", ""), course=course, **names_of(said))


def _apply(row: Row, course: Course, user: User, sections: dict[str, Section], by: Acting) -> None:
    said = row.said
    name, role = said.get("section", ""), _wanted(said, "role")
    if name and name not in sections:
        sections[name] = section_create(course=course, name=name, by=by)
    ids = {"lms_id": said.get("lms_id", ""), "sis_id": said.get("sis_id", "")}
    member = Membership.objects.filter(course=course, user=user).select_related("section").first()
    if member is None or member.removed_at is not None:
        before = member.section if member else None
        role = role or Role.STUDENT
        member_add(course=course, user=user, role=role, section=sections.get(name, before), by=by, **ids)
        return
    kept = {key: value or getattr(member, key) for key, value in ids.items()}
    member_details_update(membership=member, section=sections.get(name, member.section), by=by, **kept)
    if role and role != member.role:
        member_role_update(membership=member, role=role, by=by)
