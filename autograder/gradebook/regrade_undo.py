"""Undoes a committed regrade in the gradebook, and records every grade that changes in the audit log."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.frozen import refuse_if_frozen
from autograder.gradebook.models import Override
from autograder.gradebook.regrading import assignments_touched
from autograder.gradebook.scores import Cell, scores_of_course
from autograder.submissions import regrade_undo
from autograder.submissions.models import Batch


@dataclass(frozen=True)
class WentBack:
    """A computed grade before and after the regrade was undone."""

    membership: Membership
    assignment: Assignment
    before: Decimal | None
    after: Decimal | None


def take_back(batch: Batch, *, by: Membership, reason: str) -> list[WentBack]:
    """Make the gradings from before the regrade count again, and return the grades that changed."""
    rights.require(by, Right.REGRADE, batch.course)
    with transaction.atomic():
        refuse_if_frozen(batch.course, "a regrade cannot be undone now")
        cells = _cells(batch)
        before = _computed(cells)
        regrade_undo.take_back(batch, by=by, reason=reason)
        after = _computed(cells)
        members = Membership.objects.select_related("user", "course").in_bulk({member for member, _ in before})
        assignments = Assignment.objects.in_bulk({assignment for _, assignment in before})
        set_by_hand = _overridden(before)
        made = []
        for cell in sorted(before):
            if before[cell] == after[cell]:
                continue
            one = WentBack(members[cell[0]], assignments[cell[1]], before[cell], after[cell])
            made.append(one)
            audit.record(
                *("grade-changed", one.membership), actor=by.user, course=batch.course, assignment=one.assignment,
                before=_text(one.before), after=_text(one.after), reason=reason, batch=batch.pk,
                overridden=cell in set_by_hand, taken_back=True,
                **({"set_by_hand": set_by_hand[cell]} if cell in set_by_hand else {}),
            )  # fmt: skip
    return made


def _cells(batch: Batch) -> set[Cell]:
    where = ("after__submission__membership_id", "after__submission__assignment_id")
    return set(batch.replacements.order_by().values_list(*where).distinct())


def _computed(cells: Collection[Cell]) -> dict[Cell, Decimal | None]:
    """Return the computed grades of these cells and of all that may depend on them."""
    members = sorted({member for member, _ in cells})
    assignments = assignments_touched({assignment for _, assignment in cells})
    return {cell: score.computed for cell, score in scores_of_course(list(assignments.values()), members).items()}


def _overridden(cells: Collection[Cell]) -> dict[Cell, str]:
    """Return the points of overrides, by cell."""
    standing = Override.objects.filter(undone_at=None, membership__in={member for member, _ in cells})
    found = standing.values_list("membership_id", "assignment_id", "points")
    return {(member, assignment): str(points) for member, assignment, points in found if (member, assignment) in cells}


def _text(points: Decimal | None) -> str | None:
    return None if points is None else str(points)
