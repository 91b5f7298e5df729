"""What a regrade does to grades. A grade follows from all submissions of a student by the assignment's policy, so a
submission that loses may cost nothing, and one that gains may win nothing.

To commit is one transaction. A grade either takes all its new gradings or keeps all its old ones, and without `lower` none
falls: neither the one that stands, nor the computed one below an override, which would come to light when it is undone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.selectors import terms_where_extended
from autograder.gradebook.frozen import refuse_if_frozen
from autograder.gradebook.models import Override
from autograder.gradebook.policies import Scored
from autograder.gradebook.scores import computed, scored_of_course
from autograder.submissions import regrades
from autograder.submissions.models import Batch
from autograder.submissions.regrades import Change

NONE = Decimal(0)
Cell = tuple[int, int]  # membership, assignment


@dataclass(frozen=True)
class GradeChange:
    """A student's grade in an assignment as it is computed now, and as it would be. Points are None while nothing is graded.

    Where an override stands, the grade is the override before and after.
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
        """What the gradebook shows."""
        return self.override.points if self.override else self.before

    @property
    def stands_after(self) -> Decimal | None:
        return self.override.points if self.override else self.after


def preview(batch: Batch) -> list[GradeChange]:
    """Every grade that the batch speaks for, also those that stay; the largest loss first."""
    return grade_changes(regrades.outcomes(batch))


def commit(batch: Batch, *, by: User, lower: bool) -> list[GradeChange]:
    """Make the new gradings count, and say which grades changed. `lower` is only for a batch that was asked for as one that
    may: a grade never falls by a single slip."""
    made: list[GradeChange] = []

    def choose(outcomes: Sequence[Change]) -> list[Change]:
        _one_at_a_time(outcomes)
        taken = [change for change in grade_changes(outcomes) if lower or not change.lowers]
        made.extend(change for change in taken if change.changed)
        return [outcome for change in taken for outcome in change.submissions]

    with transaction.atomic():
        _refuse_what_may_not_be(batch, lower=lower)
        regrades.commit(batch, by=by, choose=choose)
        for change in made:
            audit.record(
                *("grade-changed", change.membership), actor=by, course=batch.course, assignment=change.assignment.slug,
                before=_text(change.before), after=_text(change.after), reason=batch.reason, batch=batch.pk,
                overridden=change.override is not None,
            )  # fmt: skip
    return made


def _refuse_what_may_not_be(batch: Batch, *, lower: bool) -> None:
    """Whatever keeps a finished preview from counting."""
    refuse_if_frozen(batch.course, "a regrade cannot change scores now")
    if lower and not Batch.objects.get(pk=batch.pk).may_lower:
        raise Refused("This regrade was asked for as one that lowers nobody. Ask for a new one that may lower grades.")


def _one_at_a_time(outcomes: Sequence[Change]) -> None:
    """Two regrades of different submissions of one student would each find the grade held up by the other's."""
    members = {outcome.submission.membership_id for outcome in outcomes}
    list(Membership.objects.filter(pk__in=members).order_by("pk").select_for_update().values_list("pk"))


def grade_changes(outcomes: Sequence[Change]) -> list[GradeChange]:
    """From the submissions' new gradings to the students' grades."""
    found: dict[Cell, list[Change]] = defaultdict(list)
    for outcome in outcomes:
        found[outcome.submission.membership_id, outcome.submission.assignment_id].append(outcome)
    members = {one.submission.membership_id: one.submission.membership for one in outcomes}
    assignments = Assignment.objects.select_related("course").in_bulk({assignment for _, assignment in found})
    rows, columns = list(members), list(assignments.values())
    scored = scored_of_course(columns, rows)
    extended = terms_where_extended(columns, rows)
    overrides = Override.objects.filter(assignment__in=columns, membership__in=rows, undone_at=None)
    standing = {(one.membership_id, one.assignment_id): one for one in overrides.select_related("author")}
    changes = []
    for cell, new in found.items():
        assignment, now = assignments[cell[1]], scored.get(cell, [])
        due_at = extended[cell].due_at if cell in extended else assignment.due_at
        then = with_new_scores(now, {one.submission.pk: _scored(one, due_at) for one in new})
        changes.append(
            GradeChange(
                membership=members[cell[0]],
                assignment=assignment,
                before=computed(assignment, now),
                after=computed(assignment, then),
                override=standing.get(cell),
                submissions=tuple(new),
            )
        )
    return sorted(changes, key=lambda change: (change.difference, change.membership.pk, change.assignment.pk))


def with_new_scores(scored: Sequence[Scored], new: Mapping[int, Scored]) -> list[Scored]:
    """In their order, whatever has a new score with that one; what was never graded comes in where its number belongs."""
    then = [new.get(one.submission_id, one) for one in scored]
    for number in sorted(set(new) - {one.submission_id for one in scored}):
        then.insert(next((n for n, one in enumerate(then) if one.submission_id > number), len(then)), new[number])
    return then


def _scored(outcome: Change, due_at: datetime | None) -> Scored:
    submission = outcome.submission
    late = due_at is not None and submission.submitted_at > due_at
    return Scored(submission.pk, regrades.share(outcome.after), late)


def _text(points: Decimal | None) -> str | None:
    return None if points is None else str(points)
