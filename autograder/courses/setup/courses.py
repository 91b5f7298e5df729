"""Creates, changes and archives courses and their sections.

Every service checks the right of `by` first. It writes in one transaction, together with an audit entry, or refuses with a
message and writes nothing.
"""

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import AtField
from autograder.courses.models import Course, Role, Section, User
from autograder.courses.people.members import member_join
from autograder.courses.rights import Acting, Operator, Right
from autograder.courses.setup.timezones import validate_time_zone
from autograder.courses.validation import validate_course_slug


def course_create(
    *,
    slug: str,
    title: str,
    by: User | Operator,
    owner: User | None = None,
    time_zone: str = "UTC",
    supersedes: bool = False,
    term: str = "",
    late_days: int = 0,
) -> Course:
    rights.require_making_courses(by)
    validate_course_slug(slug)
    if not title.strip():
        raise AtField("title", "A course needs a title.")
    validate_time_zone(time_zone)
    with transaction.atomic():
        if Course.objects.filter(slug=slug).exists():
            raise AtField("slug", f"A course '{slug}' already exists.")
        course = Course.objects.create(
            slug=slug,
            title=title.strip(),
            term=term.strip(),
            time_zone=time_zone,
            supersedes=supersedes,
            late_days=late_days,
        )
        actor = None if isinstance(by, Operator) else by
        audit.record("course-created", course, actor=actor, course=course, title=course.title)
        if owner is not None:
            member_join(course=course, user=owner, role=Role.OWNER, actor=actor)
    return course


def course_update(
    *, course: Course, by: Acting, title: str, term: str, time_zone: str, supersedes: bool, late_days: int
) -> Course:
    """Change everything but the slug, which is part of bookmarked addresses."""
    rights.require(by, Right.SET_UP, course)
    if not title.strip():
        raise AtField("title", "A course needs a title.")
    if time_zone != course.time_zone:  # an older course may have one that is no longer offered
        validate_time_zone(time_zone)
    with transaction.atomic():
        found = Course.objects.select_for_update().get(pk=course.pk)
        wanted = {
            "title": title.strip(),
            "term": term.strip(),
            "time_zone": time_zone,
            "supersedes": supersedes,
            "late_days": late_days,
        }
        changes = audit.set_fields(found, wanted)
        if changes:
            found.save(update_fields=tuple(changes))
            audit.record("course-changed", found, actor=by.user, course=found, changes=changes)
    return found


def course_archive(*, course: Course, by: Acting, archived: bool) -> None:
    """Archive or restore a course. An archived course is not listed and takes no submissions; everything in it is kept."""
    rights.require(by, Right.OWN, course)
    with transaction.atomic():
        Course.objects.filter(pk=course.pk).update(archived_at=timezone.now() if archived else None)
        audit.record("course-archived" if archived else "course-back", course, actor=by.user, course=course)


def section_create(*, course: Course, name: str, by: Acting) -> Section:
    rights.require(by, Right.PEOPLE, course)
    name = name.strip()
    if not name:
        raise AtField("name", "A section needs a name.")
    with transaction.atomic():
        if course.sections.filter(name=name).exists():
            raise AtField("name", f"A section '{name}' already exists in {course.title}.")
        section = Section.objects.create(course=course, name=name)
        audit.record("section-created", section, actor=by.user, course=course)
    return section
