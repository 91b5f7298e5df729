"""Decides which staff may change an account, and ends access that staff of other courses may still have.

A password gives access to everything the account is part of. Therefore anything that gives access to an account, or changes
it, requires rights in every course that the person is in; otherwise only an operator may do it.

Staff who created an account, or gave access to it, can sign in with it. `User.access_given_in` records their course. When
the account joins a course with other staff, its password, sessions and links become invalid.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.mail import outbox, texts
from autograder.courses.models import Course, Membership, Role, User
from autograder.courses.rights import ORDER, Acting, Operator, Right

ACCESS_ENDS = "staff of another course may know the password, so it stops working and the person must choose a new one"
STAFF = (Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER)


def controllable_members(members: QuerySet[Membership], by: Acting, right: Right) -> QuerySet[Membership]:
    """Return the members whose accounts `by` may control: not site staff, and in no course in which `by` lacks the right.

    A former membership counts as well, because its work is kept and comes back with the person.
    """
    if isinstance(by, Operator):
        return members
    roles = ORDER[ORDER.index(rights.FROM[right]) :]
    own = Membership.objects.filter(user=by.user, role__in=roles, removed_at=None).values("course")
    elsewhere = Membership.objects.filter(user=OuterRef("user")).exclude(Q(course__in=own) | Q(course__trial_of__in=own))
    return members.filter(~Exists(elsewhere), user__is_staff=False, user__is_superuser=False)


def why_not_change(by: Acting, member: Membership) -> str:
    """Return why the account of this member may not be changed, as a sentence, or an empty string if it may."""
    if isinstance(by, Operator):
        return ""
    user = member.user
    if user.is_staff or user.is_superuser:
        return "This account belongs to the staff of the site. Only an operator can change it."
    if member.removed_at is not None:
        return "This person is no longer in the course. Restore them first."
    if Membership.objects.filter(user=user, role__in=STAFF, removed_at=None).exists():
        return "This person is staff of a course. Only an operator can change the account."
    if not controllable_members(Membership.objects.filter(pk=member.pk), by, Right.PEOPLE).exists():
        return "This account also belongs to a course in which you are not an instructor. Only an operator can change it."
    return ""


def require_account(by: Acting, member: Membership) -> None:
    """Raise `Refused` unless `by` may change the account. Required by every service that changes an account or gives access to it."""
    rights.require(by, Right.PEOPLE, member.course)
    if words := why_not_change(by, member):
        raise Refused(words)


def is_others_access(user: User, course: Course) -> bool:
    """Return whether staff of another course, who are not staff of this one, gave the account its access and may still have it."""
    return user.access_given_in_id is not None and has_other_givers(user.access_given_in_id, course)


def has_other_givers(given_in: int, course: Course) -> bool:
    """Return whether there are people with access to accounts of the course `given_in` who have none in `course`.

    Former staff count, because they may still know a password.
    """
    if given_in == course.pk:
        return False
    roles = ORDER[ORDER.index(rights.FROM[Right.PEOPLE]) :]
    givers = Membership.objects.filter(course=given_in, role__in=roles).values("user")
    own = Membership.objects.filter(course=course, role__in=roles, removed_at=None).values("user")
    return User.objects.filter(pk__in=givers).exclude(pk__in=own).exists()


def end_others_access(*, membership: Membership, actor: User | None) -> None:
    """End access that other staff may have to an account that has just joined a course. Called in the transaction of `member_join`.

    Does nothing if the actor is the person who joins, such as the creator of a course.
    """
    user = User.objects.select_for_update().get(pk=membership.user_id)
    if actor == user or not is_others_access(user, membership.course):
        return
    user.access_given_in, user.first_password_at, user.password_ended_at = None, None, timezone.now()
    user.set_unusable_password()  # this ends the account's sessions
    user.save(update_fields=("access_given_in", "first_password_at", "password_ended_at", "password"))
    user.reset_links.all().delete()
    audit.record("password-ended", membership, actor=actor, course=membership.course)
    subject, body = texts.password_ended(user, membership.course)
    outbox.notice_queue(to=user.email, subject=subject, body=body)


def access_record(*, user: User, course: Course | None) -> None:
    """Record that staff of this course can sign in as this person from now on. None stands for the person or an operator."""
    if course is not None:
        User.objects.filter(pk=user.pk).update(access_given_in=course)
