"""Accounts: who is meant by a name, and over whose account somebody may decide.

With a password one is that person everywhere. So what gives access to an account, or changes it, is decided by staff of every
course that the person is in; everything else is for an operator.
"""

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Lower

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership, Role, User
from autograder.courses.rights import ORDER, Acting, Operator, Right

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
        return "This person is not in the course any more. Bring them back first."
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
