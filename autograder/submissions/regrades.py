"""Grading again: first as a preview that counts for nothing, then for good, or thrown away.

The preview is made of real gradings, behind everything that is live. To commit is one transaction; no score is lowered
unless the batch may, and every change is written down.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, User
from autograder.library.models import ExerciseVersion
from autograder.submissions import doorbell, queue
from autograder.submissions.models import Batch, Grading, Kind, Submission, Work


@dataclass(frozen=True)
class Change:
    """One submission, before and after. Scores are shares of what can be reached, so that versions can be compared."""

    submission: Submission
    before: Grading | None
    after: Grading

    @property
    def difference(self) -> float:
        return share(self.after) - (share(self.before) if self.before else 0.0)

    @property
    def lowers(self) -> bool:
        return self.difference < -1e-9


@dataclass(frozen=True)
class Progress:
    wanted: int
    done: int
    failed: int

    @property
    def ready(self) -> bool:
        return self.done + self.failed == self.wanted


def share(grading: Grading) -> float:
    return grading.score / grading.max_score if grading.max_score else 0.0


def start(
    *,
    course: Course,
    by: User,
    reason: str,
    submissions: QuerySet[Submission] | None = None,
    assignment: Assignment | None = None,
    version: ExerciseVersion | None = None,
    may_lower: bool = False,
) -> Batch:
    """Ask for a preview: of a selection, an assignment or a whole course, under their assignments' version or another."""
    chosen = Submission.objects.all() if submissions is None else submissions
    chosen = chosen.filter(assignment__course=course, kind=Kind.SUBMIT).select_related("assignment__version")
    if assignment is not None:
        chosen = chosen.filter(assignment=assignment)
    if version is not None:
        chosen = chosen.filter(assignment__version__exercise_id=version.exercise_id)
    chosen = chosen.exclude(work__batch=None, work__state=Work.State.SUPERSEDED)
    if not reason.strip():
        raise Refused("Say why these submissions are graded again: it stands beside every grade that changes.")
    with transaction.atomic():
        batch = Batch.objects.create(course=course, reason=reason, may_lower=may_lower, created_by=by)
        wanted = [(submission, version or submission.assignment.version) for submission in chosen.order_by("id")]
        if not wanted:
            raise Refused("There is nothing to grade again in this selection.")
        queue.enqueue_batch(batch, wanted)
        audit.record("regrade-preview", batch, actor=by, course=course, reason=reason, submissions=len(wanted))
        transaction.on_commit(doorbell.ring_for_regrades)
    return batch


def progress(batch: Batch) -> Progress:
    states = dict(batch.work.values_list("state").annotate(Count("id")))
    done, failed = states.get(Work.State.DONE, 0), states.get(Work.State.FAILED, 0)
    return Progress(sum(states.values()), done, failed)


def changes(batch: Batch) -> list[Change]:
    """Every submission whose score would be another one, the largest loss first."""
    after = {
        grading.submission_id: grading
        for grading in Grading.objects.filter(work__batch=batch).select_related("submission__membership__user")
    }
    before = {g.submission_id: g for g in Grading.objects.filter(current=True, submission__work__batch=batch)}
    found = [Change(new.submission, before.get(key), new) for key, new in after.items()]
    return sorted((c for c in found if abs(c.difference) > 1e-9), key=lambda c: (c.difference, c.submission.pk))


def commit(batch: Batch, *, by: User) -> Sequence[Change]:
    """Make the new gradings count. Those that would lower a score stay a preview, unless the batch may lower."""
    with transaction.atomic():
        _locked_preview(batch)
        if not progress(batch).ready:
            raise Refused("The preview is not finished yet. Wait until every submission has been graded.")
        kept = {c.submission.pk for c in changes(batch) if c.lowers and not batch.may_lower}
        made = [change for change in changes(batch) if change.submission.pk not in kept]
        new = Grading.objects.filter(work__batch=batch).exclude(submission_id__in=kept)
        Grading.objects.filter(current=True, submission_id__in=new.values("submission_id")).update(current=False)
        new.update(current=True)
        for change in made:
            audit.record(
                "score-changed",
                change.submission,
                actor=by,
                course=batch.course,
                batch=batch.pk,
                before=change.before.score if change.before else None,
                after=change.after.score,
                reason=batch.reason,
            )
        _end(batch, Batch.State.COMMITTED, by)
    return made


def discard(batch: Batch, *, by: User) -> None:
    """Throw the preview away; what is still waiting is not graded."""
    with transaction.atomic():
        _locked_preview(batch)
        waiting = batch.work.filter(state__in=queue.WAITING)
        waiting.update(state=Work.State.DROPPED, token="", lease_until=None, ended_at=timezone.now())
        _end(batch, Batch.State.DISCARDED, by)


def _locked_preview(batch: Batch) -> None:
    state = Batch.objects.select_for_update().get(pk=batch.pk).state
    if state != Batch.State.PREVIEW:
        raise Refused(f"This regrade is {state} already.")


def _end(batch: Batch, state: Batch.State, by: User) -> None:
    batch.state, batch.ended_at = state, timezone.now()
    batch.save(update_fields=("state", "ended_at"))
    audit.record(f"regrade-{state}", batch, actor=by, course=batch.course, reason=batch.reason)
