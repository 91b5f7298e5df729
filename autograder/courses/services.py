"""Creates and changes courses, sections, members and assignments.

Every service checks the right of `by` first. It writes in one transaction, together with an audit entry, or refuses with a
message and writes nothing.
"""

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from autograder.courses import accounts, audit, rights, validation
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import (
    Assignment,
    Course,
    Extension,
    Membership,
    Role,
    Section,
    User,
)
from autograder.courses.rights import Acting, Operator, Right
from autograder.courses.timezones import refuse_unknown_zone
from autograder.library.models import ExerciseVersion

CHANGEABLE = (
    *("title", "unit", "version", "position", "points", "opens_at", "due_at", "closes_at", "policy"),
    *("late_share", "late_per_day", "late_floor", "late_grace", "no_credit_after", "late_days_limit"),
    *("attempt_limit", "cool_down", "show_hidden", "hidden_meanwhile", "explain_hidden", "show_solutions"),
)
CHANGEABLE_OUTSIDE = ("title", "unit", "position", "points", "due_at")  # for work graded outside Gradus


# -- courses and sections -------------------------------------------------------------------------------------------------


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
    validation.slug_of_course(slug)
    if not title.strip():
        raise AtField("title", "A course needs a title.")
    refuse_unknown_zone(time_zone)
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
            join(course=course, user=owner, role=Role.OWNER, actor=actor)
    return course


def course_change(
    *, course: Course, by: Acting, title: str, term: str, time_zone: str, supersedes: bool, late_days: int
) -> Course:
    """Change everything but the slug, which is part of bookmarked addresses."""
    rights.require(by, Right.SET_UP, course)
    if not title.strip():
        raise AtField("title", "A course needs a title.")
    if time_zone != course.time_zone:  # an older course may have one that is no longer offered
        refuse_unknown_zone(time_zone)
    with transaction.atomic():
        found = Course.objects.select_for_update().get(pk=course.pk)
        wanted = {
            "title": title.strip(),
            "term": term.strip(),
            "time_zone": time_zone,
            "supersedes": supersedes,
            "late_days": late_days,
        }
        changes = _put(found, wanted)
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


# -- people ---------------------------------------------------------------------------------------------------------------


def membership_add(
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
    return join(course=course, user=user, actor=by.user, role=role, section=section, lms_id=lms_id, sis_id=sis_id)


def join(
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

    Ends a password that staff of another course may know, see `accounts.end_others_access`.
    """
    validation.role(role)
    validation.section(section, course)
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
        accounts.end_others_access(membership=membership, actor=actor)
    return membership


def role_change(*, membership: Membership, role: str, by: Acting) -> Membership:
    validation.role(role)
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


def membership_change(
    *, membership: Membership, by: Acting, section: Section | None, lms_id: str, sis_id: str
) -> Membership:
    """Change a member's section and ids in the school's LMS."""
    validation.section(section, membership.course)
    with transaction.atomic():
        found = _locked(membership)
        rights.require_people(by, found.course, found.role)
        wanted = {"section": section, "lms_id": lms_id, "sis_id": sis_id}
        changes = _put(found, wanted)
        if changes:
            found.save(update_fields=tuple(changes))
            audit.record("member-changed", found, actor=by.user, course=found.course, changes=changes)
    return found


def membership_remove(*, membership: Membership, by: Acting) -> Membership:
    """Remove a member. Their work is kept and comes back with them."""
    with transaction.atomic():
        found = _locked(membership)
        rights.require_people(by, found.course, found.role)
        _refuse_last_owner(found)
        found.removed_at = timezone.now()
        found.save(update_fields=("removed_at",))
        audit.record("member-removed", found, actor=by.user, course=found.course, role=str(found.role))
    return found


# -- assignments ----------------------------------------------------------------------------------------------------------


def assignment_create(
    *,
    course: Course,
    version: ExerciseVersion,
    by: Acting,
    slug: str = "",
    title: str = "",
    unit: str = "",
    points: Decimal | None = None,
    **terms: Any,
) -> Assignment:
    """Create an assignment. Values that are not given are taken from the exercise; `terms` are other fields of CHANGEABLE."""
    rights.require(by, Right.SET_UP, course)
    slug = slug or version.exercise.slug
    validation.slug(slug)
    _refuse_unknown(terms)
    with transaction.atomic():
        if course.assignments.filter(slug=slug).exists():
            raise Refused(f"{course.title} already has the exercise {version.title}.")
        assignment = Assignment(
            course=course,
            version=version,
            slug=slug,
            title=title or version.title,
            unit=unit or version.unit,
            points=Decimal(str(version.points)) if points is None else points,
            **{"position": course.assignments.count() + 1, **terms},
        )
        validation.terms(assignment)
        assignment.save()
        set_to = {name: _plain(getattr(assignment, name)) for name in CHANGEABLE}
        audit.record("assignment-created", assignment, actor=by.user, course=course, **set_to)
    return assignment


def assignment_change(*, assignment: Assignment, by: Acting, edition: int | None = None, **wanted: Any) -> Assignment:
    """Change any fields of CHANGEABLE. A new version applies to later submissions; a regrade applies it to earlier ones.

    `edition` is the one that the user saw: if it has changed since, `Conflict` is raised. None overwrites the current one.
    """
    rights.require(by, Right.SET_UP, assignment.course)
    _refuse_unknown(wanted)
    with transaction.atomic():
        found = Assignment.objects.select_for_update(of=("self",)).select_related("course", "version").get(pk=assignment.pk)
        if edition is not None and edition != found.edition:
            raise Conflict(f"Another person changed {found.title} in the meantime. Your changes were not saved yet.", found)
        if found.graded_outside:
            _refuse_terms_of_exercises(found, wanted)
        elif "version" in wanted and wanted["version"].exercise_id != found.exercise_version.exercise_id:
            raise Refused(f"The exercise of {found.title} cannot be replaced. Assign the other exercise separately.")
        changes = _put(found, wanted)
        validation.terms(found)
        if changes:
            found.edition += 1
            found.save(update_fields=(*changes, "edition"))
            audit.record("assignment-changed", found, actor=by.user, course=found.course, changes=changes)
    return found


def extension_grant(
    *,
    assignment: Assignment,
    membership: Membership,
    by: Membership,
    reason: str,
    due_at: datetime | None = None,
    closes_at: datetime | None = None,
    extra_attempts: int = 0,
) -> Extension:
    """Grant an extension, replacing an earlier one."""
    rights.require(by, Right.EXTEND, membership)
    if membership.course_id != assignment.course_id:
        raise Refused(f"{membership.user} is not a member of the course of {assignment.title}.")
    if not reason.strip():
        raise Refused("Give a reason for the extension. It is shown in the history.")
    if due_at is None and closes_at is None and extra_attempts == 0:
        raise Refused("An extension must grant a later date or extra submissions.")
    if assignment.graded_outside and (closes_at is not None or extra_attempts):
        raise Refused(f"{assignment.title} is graded outside Gradus and takes no submissions. Grant a later due date only.")
    if extra_attempts < 0:
        raise Refused("An extension cannot reduce the number of submissions.")
    validation.order(("due", due_at), ("closes", closes_at))
    with transaction.atomic():
        granted, new = Extension.objects.update_or_create(
            assignment=assignment,
            membership=membership,
            defaults={
                "due_at": due_at,
                "closes_at": closes_at,
                "extra_attempts": extra_attempts,
                "reason": reason.strip(),
                "granted_by": by.user,
            },
        )
        details = {"due_at": _plain(due_at), "closes_at": _plain(closes_at), "extra_attempts": extra_attempts}
        audit.record(
            *("extension-granted" if new else "extension-changed", membership),
            actor=by.user, course=assignment.course, assignment=assignment, reason=reason.strip(), **details,
        )  # fmt: skip
    return granted


def extension_withdraw(*, assignment: Assignment, membership: Membership, by: Membership, reason: str) -> None:
    """Withdraw an extension. Submissions are kept; the assignment's own dates decide again whether they are late."""
    rights.require(by, Right.EXTEND, membership)
    if not reason.strip():
        raise Refused("Give a reason for withdrawing the extension. It is shown in the history.")
    with transaction.atomic():
        found = Extension.objects.select_for_update().filter(assignment=assignment, membership=membership).first()
        if found is None:
            raise Refused(f"{membership.user} has no extension for {assignment.title}.")
        was = {"due_at": _plain(found.due_at), "closes_at": _plain(found.closes_at), "extra_attempts": found.extra_attempts}
        found.delete()
        audit.record(
            *("extension-withdrawn", membership),
            actor=by.user, course=assignment.course, assignment=assignment, reason=reason.strip(), **was,
        )  # fmt: skip


# -- internal ----------------------------------------------------------------------------------------------------------


def _refuse_unknown(terms: Collection[str]) -> None:
    unknown = sorted(set(terms) - set(CHANGEABLE))
    if unknown:
        raise TypeError(f"an assignment has no {', '.join(unknown)} to set")


def _refuse_terms_of_exercises(assignment: Assignment, wanted: Collection[str]) -> None:
    others = [name for name in wanted if name not in CHANGEABLE_OUTSIDE]
    if others:
        names = ", ".join(others).replace("_", " ")
        raise Refused(
            f"{assignment.title} is graded outside Gradus, so it has no {names}. "
            "Its title, unit, position, points and due date can be changed."
        )


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


def _put(row: Any, wanted: dict[str, Any]) -> dict[str, list[Any]]:
    """Set the fields that differ, and return each with its old and new value for the audit trail."""
    changes = {}
    for name, value in wanted.items():
        before = getattr(row, name)
        if before != value:
            setattr(row, name, value)
            changes[name] = [_plain(before), _plain(value)]
    return changes


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
