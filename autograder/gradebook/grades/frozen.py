"""Read access to a frozen gradebook, and the refusal of changes to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import msgspec
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Course
from autograder.gradebook.models import Freeze


class FrozenAssignment(msgspec.Struct, frozen=True):
    """The values of an assignment when the gradebook was frozen."""

    points: Decimal
    unit: str
    due_at: datetime | None


class FrozenRule(msgspec.Struct, frozen=True):
    """The rule of a unit when the gradebook was frozen."""

    unit: str
    weight: Decimal | None
    drop_lowest: int


class FrozenBasis(msgspec.Struct, frozen=True):
    """Everything besides the points from which totals are computed."""

    assignments: dict[int, FrozenAssignment]
    rules: tuple[FrozenRule, ...]
    # due dates that differ from the assignment's, by membership and assignment
    extended: dict[int, dict[int, datetime | None]]
    excused: dict[int, tuple[int, ...]] = {}  # assignments that a student was excused from, by membership


@dataclass(frozen=True)
class Frozen:
    """The points when the gradebook was frozen, of all students of the course at that time and all assignments."""

    at: datetime
    by: str
    points_by_member: Mapping[str, Mapping[str, str | None]]
    basis: FrozenBasis | None = None  # for an older freeze, only the points are known

    def worth(self, assignment_id: int) -> Decimal | None:
        """Return the maximum points of an assignment, or None if they were not recorded."""
        found = self.basis.assignments.get(assignment_id) if self.basis else None
        return found.points if found else None

    def excused(self, membership_id: int, assignment_id: int) -> bool:
        return self.basis is not None and assignment_id in self.basis.excused.get(membership_id, ())

    def points(self, membership_id: int, assignment_id: int) -> Decimal | None:
        text = self.points_by_member.get(str(membership_id), {}).get(str(assignment_id))
        return None if text is None else Decimal(text)


def frozen_in(course_id: int) -> Frozen | None:
    found = Freeze.objects.filter(course_id=course_id, lifted_at=None).select_related("by").first()
    if found is None:
        return None
    basis = None if found.basis is None else msgspec.convert(found.basis, FrozenBasis, str_keys=True)
    return Frozen(found.at, found.by.display_name, found.points, basis)


def frozen_since(course_id: int) -> Frozen | None:
    """Return when and by whom the gradebook was frozen, without loading the points."""
    found = Freeze.objects.filter(course_id=course_id, lifted_at=None).defer("points", "basis").select_related("by").first()
    return Frozen(found.at, found.by.display_name, {}) if found else None


def refuse_if_frozen(course: Course, refusal: str) -> None:
    """Refuse a change of a frozen gradebook. Call it inside the transaction of the change, to serialise it with a concurrent
    freeze."""
    one_at_a_time(course)
    found = Freeze.objects.filter(course=course, lifted_at=None).defer("points", "basis").select_related("by").first()
    if found is not None:
        day = f"{timezone.localtime(found.at):%d %b %Y}".lstrip("0")
        by = found.by.display_name
        raise Refused(f"{refusal}: {by} froze the gradebook on {day}. Unfreeze it first.")


def one_at_a_time(course: Course) -> None:
    """Lock the course for changes of grades. New submissions only reference the course and do not wait for this lock."""
    Course.objects.select_for_update(no_key=True).get(pk=course.pk)
