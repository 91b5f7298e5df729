"""Undoes a committed regrade: the gradings that counted before it count again.

Regrades of the same submission are undone in reverse order, last one first. Nothing is deleted: the gradings of the regrade
stay, but no longer count. Every grade that changes is recorded in the audit log.
"""

from collections.abc import Collection, Sequence

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.grades.scores import Score, ScoreKey, scores_of_course
from autograder.gradebook.regrades.regrading import (
    BATCH_SIZE,
    GradeChange,
    assignments_touched,
    lock_submissions,
    record_grade_change,
    record_score_change,
)
from autograder.submissions.models import Batch, Grading, Replacement, Submission
from autograder.submissions.regrades import RegradedSubmission, require_reason


def may_undo(batch: Batch) -> bool:
    """Return whether the batch is committed and the gradings that counted before it are recorded."""
    return batch.state == Batch.State.COMMITTED and batch.replacements.exists()


def undo(batch: Batch, *, by: Membership, reason: str) -> list[GradeChange]:
    """Make the gradings from before the regrade count again, and return the grades that changed."""
    rights.require(by, Right.REGRADE, batch.course)
    require_reason(reason, "undoing the regrade")
    with transaction.atomic():
        refuse_if_frozen(batch.course, "A regrade cannot be undone now")
        batch = _locked(batch)
        lock_submissions(Submission.objects.filter(gradings__replacement__batch=batch))
        replacements = _replacements(batch)
        _refuse_if_regraded_since(replacements)
        cells = {(made.after.submission.membership_id, made.after.submission.assignment_id) for made in replacements}
        before = _scores(cells)
        for first in range(0, len(replacements), BATCH_SIZE):
            _restore_gradings(replacements[first : first + BATCH_SIZE])
        for made in replacements:
            submission = made.after.submission
            if made.before is None or RegradedSubmission(submission, made.before, made.after).changed:
                record_score_change(submission, made.after, made.before, batch, by, reason, taken_back=True)
        batch.state = Batch.State.UNDONE
        batch.save(update_fields=("state",))
        audit.record(
            "regrade-undone", batch, actor=by.user, course=batch.course, reason=reason, submissions=len(replacements)
        )
        changes = _grade_changes(before, _scores(cells))
        for change in changes:
            record_grade_change(change, batch, by, reason, taken_back=True)
    return changes


def _locked(batch: Batch) -> Batch:
    locked = Batch.objects.select_for_update(of=("self",)).select_related("course").get(pk=batch.pk)
    if locked.state != Batch.State.COMMITTED:
        raise Refused(f"Only an applied regrade can be undone; this one is {locked.state_words}.")
    if not locked.replacements.exists():
        if Grading.objects.filter(work__batch=locked, current=True).exists():
            raise Refused(
                "This regrade cannot be undone: it was applied by an older version of Gradus, which did not store the previous "
                "results. Start a new regrade instead."
            )
        raise Refused("This regrade changed nothing, so there is nothing to undo.")
    return locked


def _replacements(batch: Batch) -> Sequence[Replacement]:
    found = batch.replacements.select_related(
        "after__submission__membership__user", "after__submission__assignment", "before"
    )
    unread = (f"{grading}__{name}" for grading in ("after", "before") for name in ("report", "diagnosis", "traces"))
    return list(found.defer(*unread, "after__submission__source"))


def _refuse_if_regraded_since(replacements: Sequence[Replacement]) -> None:
    regraded = {made.after.submission_id for made in replacements if not made.after.current}
    if not regraded:
        return
    later = Grading.objects.filter(current=True, submission__in=regraded, work__batch__isnull=False)
    numbers = sorted(set(later.values_list("work__batch_id", flat=True)))
    several = len(numbers) > 1
    which = f"regrade{'s' if several else ''} {', '.join(map(str, numbers))}" if numbers else "that regrade"
    subject = which.capitalize() if numbers else "A later regrade"
    raise Refused(
        f"{subject} {'have' if several else 'has'} since regraded {len(regraded)} of these {len(replacements)} submissions, "
        f"and {'their' if several else 'its'} results count now. Undo {which} first. Nothing was changed."
    )


def _restore_gradings(replacements: Sequence[Replacement]) -> None:
    """Restore the previous gradings. A submission without one gets the result of its own live grading since, if there is one."""
    Grading.objects.filter(pk__in=[made.after_id for made in replacements]).update(current=False)
    Grading.objects.filter(pk__in=[made.before_id for made in replacements if made.before_id]).update(current=True)
    ungraded = [made.after.submission_id for made in replacements if made.before_id is None]
    Grading.objects.filter(submission__in=ungraded, work__batch=None).update(current=True)


def _scores(cells: Collection[ScoreKey]) -> dict[ScoreKey, Score]:
    """Return the scores of these cells and of all that may depend on them."""
    members = sorted({member for member, _ in cells})
    assignments = assignments_touched({assignment for _, assignment in cells})
    return scores_of_course(list(assignments.values()), members)


def _grade_changes(before: dict[ScoreKey, Score], after: dict[ScoreKey, Score]) -> list[GradeChange]:
    changed = [cell for cell in sorted(before) if before[cell].computed != after[cell].computed]
    members = Membership.objects.select_related("user", "course").in_bulk({member for member, _ in changed})
    assignments = Assignment.objects.in_bulk({assignment for _, assignment in changed})
    return [
        GradeChange(
            members[cell[0]], assignments[cell[1]], before[cell].computed, after[cell].computed, after[cell].override
        )
        for cell in changed
    ]
