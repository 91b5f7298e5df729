"""Finds courses, members, assignments and sections by name, or refuses with a message that lists what there is."""

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, Role, Section, User
from autograder.library.models import Exercise, ExerciseVersion

SHOWN = 20


def course_of(slug: str) -> Course:
    found = Course.objects.filter(slug=slug).first()
    if found is None:
        there = (
            ", ".join(Course.objects.filter(trial_of=None).order_by("slug").values_list("slug", flat=True)[:SHOWN])
            or "none yet"
        )
        raise Refused(f"There is no course '{slug}'. Existing courses: {there}.")
    return found


def user_of(login: str) -> User:
    found = User.objects.filter(username=login).first()
    if found is None:
        raise Refused(
            f"There is no account '{login}'. Import a roster to create accounts, "
            "or create the first one with manage.py createsuperuser."
        )
    return found


def owner_of(course: Course) -> Membership:
    """Return the owner of a course, the first if there are several."""
    owners = Membership.objects.filter(course=course, role=Role.OWNER, removed_at=None).select_related("user", "course")
    found = owners.order_by("id").first()
    if found is None:
        raise Refused(f"{course.title} has no owner. Make a member an owner first.")
    return found


def version_of_exercise(slug: str) -> ExerciseVersion:
    """Return the latest version that was loaded."""
    versions = ExerciseVersion.objects.filter(exercise__slug=slug).select_related("exercise")
    found: ExerciseVersion | None = versions.order_by("id").last()
    if found is None:
        there = ", ".join(Exercise.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no exercise '{slug}'. Loaded exercises: {there}. Load others with manage.py exercise load.")
    return found


def membership_of(user: User, course: Course) -> Membership:
    return _member(user, course, f"You are not a member of {course.title}. Ask its instructor to add you.")


def member_of(user: User, course: Course) -> Membership:
    """Like `membership_of`, with a message for people other than the member."""
    return _member(user, course, f"{user} is not a member of {course.title}.")


def _member(user: User, course: Course, refusal: str) -> Membership:
    found = Membership.objects.filter(user=user, course=course, removed_at=None).select_related("course", "user").first()
    if found is None:
        raise Refused(refusal)
    return found


def assignment_of(course: Course, slug: str) -> Assignment:
    assignments = Assignment.objects.filter(course=course, removed_at=None).select_related("course", "version__exercise")
    found = assignments.filter(slug=slug).first()
    if found is None:
        there = ", ".join(assignments.values_list("slug", flat=True)) or "none"
        raise Refused(f"There is no assignment '{slug}' in {course.title}. Its assignments: {there}.")
    return found


def section_of(course: Course, name: str) -> Section:
    found = course.sections.filter(name=name).first()
    if found is None:
        there = ", ".join(course.sections.order_by("name").values_list("name", flat=True)) or "none"
        raise Refused(f"There is no section '{name}' in {course.title}. Its sections: {there}.")
    return found


def is_staff_of(membership: Membership) -> bool:
    return membership.role != Role.STUDENT
