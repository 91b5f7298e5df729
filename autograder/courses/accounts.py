"""Accounts: who is meant by a name, and over whose account somebody may decide.

With a password one is that person everywhere. So what gives access to an account, or changes it, is decided by staff of every
course that the person is in; everything else is for an operator.

Staff who made an account, or gave access to it, can sign in with it. So `User.access_given_in` names their course, and when the
account joins a course of other staff, its password, sessions and links end.
"""

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone

from autograder.courses import audit, mail, mail_texts, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership, Role, User
from autograder.courses.rights import ORDER, Acting, Operator, Right

ENDS = "staff of another course gave access to the account: its password ends, and the person has to choose a new one"
STAFF = (Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER)


def account_named(name: str) -> User | None:
    """By login, or else by e-mail address, whatever its capital letters."""
    found = User.objects.filter(username=name).first()
    return owner_of_email(name) if found is None and "@" in name else found


def owner_of_email(email: str) -> User | None:
    """The account that has this address. Asked as the constraint compares, so that its index answers."""
    return User.objects.exclude(email="").annotate(lower=Lower("email")).filter(lower=Lower(Value(email))).first()


def nobody_elses(members: QuerySet[Membership], by: Acting, right: Right) -> QuerySet[Membership]:
    """Those whose account is not of the site's staff, and in no course in which `by` lacks the right. A course that somebody
    was removed from counts: the work is kept there, and comes back with the person."""
    if isinstance(by, Operator):
        return members
    roles = ORDER[ORDER.index(rights.FROM[right]) :]
    own = Membership.objects.filter(user=by.user, role__in=roles, removed_at=None).values("course")
    elsewhere = Membership.objects.filter(user=OuterRef("user")).exclude(course__in=own)
    return members.filter(~Exists(elsewhere), user__is_staff=False, user__is_superuser=False)


def why_not_decide(by: Acting, member: Membership) -> str:
    """Why somebody may not decide over the account of this member, as a sentence; empty where they may."""
    if isinstance(by, Operator):
        return ""
    user = member.user
    if user.is_staff or user.is_superuser:
        return "This account belongs to the staff of the site. Only an operator can change it."
    if member.removed_at is not None:
        return "This person is no longer in the course. Restore them first."
    if Membership.objects.filter(user=user, role__in=STAFF, removed_at=None).exists():
        return "This person is staff of a course. Only an operator can change the account."
    if not nobody_elses(Membership.objects.filter(pk=member.pk), by, Right.PEOPLE).exists():
        return "This account also belongs to a course in which you are not an instructor. Only an operator can change it."
    return ""


def require_account(by: Acting, member: Membership) -> None:
    """For every service that gives access to the account of a member, or changes it."""
    rights.require(by, Right.PEOPLE, member.course)
    if words := why_not_decide(by, member):
        raise Refused(words)


def is_others_access(user: User, course: Course) -> bool:
    """Whether staff of another course, who are not staff of this one, gave the account its access and may have kept it."""
    return user.access_given_in_id is not None and others_have_given(user.access_given_in_id, course)


def others_have_given(given_in: int, course: Course) -> bool:
    """Whether somebody could give access to accounts of the course `given_in` who cannot in `course`. Former staff count: what
    they know, they still know."""
    if given_in == course.pk:
        return False
    roles = ORDER[ORDER.index(rights.FROM[Right.PEOPLE]) :]
    givers = Membership.objects.filter(course=given_in, role__in=roles).values("user")
    own = Membership.objects.filter(course=course, role__in=roles, removed_at=None).values("user")
    return User.objects.filter(pk__in=givers).exclude(pk__in=own).exists()


def end_others_access(*, membership: Membership, actor: User | None) -> None:
    """For `services.join`, in its transaction: the account has just joined the course of this membership. Whoever makes a course
    of their own joins nobody else's."""
    user = User.objects.select_for_update().get(pk=membership.user_id)
    if actor == user or not is_others_access(user, membership.course):
        return
    user.access_given_in, user.password_ended_at = None, timezone.now()
    user.set_unusable_password()  # sessions end with it
    user.save(update_fields=("access_given_in", "password_ended_at", "password"))
    user.reset_links.all().delete()
    audit.record("password-ended", membership, actor=actor, course=membership.course)
    subject, body = mail_texts.password_ended(user, membership.course)
    mail.notice_send(to=user.email, subject=subject, body=body)


def access_given(*, user: User, course: Course | None) -> None:
    """Staff of this course can sign in as this person from now on. None is the person, or an operator for them."""
    if course is not None:
        User.objects.filter(pk=user.pk).update(access_given_in=course)
