"""Determines the effect of a regrade on grades, and makes it count.

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
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.grades.scores import ScoreKey, scores_of_course
from autograder.gradebook.models import Override
from autograder.submissions import regrades
from autograder.submissions.messages import events
from autograder.submissions.models import Batch, Grading, Replacement, Submission
from autograder.submissions.regrades import RegradedSubmission

NONE = Decimal(0)
BATCH_SIZE = 500  # submissions per statement


@dataclass(frozen=True)
class GradeChange:
    """A student's computed grade in an assignment before and after a regrade, or before and after it was undone. Points are
    None while nothing is graded.

    If there is an override, the visible grade is the override before and after.
    """

    membership: Membership
    assignment: Assignment
    before: Decimal | None
    after: Decimal | None
    override: Override | None
    submissions: tuple[RegradedSubmission, ...] = ()

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
    return _grade_changes(regrades.results(batch))


def commit(batch: Batch, *, by: Membership, lower: bool) -> list[GradeChange]:
    """Make the new gradings count, and return the grades that changed.

    `lower` requires a batch that was created with `may_lower`, so that a single mistake cannot lower grades.
    """
    rights.require(by, Right.REGRADE, batch.course)
    with transaction.atomic():
        refuse_if_frozen(batch.course, "A regrade cannot change scores now")
        batch = regrades.locked_preview(batch)
        if lower and not batch.may_lower:
            raise Refused("This regrade does not lower grades. To allow lower grades, start a new one with that option.")
        if not regrades.progress(batch).ready:
            raise Refused("The preview is not finished yet. Wait until every submission has been graded.")
        lock_submissions(Submission.objects.filter(work__batch=batch))
        results = regrades.results(batch)
        _lock_members(results)
        changes = _grade_changes(results)
        taken = changes if lower else _lowering_nothing(changes, batch)
        _replace_gradings(batch, [result for change in taken for result in change.submissions], by)
        regrades.end(batch, Batch.State.COMMITTED, by.user)
        made = [change for change in taken if change.changed]
        for change in made:
            record_grade_change(change, batch, by, batch.reason)
    return made


def _replace_gradings(batch: Batch, results: Sequence[RegradedSubmission], by: Membership) -> None:
    for first in range(0, len(results), BATCH_SIZE):
        some = results[first : first + BATCH_SIZE]
        Grading.objects.filter(current=True, submission__in=[result.submission for result in some]).update(current=False)
        Grading.objects.filter(pk__in=[result.after.pk for result in some]).update(current=True)
        Replacement.objects.bulk_create(
            Replacement(batch=batch, before=result.before, after=result.after) for result in some
        )
    for result in results:
        if result.changed:
            record_score_change(result.submission, result.before, result.after, batch, by, batch.reason)


def record_score_change(
    submission: Submission,
    before: Grading | None,
    after: Grading | None,
    batch: Batch,
    by: Membership,
    reason: str,
    **details: Any,
) -> None:
    """Notify open pages of the submission, and record in the audit log that another grading counts."""
    events.tell(submission.pk, "regraded", verdict=after.verdict if after else "")
    audit.record(
        "score-changed",
        submission,
        actor=by.user,
        course=batch.course,
        batch=batch.pk,
        reason=reason,
        before=before.score if before else None,
        after=after.score if after else None,
        **details,
    )


def record_grade_change(change: GradeChange, batch: Batch, by: Membership, reason: str, **details: Any) -> None:
    audit.record(
        "grade-changed",
        change.membership,
        actor=by.user,
        course=batch.course,
        assignment=change.assignment,
        before=_text(change.before),
        after=_text(change.after),
        reason=reason,
        batch=batch.pk,
        overridden=change.override is not None,
        **({"set_by_hand": str(change.override.points)} if change.override else {}),
        **details,
    )


def lock_submissions(submissions: QuerySet[Submission]) -> None:
    """Serialise with other regrades, and with live gradings that finish now. Read what counts after this call."""
    list(submissions.order_by("pk").select_for_update(of=("self",)).values_list("pk"))


def _lock_members(results: Sequence[RegradedSubmission]) -> None:
    """Two concurrent regrades of one student's submissions would each rely on the grade that the other one changes."""
    members = {result.submission.membership_id for result in results}
    list(Membership.objects.filter(pk__in=members).order_by("pk").select_for_update().values_list("pk"))


def _lowering_nothing(changes: Sequence[GradeChange], batch: Batch) -> list[GradeChange]:
    """Leave out changes that lower a grade. With late days, the grades of a student depend on each other: if one would fall,
    all stay."""
    if not batch.course.late_days:
        return [change for change in changes if not change.lowers]
    losing = {change.membership.pk for change in changes if change.lowers}
    return [change for change in changes if change.membership.pk not in losing]


def _grade_changes(results: Sequence[RegradedSubmission]) -> list[GradeChange]:
    """Compute the changes of grades from the new gradings of submissions.

    With shared late days, a grade can also change because another assignment needs more or fewer of them.
    """
    found: dict[ScoreKey, list[RegradedSubmission]] = defaultdict(list)
    for result in results:
        found[result.submission.membership_id, result.submission.assignment_id].append(result)
    members = {result.submission.membership_id: result.submission.membership for result in results}
    assignments = assignments_touched({assignment for _, assignment in found})
    shares = {result.submission.pk: result.after.share for result in results}
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
