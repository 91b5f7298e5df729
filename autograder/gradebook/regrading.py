"""Determines the effect of a regrade on grades.

A grade is computed from all submissions of a student by the assignment's policy, so a submission that loses points may not
lower the grade, and one that gains may not raise it.

A commit is one transaction. A grade either takes all of its new gradings or keeps all of its old ones. Without `lower`, no
grade falls: neither the visible one nor the computed one below an override, which would reappear when the override is
undone.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.gradebook.frozen import refuse_if_frozen
from autograder.gradebook.models import Override
from autograder.gradebook.scores import Cell, scores_of_course
from autograder.submissions import regrades
from autograder.submissions.models import Batch
from autograder.submissions.regrades import Change

NONE = Decimal(0)


@dataclass(frozen=True)
class GradeChange:
    """A student's computed grade in an assignment before and after the regrade. Points are None while nothing is graded.

    If there is an override, the visible grade is the override before and after.
    """

    membership: Membership
    assignment: Assignment
    before: Decimal | None
    after: Decimal | None
    override: Override | None
    submissions: tuple[Change, ...]

    @property
    def difference(self) -> Decimal:
        return (self.after or NONE) - (self.before or NONE)

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def raises(self) -> bool:
        return self.difference > 0

    @property
    def lowers(self) -> bool:
        return self.difference < 0

    @property
    def stands_before(self) -> Decimal | None:
        """The visible grade before the regrade."""
        return self.override.points if self.override else self.before

    @property
    def stands_after(self) -> Decimal | None:
        return self.override.points if self.override else self.after


def preview(batch: Batch) -> list[GradeChange]:
    """Return every grade affected by the batch, including unchanged ones; the largest loss first."""
    return grade_changes(regrades.outcomes(batch))


def commit(batch: Batch, *, by: Membership, lower: bool) -> list[GradeChange]:
    """Make the new gradings count, and return the grades that changed.

    `lower` requires a batch that was created with `may_lower`, so that a single mistake cannot lower grades.
    """
    made: list[GradeChange] = []

    def choose(outcomes: Sequence[Change]) -> list[Change]:
        _one_at_a_time(outcomes)
        changes = grade_changes(outcomes)
        taken = changes if lower else _lowering_nothing(changes, batch)
        made.extend(change for change in taken if change.changed)
        return [outcome for change in taken for outcome in change.submissions]

    with transaction.atomic():
        _refuse_what_may_not_be(batch, lower=lower)
        regrades.commit(batch, by=by, choose=choose)
        for change in made:
            audit.record(
                *("grade-changed", change.membership), actor=by.user, course=batch.course, assignment=change.assignment,
                before=_text(change.before), after=_text(change.after), reason=batch.reason, batch=batch.pk,
                overridden=change.override is not None,
                **({"set_by_hand": str(change.override.points)} if change.override else {}),
            )  # fmt: skip
    return made


def _lowering_nothing(changes: Sequence[GradeChange], batch: Batch) -> list[GradeChange]:
    """Leave out changes that lower a grade. With late days, the grades of a student depend on each other: if one would fall,
    all stay."""
    if not batch.course.late_days:
        return [change for change in changes if not change.lowers]
    losing = {change.membership.pk for change in changes if change.lowers}
    return [change for change in changes if change.membership.pk not in losing]


def _refuse_what_may_not_be(batch: Batch, *, lower: bool) -> None:
    """Refuse to commit a finished preview that must not count."""
    refuse_if_frozen(batch.course, "a regrade cannot change scores now")
    if lower and not Batch.objects.get(pk=batch.pk).may_lower:
        raise Refused("This regrade was started as one that cannot lower grades. Start a new one that allows lower grades.")


def _one_at_a_time(outcomes: Sequence[Change]) -> None:
    """Lock the students. Two concurrent regrades of one student's submissions would each rely on the grade that the other
    one changes."""
    members = {outcome.submission.membership_id for outcome in outcomes}
    list(Membership.objects.filter(pk__in=members).order_by("pk").select_for_update().values_list("pk"))


def grade_changes(outcomes: Sequence[Change]) -> list[GradeChange]:
    """Compute the changes of grades from the new gradings of submissions.

    With shared late days, a grade can also change because another assignment needs more or fewer of them.
    """
    found: dict[Cell, list[Change]] = defaultdict(list)
    for outcome in outcomes:
        found[outcome.submission.membership_id, outcome.submission.assignment_id].append(outcome)
    members = {one.submission.membership_id: one.submission.membership for one in outcomes}
    assignments = assignments_touched({assignment for _, assignment in found})
    shares = {one.submission.pk: regrades.share(one.after) for one in outcomes}
    now = scores_of_course(list(assignments.values()), list(members))
    then = scores_of_course(list(assignments.values()), list(members), regraded=shares)
    changes = [
        GradeChange(
            membership=members[cell[0]],
            assignment=assignments[cell[1]],
            before=now[cell].computed,
            after=then[cell].computed,
            override=now[cell].override,
            submissions=tuple(found.get(cell, ())),
        )
        for cell in now
        if cell in found or now[cell].computed != then[cell].computed
    ]
    return sorted(changes, key=lambda change: (change.difference, change.membership.pk, change.assignment.pk))


def assignments_touched(numbers: Collection[int]) -> dict[int, Assignment]:
    """Return these assignments and, in a course with late days, all others, because their grades may depend on them."""
    assignments = Assignment.objects.select_related("course").in_bulk(numbers)
    courses = [assignment.course_id for assignment in assignments.values() if assignment.course.late_days]
    others = Assignment.objects.filter(course__in=courses, removed_at=None).select_related("course")
    return assignments | {assignment.pk: assignment for assignment in others}


def _text(points: Decimal | None) -> str | None:
    return None if points is None else str(points)
