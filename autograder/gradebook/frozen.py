"""What a closed gradebook says, for everybody who shows points; and the refusal for everybody who would change them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import msgspec
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Course
from autograder.gradebook.models import Freeze


class KeptAssignment(msgspec.Struct, frozen=True):
    """What an assignment counted for."""

    points: Decimal
    unit: str
    due_at: datetime | None


class KeptRule(msgspec.Struct, frozen=True):
    """How a unit went into the total."""

    unit: str
    weight: Decimal | None
    drop_lowest: int


class Basis(msgspec.Struct, frozen=True):
    """All that totals follow from beside the points."""

    assignments: dict[int, KeptAssignment]
    rules: tuple[KeptRule, ...]
    extended: dict[int, dict[int, datetime | None]]  # due dates that were other ones, by membership and assignment
    excused: dict[int, tuple[int, ...]] = {}  # assignments that a student was excused from, by membership


@dataclass(frozen=True)
class Frozen:
    """The points as they stood: of everybody who learned in the course then, in everything that was assigned."""

    at: datetime
    by: str
    kept: Mapping[str, Mapping[str, str | None]]
    basis: Basis | None = None  # of an older freeze only the points are known

    def worth(self, assignment_id: int) -> Decimal | None:
        """What the points are of; None where nothing was kept."""
        found = self.basis.assignments.get(assignment_id) if self.basis else None
        return found.points if found else None

    def excused(self, membership_id: int, assignment_id: int) -> bool:
        return self.basis is not None and assignment_id in self.basis.excused.get(membership_id, ())

    def points(self, membership_id: int, assignment_id: int) -> Decimal | None:
        text = self.kept.get(str(membership_id), {}).get(str(assignment_id))
        return None if text is None else Decimal(text)


def frozen_in(course_id: int) -> Frozen | None:
    found = Freeze.objects.filter(course_id=course_id, lifted_at=None).select_related("by").first()
    if found is None:
        return None
    basis = None if found.basis is None else msgspec.convert(found.basis, Basis, str_keys=True)
    return Frozen(found.at, found.by.get_full_name() or found.by.username, found.points, basis)


def frozen_since(course_id: int) -> Frozen | None:
    """Since when and by whom, without the points: to say so."""
    found = Freeze.objects.filter(course_id=course_id, lifted_at=None).defer("points", "basis").select_related("by").first()
    return Frozen(found.at, found.by.get_full_name() or found.by.username, {}) if found else None


def is_frozen(course_id: int) -> bool:
    return Freeze.objects.filter(course_id=course_id, lifted_at=None).exists()


def refuse_if_frozen(course: Course, deed: str) -> None:
    """Called inside the transaction of the deed: a freeze that begins meanwhile waits for its end, or it for the freeze."""
    one_at_a_time(course)
    found = Freeze.objects.filter(course=course, lifted_at=None).defer("points", "basis").select_related("by").first()
    if found is not None:
        day = f"{timezone.localtime(found.at):%d %b %Y}".lstrip("0")
        raise Refused(
            f"The gradebook is frozen since {day}, by {found.by.get_full_name() or found.by.username}: {deed}. "
            "Unfreeze it first."
        )


def one_at_a_time(course: Course) -> None:
    """Work that comes in only points at the course, and does not wait for this."""
    Course.objects.select_for_update(no_key=True).get(pk=course.pk)
