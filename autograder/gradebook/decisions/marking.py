"""Gives points by hand to a submission, one value per criterion, with a remark for the student."""

from collections.abc import Mapping
from decimal import Decimal

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Criterion, Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.grades.manual_points import NONE, Rubric, criteria_of, rubric_of
from autograder.gradebook.models import Mark, Marking
from autograder.judge.text import neutralise
from autograder.submissions.models import COUNTING, Grading, Kind, Submission

MAX_REMARK = 2000


def mark(
    *,
    submission: Submission,
    by: Membership,
    points: Mapping[int, Decimal],
    remark: str = "",
    seen: int | None = None,
    taken_from: Submission | None = None,
) -> Marking:
    """Store the points for every criterion, replacing earlier ones.

    `seen` is the marking that `by` saw, 0 for none: if it has changed since, `Conflict` is raised.
    """
    rights.require(by, Right.MARK, submission.membership)
    remark = neutralise(remark.replace("\r\n", "\n").strip(), 2 * MAX_REMARK)
    if len(remark) > MAX_REMARK:
        raise AtField("remark", f"The feedback has {len(remark):,} characters; the limit is {MAX_REMARK:,}.")
    if submission.kind != Kind.SUBMIT:
        raise Refused("This is a run, which earns no points. Mark a submission instead.")
    with transaction.atomic():
        refuse_if_frozen(submission.assignment.course, "No points can be given now")
        Submission.objects.select_for_update().only("pk").get(pk=submission.pk)
        submission.assignment.refresh_from_db(fields=["points_by_hand"])
        rubric = rubric_of(submission)
        if rubric is None:
            raise Refused(f"{submission.assignment.title} has no points that are given by hand.")
        if not Grading.objects.filter(COUNTING, submission=submission).exists():
            raise Refused(
                "This submission has no check results yet, so points would not count. Mark it once it has been graded."
            )
        _refuse_points([line.criterion for line in rubric.lines], points)
        if _is_the_same(rubric, points, remark):
            return rubric.marking  # type: ignore[return-value]
        _refuse_unseen(rubric, seen)
        Marking.objects.filter(submission=submission, replaced_at=None).update(replaced_at=timezone.now())
        made = Marking.objects.create(submission=submission, remark=remark, author=by.user)
        Mark.objects.bulk_create(Mark(marking=made, criterion_id=pk, points=given) for pk, given in points.items())
        audit.record(
            "marked",
            submission,
            actor=by.user,
            course=by.course,
            before=str(rubric.by_hand.points) if rubric.marking else None,
            after=str(sum(points.values(), NONE)),
            criteria=[_change(line.criterion, line.points, points[line.criterion.pk]) for line in rubric.lines],
            remark=remark,
            taken_over_from=None if taken_from is None else taken_from.pk,
        )
    return made


def take_over(*, submission: Submission, source: Submission, by: Membership, seen: int | None = None) -> Marking:
    """Copy the marks and the remark of another submission of the same student to the same assignment."""
    rights.require(by, Right.MARK, submission.membership)
    same = (source.membership_id, source.assignment_id) == (submission.membership_id, submission.assignment_id)
    rubric = rubric_of(source) if same else None
    if rubric is None or rubric.marking is None:
        raise Refused("That submission has no points given by hand that could be copied.")
    points = {line.criterion.pk: line.points for line in rubric.lines if line.points is not None}
    if len(points) < len(rubric.lines):
        raise Refused("That submission is not marked for every criterion. Enter the points yourself.")
    return mark(submission=submission, by=by, points=points, remark=rubric.marking.remark, seen=seen, taken_from=source)


def marked_before(submission: Submission) -> Submission | None:
    """Return the latest earlier submission whose marks can be copied."""
    stand = Q(marks__criterion__removed_at=None)
    earlier = Marking.objects.filter(
        replaced_at=None,
        submission__membership=submission.membership_id,
        submission__assignment=submission.assignment_id,
        submission__lt=submission.pk,
    )
    complete = earlier.annotate(marked=Count("marks", filter=stand)).filter(marked=len(criteria_of(submission.assignment)))
    found = complete.select_related("submission").defer("submission__source").order_by("-submission_id").first()
    return found.submission if found else None


def _refuse_points(criteria: list[Criterion], points: Mapping[int, Decimal]) -> None:
    """Validate the points. Errors refer to the form field of a criterion: `points_7` belongs to criterion 7."""
    if set(points) != {criterion.pk for criterion in criteria}:
        raise Refused("The criteria of this assignment changed in the meantime. Nothing was saved. Reload the page.")
    for criterion in criteria:
        given = points[criterion.pk]
        if not given.is_finite() or not 0 <= given <= criterion.points:
            raise AtField(
                f"points_{criterion.pk}", f"Give between 0 and {criterion.points:.2f} points for {criterion.title}."
            )
        if given != round(given, 2):
            raise AtField(f"points_{criterion.pk}", "Points have at most two decimals.")


def _is_the_same(rubric: Rubric, points: Mapping[int, Decimal], remark: str) -> bool:
    """Return whether nothing would change, so that submitting a form twice creates one marking."""
    stands = {line.criterion.pk: line.points for line in rubric.lines}
    return rubric.marking is not None and stands == dict(points) and rubric.marking.remark == remark


def _refuse_unseen(rubric: Rubric, seen: int | None) -> None:
    marking = rubric.marking
    if seen is None or seen == (marking.pk if marking else 0):
        return
    if marking is None:
        raise Conflict(
            "The marks of this submission were withdrawn in the meantime. Nothing was saved. Check the points again.", None
        )
    who = marking.author.display_name
    given = ", ".join(f"{line.criterion.title} {line.points}" for line in rubric.lines if line.points is not None)
    raise Conflict(
        f"{who} marked this submission in the meantime: {given}. Nothing was saved. Check the points again.", marking
    )


def _change(criterion: Criterion, before: Decimal | None, after: Decimal) -> str:
    was = "" if before is None else f"{before:.2f} → "
    return f"{criterion.title}: {was}{after:.2f} of {criterion.points:.2f}"
