"""Adds members to a course, changes their role, section and ids, removes and restores them."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.accounts import access
from autograder.courses.accounts.selectors import owners_of
from autograder.courses.accounts.services import account_create
from autograder.courses.accounts.validation import LABELS, validate_person, validate_text
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Course, Membership, Role, Section, User
from autograder.courses.person_names import split_name
from autograder.courses.rights import Acting
from autograder.courses.validation import validate_role, validate_section


def member_add(
    *,
    course: Course,
    user: User,
    by: Acting,
    role: str = Role.STUDENT,
    section: Section | None = None,
    lms_id: str = "",
    sis_id: str = "",
) -> Membership:
    """Add a member. A former member gets their earlier work back."""
    before = Membership.objects.filter(course=course, user=user).first()
    rights.require_people(by, course, role, *([before.role] if before else []))
    return member_join(course=course, user=user, actor=by.user, role=role, section=section, lms_id=lms_id, sis_id=sis_id)


def member_join(
    *,
    course: Course,
    user: User,
    actor: User | None,
    role: str,
    section: Section | None = None,
    lms_id: str = "",
    sis_id: str = "",
) -> Membership:
    """Add a member without checking a right: for the owner of a new course, and for invited people.

    Ends a password that staff of another course may know, see `access.end_others_access`.
    """
    validate_role(role)
    validate_section(section, course)
    with transaction.atomic():
        membership = Membership.objects.select_for_update().filter(course=course, user=user).first()
        if membership is not None and membership.removed_at is None:
            raise Refused(f"{user} is already a member of {course.title}.")
        back = membership is not None
        membership = membership or Membership(course=course, user=user)
        membership.role, membership.section, membership.removed_at = role, section, None
        membership.lms_id, membership.sis_id = lms_id or membership.lms_id, sis_id or membership.sis_id
        membership.save()
        action = "member-back" if back else "member-added"
        audit.record(action, membership, actor=actor, course=course, role=str(role), section=section and section.name)
        access.end_others_access(membership=membership, actor=actor)
    return membership


@dataclass(frozen=True)
class AddedMember:
    membership: Membership
    new_account: bool
    ended_password: bool = False  # the previous password, which staff of another course may know, was ended


def member_add_by_login(
    *, course: Course, login: str, by: Acting, role: str, section: Section | None, name: str = ""
) -> AddedMember:
    """Add a member by login or email address. An unknown address gets a new account without a password, with this `name`."""
    rights.require_people(by, course, role)
    with transaction.atomic():
        user = _account_of(login.strip())
        ends = user is not None and access.is_others_access(user, course)
        account = user or _new_account(login.strip(), name, course)
        try:
            membership = member_add(course=course, user=account, by=by, role=role, section=section)
        except Refused as refused:
            raise AtField("login", refused.message) from None
        if user is None:
            audit.record("account-created", membership, actor=by.user, course=course)
    return AddedMember(membership, user is None, ends)


def member_update(
    *, membership: Membership, by: Acting, role: str, section: Section | None, lms_id: str, sis_id: str
) -> Membership:
    """Change role, section and ids together, or none of them."""
    rights.require_people(by, membership.course, membership.role, role)
    ids = {"lms_id": lms_id.strip(), "sis_id": sis_id.strip()}
    with transaction.atomic():
        _refuse_ids(membership, ids)
        try:
            member_role_update(membership=membership, role=role, by=by)
        except Refused as refused:
            raise AtField("role", refused.message) from None
        return member_details_update(membership=membership, by=by, section=section, **ids)


def member_role_update(*, membership: Membership, role: str, by: Acting) -> Membership:
    validate_role(role)
    with transaction.atomic():
        found = _locked(membership)
        rights.require_people(by, found.course, found.role, role)
        if role != Role.OWNER:
            _refuse_last_owner(found)
        before, found.role = found.role, role
        if before != role:
            found.save(update_fields=("role",))
            audit.record("role-changed", found, actor=by.user, course=found.course, before=str(before), after=str(role))
    return found


def member_details_update(
    *, membership: Membership, by: Acting, section: Section | None, lms_id: str, sis_id: str
) -> Membership:
    """Change a member's section and ids in the school's LMS."""
    validate_section(section, membership.course)
    with transaction.atomic():
        found = _locked(membership)
        rights.require_people(by, found.course, found.role)
        wanted = {"section": section, "lms_id": lms_id, "sis_id": sis_id}
        changes = audit.set_fields(found, wanted)
        if changes:
            found.save(update_fields=tuple(changes))
            audit.record("member-changed", found, actor=by.user, course=found.course, changes=changes)
    return found


def member_remove(*, membership: Membership, by: Acting) -> Membership:
    """Remove a member. Their work is kept and comes back with them."""
    with transaction.atomic():
        found = _locked(membership)
        rights.require_people(by, found.course, found.role)
        _refuse_last_owner(found)
        found.removed_at = timezone.now()
        found.save(update_fields=("removed_at",))
        audit.record("member-removed", found, actor=by.user, course=found.course, role=str(found.role))
    return found


def member_restore(*, membership: Membership, by: Acting) -> Membership:
    """Restore a former member with the previous role and section."""
    rights.require_people(by, membership.course, membership.role)
    with transaction.atomic():
        _refuse_ids(membership, {"lms_id": membership.lms_id, "sis_id": membership.sis_id})
        return member_add(
            course=membership.course, user=membership.user, by=by, role=membership.role, section=membership.section
        )


def _account_of(who: str) -> User | None:
    found = User.objects.filter(username=who).first() or User.objects.filter(username__iexact=who).order_by("id").first()
    return found or next(iter(owners_of(who)), None)


def _new_account(email: str, name: str, course: Course) -> User:
    if "@" not in email:
        raise AtField("login", f"There is no account '{email}'. Enter an email address to create one.")
    first, last = split_name(name)
    login = User.normalize_username(email.lower())
    try:
        validate_person({"login": login, "email": email, "first_name": first, "last_name": last})
    except AtField as refused:
        raise AtField("name" if refused.field in ("first_name", "last_name") else "login", refused.message) from None
    try:
        with transaction.atomic():
            return account_create(login=login, email=email, first_name=first, last_name=last, course=course)
    except IntegrityError:
        raise AtField("login", f"An account for {email} was created at the same time. Add the person again.") from None


def _refuse_ids(membership: Membership, ids: dict[str, str]) -> None:
    """Refuse ids of other members: shared ids would assign grades to the wrong person."""
    for field, value in ids.items():
        validate_text(field, value)
        others = Membership.objects.filter(course=membership.course, removed_at=None, **{field: value}).exclude(
            pk=membership.pk
        )
        taken = others.select_related("user").first() if value else None
        if taken is not None:
            raise AtField(field, f"The {LABELS[field]} {value} belongs to {taken.user}.")


def _refuse_last_owner(membership: Membership) -> None:
    if membership.role != Role.OWNER:
        return
    others = Membership.objects.filter(course=membership.course, role=Role.OWNER, removed_at=None).exclude(pk=membership.pk)
    if not others.exists():
        raise Refused(
            f"{membership.user} is the only owner of {membership.course.title}. Make another person an owner first."
        )


def _locked(membership: Membership) -> Membership:
    found = Membership.objects.select_for_update(of=("self",)).select_related("course", "user").get(pk=membership.pk)
    if found.removed_at is not None:
        raise Refused(f"{found.user} is no longer a member of {found.course.title}.")
    return found
