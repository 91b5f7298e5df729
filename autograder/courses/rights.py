"""Permissions in a course: by role, and for assistants by section.

Every service that writes takes the acting member as `by` and checks the right first. Pages hide actions that would be
refused.
"""

from enum import StrEnum
from typing import Final, final

from django.db.models import Q, QuerySet

from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership, Role, User
from autograder.courses.validation import validate_role


@final
class Operator:
    """A person who runs commands on the server. They have access to the database and therefore every right. The audit trail
    records no account for them."""

    user: None = None
    user_id: None = None


OPERATOR: Final = Operator()
Acting = Membership | Operator


class Right(StrEnum):
    """An action of staff, and the wording for a refusal."""

    SEE = "see the work of this student"
    COMMENT = "comment on this submission"
    MARK = "give points by hand"
    GRADE_AGAIN = "have this submission graded again"
    EXTEND = "grant more time or attempts"
    OVERRIDE = "set a score"
    REGRADE = "regrade"
    FREEZE = "freeze or unfreeze the gradebook"
    PEOPLE = "change who is in this course"
    SET_UP = "change this course"
    OWN = "manage this course"


ORDER = (Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER)
FROM = {
    Right.SEE: Role.ASSISTANT,
    Right.COMMENT: Role.ASSISTANT,
    Right.MARK: Role.ASSISTANT,
    Right.GRADE_AGAIN: Role.ASSISTANT,
    Right.EXTEND: Role.INSTRUCTOR,
    Right.OVERRIDE: Role.INSTRUCTOR,
    Right.REGRADE: Role.INSTRUCTOR,
    Right.FREEZE: Role.INSTRUCTOR,
    Right.PEOPLE: Role.INSTRUCTOR,
    Right.SET_UP: Role.INSTRUCTOR,
    Right.OWN: Role.OWNER,
}


def has(who: Acting, right: Right, where: Course | Membership | None = None) -> bool:
    """Return whether `who` has a right. `where` is the course or the member concerned; None stands for the member's own course."""
    if isinstance(who, Operator):
        return True
    if who.removed_at is not None or _rank(who.role) < _rank(FROM[right]):
        return False
    if where is None:
        return True
    if isinstance(where, Course):
        return where.pk == who.course_id
    return where.course_id == who.course_id and (not is_bound_to_a_section(who) or where.section_id == who.section_id)


def require(by: Acting, right: Right, where: Course | Membership) -> None:
    if not has(by, right, where):
        raise Refused(f"You may not {right}. If you need this permission, ask the owner of the course.")


def is_bound_to_a_section(who: Membership) -> bool:
    """Return whether an assistant is limited to their section. An assistant without a section sees the whole course."""
    return who.role == Role.ASSISTANT and who.section_id is not None


def students_of(who: Membership) -> QuerySet[Membership]:
    """Return the students whose work this staff member may see."""
    if _rank(who.role) < _rank(Role.ASSISTANT) or who.removed_at is not None:
        return Membership.objects.none()
    own = Q(section_id=who.section_id) if is_bound_to_a_section(who) else Q()
    return Membership.objects.filter(own, course_id=who.course_id, role=Role.STUDENT, removed_at=None)


def _rank(role: str) -> int:
    return ORDER.index(Role(role))


def require_people(by: Acting, course: Course, *roles: str) -> None:
    """Require the right to manage people with these roles. Managing owners, or making someone an owner, requires an owner."""
    for role in roles:
        validate_role(role)
    require(by, Right.OWN if Role.OWNER in roles else Right.PEOPLE, course)


def require_making_courses(by: User | Operator) -> None:
    if not isinstance(by, Operator) and not may_make_courses(by):
        raise Refused("You cannot create courses. Ask the site operator or a member of the teaching staff.")


def may_make_courses(user: User) -> bool:
    """Return whether a user may create courses: site staff, and instructors and owners of existing courses."""
    teaches = Membership.objects.filter(user=user, role__in=(Role.INSTRUCTOR, Role.OWNER), removed_at=None)
    return user.is_active and (user.is_staff or teaches.exists())
