"""The members of a course, as the LMS lists them: what a refresh would change, and the refresh exactly as it was shown.

Several courses of an LMS may be connected to one course here; their lists are read together. A refresh never changes or
removes an owner, and removes only people whom the LMS brought here. Work of removed people is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from django.db.models import Count
from django.utils import timezone
from msgspec import Struct

from autograder.courses import rights
from autograder.courses.accounts.selectors import owners_of_addresses
from autograder.courses.accounts.validation import validate_text
from autograder.courses.errors import AtField
from autograder.courses.models import Course, Membership, Role, User
from autograder.courses.person_names import by_name
from autograder.courses.rights import Right
from autograder.lti.errors import PlatformTrouble
from autograder.lti.launch.contexts import RANK
from autograder.lti.launch.people import names_in
from autograder.lti.messages import Message, role_of
from autograder.lti.models import Context, Enrolment, LmsAccount
from autograder.lti.services.members import ListedMember, members_of

BATCH = 400  # values in one query
TEST_PERSON = "#TestUser"  # the end of a role that Canvas gives to its test student
WITHOUT_WORK = "The role in the LMS takes no part in the work of the course."
FORMER_OWNER = "This person was an owner of the course. An owner can restore them on the page of removed people."
DEACTIVATED = "The account is deactivated."


class RowKind(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    LOWERED = "lowered"  # has fewer rights afterwards
    LEFT = "left"
    BAD = "bad"


class RosterRow(Struct, frozen=True):
    """A person and what a refresh does with them. `before` is the role that they have now."""

    kind: RowKind
    name: str
    words: str = ""
    email: str = ""
    contexts: tuple[int, ...] = ()
    issuer: str = ""
    sub: str = ""
    given_name: str = ""
    family_name: str = ""
    role: str = ""
    before: str = ""
    section: str = ""
    renames: bool = False
    membership: int | None = None


@dataclass(frozen=True)
class RosterPreview:
    rows: tuple[RosterRow, ...]
    unchanged: int
    troubles: tuple[tuple[Context, str], ...] = ()  # lists that could not be read, and why

    def of_kind(self, kind: RowKind) -> list[RosterRow]:
        return [row for row in self.rows if row.kind == kind]


@dataclass
class Person:
    """A person of the lists: in which courses of the LMS, and with which roles."""

    issuer: str
    listed: ListedMember
    contexts: list[int] = field(default_factory=list)
    roles: list[Role | None] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    is_test: bool = False

    @property
    def role(self) -> Role | None:
        known = [role for role in self.roles if role is not None]
        return max(known, key=RANK.index) if known else None

    @property
    def message(self) -> Message:
        """What a launch of the person would say."""
        return message_for(self.issuer, self.listed.user_id, self.listed)

    @property
    def shown_name(self) -> str:
        return self.message.full_name[:200] or self.listed.email[:200] or self.listed.user_id


def message_for(issuer: str, sub: str, named: "ListedMember | RosterRow") -> Message:
    return Message(
        iss=issuer,
        sub=sub,
        name=named.name,
        given_name=named.given_name,
        family_name=named.family_name,
        email=named.email,
    )


def roster_preview(*, course: Course, by: Membership) -> RosterPreview:
    """Read the lists of all connected courses of the LMS, and return what a refresh would change. `by` stays in the course."""
    rights.require(by, Right.PEOPLE, course)
    people: dict[tuple[str, str], Person] = {}
    troubles, bad, unread = [], [], []
    for context in contexts_of(course):
        try:
            found = members_of(context)
        except PlatformTrouble as trouble:
            troubles.append((context, trouble.message))
            unread.append(context.pk)
            continue
        Context.objects.filter(pk=context.pk).update(roster_at=timezone.now())
        bad += [RosterRow(RowKind.BAD, "", words) for words in found.unreadable]
        for listed in found.members:
            _add(people, context, listed)
    rows = list(_Comparison(course, people).rows())
    left = [row for row in _left(course, people, unread) if row.membership != by.pk]
    changed = [row for row in rows if row is not None]
    return RosterPreview((*changed, *left, *bad), len(rows) - len(changed), tuple(troubles))


def contexts_of(course: Course) -> list[Context]:
    return list(course.lms_contexts.select_related("deployment__registration"))


def _add(people: dict[tuple[str, str], Person], context: Context, listed: ListedMember) -> None:
    """Add an entry of a list. Somebody who is only listed as inactive is not in the course."""
    if not listed.is_active:
        return
    issuer = context.registration.issuer
    person = people.setdefault((issuer, listed.user_id), Person(issuer, listed))
    person.contexts.append(context.pk)
    person.roles.append(role_of(listed.roles))
    person.sections += listed.sections
    person.is_test |= any(role.endswith(TEST_PERSON) for role in listed.roles)


# -- comparison ------------------------------------------------------------------------------------------------------------


class _Comparison:
    """Compares the people of the lists with accounts and members, in a few queries."""

    def __init__(self, course: Course, people: Mapping[tuple[str, str], Person]) -> None:
        self.people = people
        self.accounts = _accounts(people)
        members = course.memberships.select_related("user", "section")
        self.members = {member.user_id: member for member in members}
        self.owners = owners_of_addresses(person.listed.email[:254] for person in people.values())
        self.elsewhere = _with_another_lms(self.accounts.values())

    def rows(self) -> Iterable[RosterRow | None]:
        """Yield what would change for each person; None stands for nothing."""
        for key, person in self.people.items():
            user = self.accounts.get(key)
            member = self.members.get(user.pk) if user else None
            if member is not None and member.removed_at is None:
                yield self._member(person, member)
            else:
                yield self._newcomer(person, user, member)

    def _newcomer(self, person: Person, user: User | None, member: Membership | None) -> RosterRow:
        why = self._why_not(person, user, member)
        if why:
            return _row(RowKind.BAD, person, why)
        words = f"has the account {user.username}" if user else "will get an account"
        if member is not None:
            words = "will be restored"
        return _row(RowKind.NEW, person, words, section=_section_of(person, None))

    def _why_not(self, person: Person, user: User | None, member: Membership | None) -> str:
        if person.role is None:
            return WITHOUT_WORK
        if person.is_test:
            return "This is the test student of the LMS."
        if member is not None and member.role == Role.OWNER:
            return FORMER_OWNER
        if user is not None:
            return "" if user.is_active else DEACTIVATED
        owners = self.owners.get(person.listed.email[:254].lower(), [])
        if owners:
            here = owners[0].pk in self.members and self.members[owners[0].pk].removed_at is None
            there = f"{owners[0].username}, who is in the course" if here else "somebody with an account here"
            return f"The email address belongs to {there}. When they open a link of the LMS, Gradus asks them to link it."
        return ""

    def _member(self, person: Person, member: Membership) -> RosterRow | None:
        before = Role(member.role)
        if before == Role.OWNER:
            return None
        role = person.role or before
        section = _section_of(person, member)
        renames = self._renames(person, member.user)
        words = [f"{before.label} → {role.label}"] if role != before else []
        if section:
            words.append(f"section {member.section.name if member.section else 'none'} → {section}")
        if renames:
            words.append(f"was {member.user.get_full_name()}")
        if not words:
            return None
        lower = RANK.index(role) < RANK.index(before)
        return _row(
            RowKind.LOWERED if lower else RowKind.CHANGED,
            person,
            "; ".join(words),
            role=role,
            section=section,
            renames=renames,
            member=member,
        )

    def _renames(self, person: Person, user: User) -> bool:
        """Whether the name of an account follows the LMS: only where nobody else than this LMS signs the person in."""
        new = names_in(person.message)
        known = (user.first_name, user.last_name)
        return all(new) and new != known and not user.has_usable_password() and user.pk not in self.elsewhere


def _row(
    kind: RowKind,
    person: Person,
    words: str,
    *,
    role: Role | None = None,
    section: str = "",
    renames: bool = False,
    member: Membership | None = None,
) -> RosterRow:
    listed = person.listed
    return RosterRow(
        kind,
        person.shown_name,
        words,
        email=listed.email[:254],
        contexts=tuple(person.contexts),
        issuer=person.issuer,
        sub=listed.user_id,
        given_name=listed.given_name,
        family_name=listed.family_name,
        role=str(role or person.role or ""),
        before=str(member.role) if member else "",
        section=section,
        renames=renames,
        membership=member.pk if member else None,
    )


def _section_of(person: Person, member: Membership | None) -> str:
    """Return the section to put a person into; empty if they are in one of theirs already, or the LMS names none."""
    storable = [name for name in person.sections if _is_storable(name)]
    if not storable or (member is not None and member.section is not None and member.section.name in storable):
        return ""
    return storable[0]


def _is_storable(section: str) -> bool:
    try:
        validate_text("section", section)
    except AtField:
        return False
    return True


def _accounts(people: Mapping[tuple[str, str], Person]) -> dict[tuple[str, str], User]:
    found: dict[tuple[str, str], User] = {}
    for issuer in {issuer for issuer, _ in people}:
        subs = [sub for its_issuer, sub in people if its_issuer == issuer]
        for start in range(0, len(subs), BATCH):
            batch = LmsAccount.objects.filter(issuer=issuer, sub__in=subs[start : start + BATCH]).select_related("user")
            found |= {(issuer, account.sub): account.user for account in batch}
    return found


def _with_another_lms(users: Iterable[User]) -> set[int]:
    """Return the users whom more than one LMS account signs in."""
    ids, found = [user.pk for user in users], set[int]()
    for start in range(0, len(ids), BATCH):
        linked = User.objects.filter(pk__in=ids[start : start + BATCH]).annotate(accounts=Count("lms_accounts"))
        found |= set(linked.filter(accounts__gt=1).values_list("pk", flat=True))
    return found


def _left(course: Course, people: Mapping[tuple[str, str], Person], unread: list[int]) -> list[RosterRow]:
    """Return the members whom the LMS brought and lists no more. Nobody leaves a course whose list could not be read."""
    enrolled = Enrolment.objects.filter(context__course=course, membership__removed_at=None)
    kept = set(enrolled.filter(context__in=unread).values_list("membership_id", flat=True))
    listed = {user.pk for user in _accounts(people).values()}
    brought = Membership.objects.filter(lms_enrolments__in=enrolled.filter(brought=True)).exclude(role=Role.OWNER).distinct()
    gone = [
        member
        for member in brought.select_related("user").order_by(*by_name())
        if member.user_id not in listed and member.pk not in kept
    ]
    return [
        RosterRow(RowKind.LEFT, member.user.display_name, Role(member.role).label, before=member.role, membership=member.pk)
        for member in gone
    ]
