"""Read access to courses, members and assignments, and to dates and attempts including extensions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Extension, Membership, Role, Section, User
from autograder.library.models import Exercise, ExerciseVersion

SHOWN = 20


@dataclass(frozen=True)
class Terms:
    """The dates and attempts of an assignment for one student."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    attempts: int | None  # None: no limit


def course_of(slug: str) -> Course:
    found = Course.objects.filter(slug=slug).first()
    if found is None:
        there = ", ".join(Course.objects.order_by("slug").values_list("slug", flat=True)[:SHOWN]) or "none yet"
        raise Refused(f"There is no course '{slug}'. There are: {there}.")
    return found


def user_of(login: str) -> User:
    found = User.objects.filter(username=login).first()
    if found is None:
        raise Refused(
            f"There is nobody called '{login}'. A roster makes accounts, and manage.py createsuperuser the first one."
        )
    return found


def owner_of(course: Course) -> Membership:
    """Return the owner of a course, the first if there are several."""
    owners = Membership.objects.filter(course=course, role=Role.OWNER, removed_at=None).select_related("user", "course")
    found = owners.order_by("id").first()
    if found is None:
        raise Refused(f"{course.title} has no owner who could answer for it.")
    return found


def version_of_exercise(slug: str) -> ExerciseVersion:
    """Return the latest version that was loaded."""
    versions = ExerciseVersion.objects.filter(exercise__slug=slug).select_related("exercise")
    found: ExerciseVersion | None = versions.order_by("id").last()
    if found is None:
        there = ", ".join(Exercise.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise Refused(f"No exercise '{slug}' was loaded. Loaded are: {there}. manage.py exercise load loads more.")
    return found


def membership_of(user: User, course: Course) -> Membership:
    found = Membership.objects.filter(user=user, course=course, removed_at=None).select_related("course", "user").first()
    if found is None:
        raise Refused(f"You are not a member of {course.title}. Ask its instructor to add you.")
    return found


def member_of(user: User, course: Course) -> Membership:
    """Like `membership_of`, with a message for people other than the member."""
    found = Membership.objects.filter(user=user, course=course, removed_at=None).select_related("course", "user").first()
    if found is None:
        raise Refused(f"{user} is not a member of {course.title}.")
    return found


def assignment_of(course: Course, slug: str) -> Assignment:
    assignments = Assignment.objects.filter(course=course, removed_at=None).select_related("course", "version__exercise")
    found = assignments.filter(slug=slug).first()
    if found is None:
        there = ", ".join(assignments.values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no assignment '{slug}' in {course.title}. There are: {there}.")
    return found


def section_of(course: Course, name: str) -> Section:
    found = course.sections.filter(name=name).first()
    if found is None:
        there = ", ".join(course.sections.order_by("name").values_list("name", flat=True)) or "none"
        raise Refused(f"There is no section '{name}' in {course.title}. There are: {there}.")
    return found


def terms_of(assignment: Assignment, membership: Membership) -> Terms:
    return terms_of_all(assignment, [membership])[membership.pk]


def terms_of_all(assignment: Assignment, memberships: Sequence[Membership]) -> dict[int, Terms]:
    """Return the terms of many students by membership, in one query."""
    extensions = {e.membership_id: e for e in Extension.objects.filter(assignment=assignment, membership__in=memberships)}
    return {membership.pk: _terms(assignment, extensions.get(membership.pk)) for membership in memberships}


def terms_where_extended(assignments: Sequence[Assignment], memberships: Sequence[int]) -> dict[tuple[int, int], Terms]:
    """Return the terms by membership and assignment where there is an extension, in one query. All others have the
    assignment's own dates."""
    known = {assignment.pk: assignment for assignment in assignments}
    extensions = Extension.objects.filter(assignment__in=assignments, membership__in=memberships)
    return {(one.membership_id, one.assignment_id): _terms(known[one.assignment_id], one) for one in extensions}


def terms_of_student(membership: Membership, assignments: Sequence[Assignment]) -> dict[int, Terms]:
    """Return the terms of one student by assignment, in one query."""
    extensions = {e.assignment_id: e for e in Extension.objects.filter(membership=membership, assignment__in=assignments)}
    return {assignment.pk: _terms(assignment, extensions.get(assignment.pk)) for assignment in assignments}


def _terms(assignment: Assignment, extension: Extension | None) -> Terms:
    """Combine an assignment with an extension, which can only add: the later date counts, and extra attempts are added."""
    attempts = assignment.attempt_limit
    if extension is None:
        return Terms(assignment.opens_at, assignment.due_at, assignment.closes_at, attempts)
    return Terms(
        assignment.opens_at,
        _later(assignment.due_at, extension.due_at),
        _later(assignment.closes_at, extension.closes_at or extension.due_at),
        None if attempts is None else attempts + extension.extra_attempts,
    )


def last_due_of(assignment: Assignment) -> datetime | None:
    """Return the due date of the last student, extensions included."""
    granted = Extension.objects.filter(assignment=assignment, due_at__isnull=False).order_by("-due_at").first()
    return assignment.due_at if granted is None else _later(assignment.due_at, granted.due_at)


def is_staff_of(membership: Membership) -> bool:
    return membership.role != Role.STUDENT


def _later(own: datetime | None, granted: datetime | None) -> datetime | None:
    if own is None or granted is None:
        return own
    return max(own, granted)
