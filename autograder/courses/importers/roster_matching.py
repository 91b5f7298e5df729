"""Decides for each row of a roster what an import would do: which account it is about, and what would change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.courses.accounts.access import ACCESS_ENDS, has_other_givers
from autograder.courses.accounts.selectors import REGISTERED_BY_LINK, owners_of_addresses, users_with_logins
from autograder.courses.accounts.validation import LABELS, validate_person
from autograder.courses.errors import AtField, Refused
from autograder.courses.importers.member_index import MemberIndex
from autograder.courses.importers.rows import EarlierLines, ImportRow, RowStatus
from autograder.courses.models import Course, Membership, Role, User

IDS = ("lms_id", "sis_id")
OTHER_EMAIL_ADDRESS = (
    "The account has another email address, which staff of another course may have chosen to receive reset links. "
    "Ask an operator."
)


def match_rows(rows: Sequence[ImportRow], course: Course) -> tuple[ImportRow, ...]:
    """Return the rows with their status, compared with the current accounts and members."""
    matcher = _RowMatcher(course, rows)
    return tuple(matcher.matched(replace(row, owner="")) if row.values else row for row in rows)


def add_logins(rows: Sequence[ImportRow]) -> list[ImportRow]:
    """Add logins to a list that identifies people by email: the login of the account with this address, or else the address.

    If two accounts share an address, the row is ambiguous and reported as bad.
    """
    owners = _owners_of_addresses(rows)
    found = []
    for row in rows:
        email = row.values.get("email", "").lower()
        logins = [owner.username for owner in owners.get(email, ())]
        if row.is_bad or row.login:
            found.append(row)
        elif len(logins) > 1:
            message = f"The email address {email} belongs to several accounts: {' and '.join(logins)}."
            found.append(ImportRow(row.line, {}, RowStatus.BAD, message))
        else:
            found.append(replace(row, values={**row.values, "login": logins[0] if logins else email}))
    return found


def wanted_role(values: Mapping[str, str]) -> str:
    return values.get("role", "").casefold()


@dataclass
class _RowMatcher:
    """Compares rows with the existing accounts and members, and with the previous rows."""

    course: Course
    rows: Sequence[ImportRow]
    earlier: EarlierLines = field(default_factory=EarlierLines)
    others_access: dict[int, bool] = field(default_factory=dict)  # by course that gave access

    def __post_init__(self) -> None:
        self.users = users_with_logins([row.login for row in self.rows])
        self.owners = _owners_of_addresses(self.rows)
        self.members = {member.user_id: member for member in self.course.memberships.select_related("user", "section")}
        self.index = MemberIndex(member for member in self.members.values() if member.removed_at is None)

    def matched(self, row: ImportRow) -> ImportRow:
        user = self.users.get(row.login) or self.users.get(row.login.casefold())
        member = self.members.get(user.pk) if user else None
        try:
            validate_person(row.values)
            self._refuse_repeated(row)
            self._refuse_ids_of_others(row.values, member)
            _refuse_owner_role(row.values, member)
        except Refused as refused:
            return replace(row, status=RowStatus.BAD, message=refused.message)
        return self._unknown_login(row) if user is None else self._known_login(row, user, member)

    def _known_login(self, row: ImportRow, user: User, member: Membership | None) -> ImportRow:
        other_email = bool(row.values.get("email")) and row.values["email"].casefold() != user.email.casefold()
        joins = member is None or member.removed_at is not None
        others_access = joins and self._is_others_access(user)
        if others_access and other_email:
            return replace(row, status=RowStatus.BAD, message=OTHER_EMAIL_ADDRESS)
        if member is None:
            status, parts = RowStatus.NEW, [f"has an account{f', {REGISTERED_BY_LINK}' if user.registered_by_link else ''}"]
        elif joins:
            status, parts = RowStatus.CHANGED, ["will be restored"]
        else:
            parts = _changes(row.values, member)
            status = RowStatus.CHANGED if parts else RowStatus.UNCHANGED
        if other_email:
            parts.append("the account keeps its own email address")
        if others_access:
            parts.append(ACCESS_ENDS)
        return replace(row, status=status, message="; ".join(parts))

    def _unknown_login(self, row: ImportRow) -> ImportRow:
        """An email address belongs to one account: if two shared it, neither could sign in with it. A login equal to the
        email address of another account would even take precedence over it.
        """
        for name in ("email", "login"):
            owners = self.owners.get(row.values.get(name, "").lower(), ())
            if owners:
                account = f"the account {owners[0]}" if owners[0].pk in self.members else "another account of this site"
                message = f"The {LABELS[name]} {row.values[name]} belongs to {account}, which has a different login."
                owner = owners[0].username if len(owners) == 1 else ""
                return replace(row, status=RowStatus.BAD, message=message, owner=owner)
        return replace(row, status=RowStatus.NEW, message="will get an account")

    def _is_others_access(self, user: User) -> bool:
        """Like `access.is_others_access`, with one query per course that gave access."""
        given_in = user.access_given_in_id
        if given_in is None:
            return False
        if given_in not in self.others_access:
            self.others_access[given_in] = has_other_givers(given_in, self.course)
        return self.others_access[given_in]

    def _refuse_repeated(self, row: ImportRow) -> None:
        """Refuse a value that a previous row of the same file contains already."""
        values = {"login": row.login.casefold(), "email": row.values.get("email", "").lower()}
        values |= {name: row.values.get(name, "") for name in IDS}
        for name, value in values.items():
            # an address is unique across logins and email addresses
            kind = "email" if name == "login" and "@" in value else name
            first = self.earlier.first_line(kind, value, row.line) if value else None
            if first is not None:
                raise AtField(name, f"The {LABELS[name]} {row.values[name]} is already on line {first}.")

    def _refuse_ids_of_others(self, values: Mapping[str, str], own: Membership | None) -> None:
        """Refuse an id of another member: grades would go to the wrong person."""
        for name in IDS:
            value = values.get(name, "")
            for other in self.index.find(name, value):
                if other is not own and getattr(other, name) == value:
                    raise AtField(name, f"The {LABELS[name]} {value} belongs to {other.user}.")


def _owners_of_addresses(rows: Sequence[ImportRow]) -> dict[str, list[User]]:
    """Return the accounts by email address in lower case. A login may be an address, too."""
    values = [value for row in rows for value in (row.values.get("email", ""), row.login)]
    return owners_of_addresses([value for value in values if "@" in value and value.isprintable()])


def _refuse_owner_role(values: Mapping[str, str], member: Membership | None) -> None:
    role = wanted_role(values)
    is_owner = member is not None and member.role == Role.OWNER and member.removed_at is None
    if is_owner and role not in ("", Role.OWNER):
        raise AtField("role", "This person is an owner of the course. A roster cannot change the role of an owner.")
    if role == Role.OWNER and not is_owner:
        raise AtField("role", "A roster cannot make anyone an owner of the course.")


def _changes(values: Mapping[str, str], member: Membership) -> list[str]:
    """Describe what the row would change. Empty cells change nothing."""
    current = {
        "section": member.section.name if member.section else "",
        "role": str(member.role),
        "lms_id": member.lms_id,
        "sis_id": member.sis_id,
    }
    wanted = {name: values.get(name, "") for name in current} | {"role": wanted_role(values)}
    return [
        f"{LABELS[name]} {current[name] or 'none'} → {value}"
        for name, value in wanted.items()
        if value and value != current[name]
    ]
