"""Changes of a single member: adding, changing role, section and ids, removing and restoring."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from autograder.courses import accounts, audit, rights, services
from autograder.courses.email_addresses import account_create, owners_of
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Course, Membership, Section, User
from autograder.courses.person_names import split_name
from autograder.courses.rights import Acting
from autograder.courses.roster import row_trouble, too_long, unfit

IDS = {"lms_id": "id in the LMS", "sis_id": "id in the SIS"}


def member_change(
    *, member: Membership, by: Acting, role: str, section: Section | None, lms_id: str, sis_id: str
) -> Membership:
    """Change role, section and ids together, or none of them."""
    rights.require_people(by, member.course, member.role, role)
    ids = {"lms_id": lms_id.strip(), "sis_id": sis_id.strip()}
    with transaction.atomic():
        _refuse_ids(member, ids)
        try:
            services.role_change(membership=member, role=role, by=by)
        except Refused as refused:
            raise AtField("role", refused.message) from None
        return services.membership_change(membership=member, by=by, section=section, **ids)


@dataclass(frozen=True)
class Added:
    membership: Membership
    new_account: bool
    ended_password: bool = False  # the previous password, which staff of another course may know, was ended


def member_add(*, course: Course, login: str, by: Acting, role: str, section: Section | None, name: str = "") -> Added:
    """Add a member by login or e-mail address. An unknown address gets a new account without a password, with this `name`."""
    rights.require_people(by, course, role)
    with transaction.atomic():
        user = _account_of(login.strip())
        ends = user is not None and accounts.is_others_access(user, course)
        account = user or _new_account(login.strip(), name, course)
        try:
            membership = services.membership_add(course=course, user=account, by=by, role=role, section=section)
        except Refused as refused:
            raise AtField("login", refused.message) from None
        if user is None:
            audit.record("account-created", membership, actor=by.user, course=course)
    return Added(membership, user is None, ends)


def member_remove(*, member: Membership, by: Acting) -> Membership:
    return services.membership_remove(membership=member, by=by)


def member_bring_back(*, member: Membership, by: Acting) -> Membership:
    """Restore a former member with the previous role and section."""
    rights.require_people(by, member.course, member.role)
    with transaction.atomic():
        _refuse_ids(member, {"lms_id": member.lms_id, "sis_id": member.sis_id})
        return services.membership_add(
            course=member.course, user=member.user, by=by, role=member.role, section=member.section
        )


def _account_of(who: str) -> User | None:
    found = User.objects.filter(username=who).first() or User.objects.filter(username__iexact=who).order_by("id").first()
    return found or next(iter(owners_of(who)), None)


def _new_account(email: str, name: str, course: Course) -> User:
    if "@" not in email:
        raise AtField("login", f"There is no account '{email}'. With an e-mail address, a new account is made.")
    first, last = split_name(name)
    login = User.normalize_username(email.lower())
    trouble = row_trouble({"login": login, "email": email, "first_name": first, "last_name": last})
    if trouble:
        raise AtField(
            "name" if trouble.startswith(("first_name", "last_name")) else "login", f"This cannot be used: {trouble}."
        )
    try:
        with transaction.atomic():
            return account_create(login=login, email=email, first_name=first, last_name=last, course=course)
    except IntegrityError:
        raise AtField("login", f"An account for {email} was created at the same moment. Add the person again.") from None


def _refuse_ids(member: Membership, ids: dict[str, str]) -> None:
    """Refuse ids of other members: shared ids would assign grades to the wrong person."""
    for field, value in ids.items():
        trouble = unfit(IDS[field], value) or too_long(field, value).replace(field, IDS[field])
        if trouble:
            raise AtField(field, f"The {trouble}.")
        others = Membership.objects.filter(course=member.course, removed_at=None, **{field: value}).exclude(pk=member.pk)
        taken = others.select_related("user").first() if value else None
        if taken is not None:
            raise AtField(field, f"That is the {IDS[field]} of {taken.user}.")
