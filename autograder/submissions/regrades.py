"""Grades submissions again, as a preview that does not count. A preview consists of real gradings, queued behind all live work.

`gradebook.regrading` makes a finished preview count, and `gradebook.regrade_undo` undoes that.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership, User
from autograder.courses.rights import Right
from autograder.library.models import ExerciseVersion
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Batch, Grading, Kind, Submission, Work
from autograder.submissions.selectors import living_workers
from autograder.submissions.work import queue

MAX_REASON = 500
TOLERANCE = 1e-9  # smaller differences count as equal


@dataclass(frozen=True)
class RegradedSubmission:
    """One submission before and after the regrade. Scores are fractions of the maximum, so that versions can be compared."""

    submission: Submission
    before: Grading | None
    after: Grading

    @property
    def difference(self) -> float:
        return self.after.share - (self.before.share if self.before else 0.0)

    @property
    def changed(self) -> bool:
        return abs(self.difference) > TOLERANCE


@dataclass(frozen=True)
class RegradeProgress:
    wanted: int
    done: int
    failed: int

    @property
    def ready(self) -> bool:
        return self.done + self.failed == self.wanted


def start(
    *,
    course: Course,
    by: Membership,
    reason: str,
    submissions: QuerySet[Submission] | None = None,
    assignment: Assignment | None = None,
    version: ExerciseVersion | None = None,
    may_lower: bool = False,
) -> Batch:
    """Create a preview of a selection, an assignment or a whole course, with the assignments' version or another one."""
    rights.require(by, Right.REGRADE, course)
    return _start(course, by, reason, submissions, assignment, version, may_lower=may_lower)


def _start(
    course: Course,
    by: Membership,
    reason: str,
    submissions: QuerySet[Submission] | None,
    assignment: Assignment | None = None,
    version: ExerciseVersion | None = None,
    *,
    may_lower: bool = False,
) -> Batch:
    chosen = Submission.objects.all() if submissions is None else submissions
    chosen = chosen.filter(assignment__course=course, kind=Kind.SUBMIT).select_related("assignment__version")
    if assignment is not None:
        chosen = chosen.filter(assignment=assignment)
    if version is not None:
        chosen = chosen.filter(assignment__version__exercise_id=version.exercise_id)
    chosen = chosen.exclude(pk__in=_superseded(course)).defer("source")
    require_reason(reason, "the regrade")
    with transaction.atomic():
        batch = Batch.objects.create(course=course, reason=reason, may_lower=may_lower, created_by=by.user)
        wanted = [(submission, version or submission.assignment.exercise_version) for submission in chosen.order_by("id")]
        if not wanted:
            raise Refused("This selection contains no submissions to grade again.")
        queue.enqueue_batch(batch, wanted)
        audit.record("regrade-preview", batch, actor=by.user, course=course, reason=reason, submissions=len(wanted))
        transaction.on_commit(_ring)
    return batch


def grade_again(*, submission: Submission, by: Membership, reason: str) -> Batch:
    """Create the preview of a single submission, with the right to regrade for this student."""
    rights.require(by, Right.GRADE_AGAIN, submission.membership)
    return _start(submission.assignment.course, by, reason, Submission.objects.filter(pk=submission.pk))


def require_reason(reason: str, purpose: str) -> None:
    if not reason.strip():
        raise Refused(f"Give a reason for {purpose}. It is shown next to every grade that changes.")
    if len(reason) > MAX_REASON:
        raise Refused(f"The reason has {len(reason)} characters; the limit is {MAX_REASON}.")


def _ring() -> None:
    """Notify every worker. Each task then queues another one for its own worker."""
    for _ in range(max(1, living_workers().count())):
        doorbell.ring_for_regrades()


def progress(batch: Batch) -> RegradeProgress:
    states = dict(batch.work.values_list("state").annotate(Count("id")))
    done, failed = states.get(Work.State.DONE, 0), states.get(Work.State.FAILED, 0)
    return RegradeProgress(sum(states.values()), done, failed)


def results(batch: Batch) -> list[RegradedSubmission]:
    """Return the results of the batch that may be applied.

    Excludes submissions that were superseded, and those whose current grading was requested later than this preview.
    """
    found = (
        Grading.objects.filter(work__batch=batch)
        .exclude(submission__in=_superseded(batch.course))
        .select_related("submission__membership__user")
        .defer("report", "diagnosis", "traces", "submission__source")
    )
    counts = Grading.objects.filter(current=True, submission__work__batch=batch).defer("report", "diagnosis", "traces")
    before = {grading.submission_id: grading for grading in counts}
    regraded = [RegradedSubmission(after.submission, before.get(after.submission_id), after) for after in found]
    return [result for result in regraded if result.before is None or result.before.work_id < result.after.work_id]


def discard(batch: Batch, *, by: Membership) -> None:
    """Discard the preview. Gradings that are still waiting are dropped."""
    rights.require(by, Right.REGRADE, batch.course)
    with transaction.atomic():
        batch = locked_preview(batch)
        waiting = batch.work.filter(state__in=queue.WAITING)
        waiting.update(state=Work.State.DROPPED, token="", lease_until=None, ended_at=timezone.now())
        end(batch, Batch.State.DISCARDED, by.user)


def _superseded(course: Course) -> QuerySet[Work, int]:
    superseded = Work.objects.filter(course=course, batch=None, state=Work.State.SUPERSEDED)
    return superseded.values_list("submission_id", flat=True)


def locked_preview(batch: Batch) -> Batch:
    """Return the batch, locked against concurrent commits and discards. Raises `Refused` if it has ended."""
    locked = Batch.objects.select_for_update(of=("self",)).select_related("course").get(pk=batch.pk)
    if locked.state != Batch.State.PREVIEW:
        raise Refused(f"This regrade is already {locked.state_words}.")
    return locked


def end(batch: Batch, state: Batch.State, by: User) -> None:
    batch.state, batch.ended_at = state, timezone.now()
    batch.save(update_fields=("state", "ended_at"))
    audit.record(f"regrade-{state}", batch, actor=by, course=batch.course, reason=batch.reason)
