"""What staff decide about one member: role, section and ids together, leaving and coming back."""

from django.db import transaction

from autograder.courses import rights, services
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Course, Membership, Section, User
from autograder.courses.rights import Acting
from autograder.courses.roster import too_long, unfit

IDS = {"lms_id": "id in the LMS", "sis_id": "id in the SIS"}


def member_change(
    *, member: Membership, by: Acting, role: str, section: Section | None, lms_id: str, sis_id: str
) -> Membership:
    """All of it or nothing."""
    rights.require_people(by, member.course, member.role, role)
    ids = {"lms_id": lms_id.strip(), "sis_id": sis_id.strip()}
    with transaction.atomic():
        _refuse_ids(member, ids)
        try:
            services.role_change(membership=member, role=role, by=by)
        except Refused as refused:
            raise AtField("role", refused.message) from None
        return services.membership_change(membership=member, by=by, section=section, **ids)


def member_add(*, course: Course, login: str, by: Acting, role: str, section: Section | None) -> Membership:
    """Somebody who has an account: rosters make accounts, and this does not."""
    rights.require_people(by, course, role)
    user = User.objects.filter(username__iexact=login.strip()).order_by("id").first()
    if user is None:
        raise AtField("login", f"There is no account '{login.strip()}'. A roster makes accounts.")
    try:
        return services.membership_add(course=course, user=user, by=by, role=role, section=section)
    except Refused as refused:
        raise AtField("login", refused.message) from None


def member_remove(*, member: Membership, by: Acting) -> Membership:
    return services.membership_remove(membership=member, by=by)


def member_bring_back(*, member: Membership, by: Acting) -> Membership:
    """As what they were, where they were."""
    rights.require_people(by, member.course, member.role)
    with transaction.atomic():
        _refuse_ids(member, {"lms_id": member.lms_id, "sis_id": member.sis_id})
        return services.membership_add(
            course=member.course, user=member.user, by=by, role=member.role, section=member.section
        )


def _refuse_ids(member: Membership, ids: dict[str, str]) -> None:
    """An id of two people would give one's grades to the other."""
    for field, value in ids.items():
        trouble = unfit(IDS[field], value) or too_long(field, value).replace(field, IDS[field])
        if trouble:
            raise AtField(field, f"The {trouble}.")
        others = Membership.objects.filter(course=member.course, removed_at=None, **{field: value}).exclude(pk=member.pk)
        taken = others.select_related("user").first() if value else None
        if taken is not None:
            raise AtField(field, f"That is the {IDS[field]} of {taken.user}.")
