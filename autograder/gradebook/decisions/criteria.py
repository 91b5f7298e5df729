"""The criteria of an assignment, for which staff give points by hand. They are part of the assignment's points.

Marks stay valid when criteria change: a maximum never falls below a mark that was given, and removing a criterion with marks
requires confirmation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Asks, Assignment, Criterion
from autograder.courses.rights import Acting, Right
from autograder.gradebook.grades.frozen import one_at_a_time
from autograder.gradebook.grades.manual_points import NONE
from autograder.gradebook.models import Mark

MAX_CRITERIA = 8
MAX_TITLE = 100
MAX_DESCRIPTION = 300
MAX_QUESTION = 4_000
MAX_POINTS = Decimal("99999.99")


@dataclass(frozen=True)
class NewCriterion:
    """The desired state of a criterion. `number` is the id of an existing one."""

    title: str
    points: Decimal
    description: str = ""
    number: int | None = None
    asks: Asks = Asks.NOTHING
    question: str = ""


class MarksWouldGo(Refused):
    """Nothing was changed, because submissions have marks for a criterion that would be removed."""


def criteria_set(
    *,
    assignment: Assignment,
    by: Acting,
    criteria: Sequence[NewCriterion],
    edition: int | None = None,
    withdraw: bool = False,
) -> Assignment:
    """Replace the criteria of an assignment by these, in this order.

    `edition` is the one of the assignment that the user saw. `withdraw` confirms that marks for removed criteria may be
    dropped.
    """
    rights.require(by, Right.SET_UP, assignment.course)
    if assignment.graded_outside:
        raise Refused(f"{assignment.title} is graded outside Gradus, so there are no submissions to mark.")
    _refuse(criteria)
    with transaction.atomic():
        one_at_a_time(assignment.course)  # prevents concurrent marking
        found = Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        if edition is not None and edition != found.edition:
            raise Conflict(
                f"Another person changed {found.title} in the meantime. Nothing was saved. Check the criteria again.", found
            )
        standing = {criterion.pk: criterion for criterion in found.criteria.filter(removed_at=None)}
        if unknown := {wanted.number for wanted in criteria if wanted.number is not None} - set(standing):
            raise Refused(f"Criterion {min(unknown)} no longer belongs to {found.title}. Reload the page.")
        before = [_words(criterion) for criterion in standing.values()]
        gone = [criterion for pk, criterion in standing.items() if pk not in {wanted.number for wanted in criteria}]
        withdrawn = _remove(gone, withdraw=withdraw)
        stands = [_put(found, standing, wanted, place) for place, wanted in enumerate(criteria, 1)]
        found.points_by_hand = sum((criterion.points for criterion in stands), NONE)
        if found.points_by_hand > found.points:
            raise Refused(
                f"The criteria add up to {found.points_by_hand:.2f} points, but {found.title} is worth {found.points:.2f}. "
                "Lower the points for the criteria or raise those of the assignment."
            )
        after = [_words(criterion) for criterion in stands]
        if before != after:
            found.edition += 1
            found.save(update_fields=("points_by_hand", "edition"))
            audit.record(
                "criteria-changed",
                found,
                actor=by.user,
                course=found.course,
                before=before,
                after=after,
                marks_withdrawn=withdrawn,
            )
    return found


def _refuse(criteria: Sequence[NewCriterion]) -> None:
    """Validate the criteria. Errors refer to form fields by index: `title_0` is the title of the first one."""
    if len(criteria) > MAX_CRITERIA:
        raise Refused(f"An assignment can have at most {MAX_CRITERIA} criteria, not {len(criteria)}.")
    titles = Counter(wanted.title.strip().casefold() for wanted in criteria)
    for n, wanted in enumerate(criteria):
        if not wanted.title.strip():
            raise AtField(f"title_{n}", "A criterion needs a title.")
        if len(wanted.title) > MAX_TITLE:
            raise AtField(f"title_{n}", f"The title has {len(wanted.title)} characters; the limit is {MAX_TITLE}.")
        if titles[wanted.title.strip().casefold()] > 1:
            raise AtField(f"title_{n}", f"Two criteria have the title {wanted.title.strip()}.")
        if len(wanted.description) > MAX_DESCRIPTION:
            words = f"The description has {len(wanted.description)} characters; the limit is {MAX_DESCRIPTION}."
            raise AtField(f"description_{n}", words)
        if wanted.asks != Asks.NOTHING and not wanted.question.strip():
            raise AtField(f"question_{n}", "Write the question that students answer.")
        if len(wanted.question) > MAX_QUESTION:
            words = f"The question has {len(wanted.question):,} characters; the limit is {MAX_QUESTION:,}."
            raise AtField(f"question_{n}", words)
        if not wanted.points.is_finite() or not 0 < wanted.points <= MAX_POINTS or wanted.points != round(wanted.points, 2):
            raise AtField(f"points_{n}", "A criterion must be worth more than 0 points, with at most two decimals.")


def _remove(gone: Sequence[Criterion], *, withdraw: bool) -> int:
    """Remove criteria. Returns how many marks no longer count."""
    marks = Counter(
        Mark.objects.filter(criterion__in=gone, marking__replaced_at=None).values_list("criterion_id", flat=True)
    )
    if marks and not withdraw:
        titles = ", ".join(
            f"{criterion.title} ({_submissions(marks[criterion.pk])})" for criterion in gone if marks[criterion.pk]
        )
        raise MarksWouldGo(
            f"Points have already been given for {titles}. If you remove the criteria, these points no longer count."
        )
    Criterion.objects.filter(pk__in=[criterion.pk for criterion in gone]).update(removed_at=timezone.now())
    return marks.total()


def _put(assignment: Assignment, standing: dict[int, Criterion], wanted: NewCriterion, place: int) -> Criterion:
    criterion = standing[wanted.number] if wanted.number is not None else Criterion(assignment=assignment)
    if wanted.number is not None and wanted.points < criterion.points:
        _refuse_marks_above(criterion, wanted.points, place)
    criterion.title, criterion.description = wanted.title.strip(), wanted.description.strip()
    criterion.points, criterion.position = wanted.points, place
    criterion.asks, criterion.question = wanted.asks, wanted.question.replace("\r\n", "\n").strip()
    criterion.save()
    return criterion


def _refuse_marks_above(criterion: Criterion, points: Decimal, place: int) -> None:
    above = Mark.objects.filter(criterion=criterion, marking__replaced_at=None, points__gt=points)
    count = above.count()
    if count:
        most = above.aggregate(Max("points"))["points__max"]
        have = "has" if count == 1 else "have"
        raise AtField(
            f"points_{place - 1}",
            f"{_submissions(count)} {have} more than {points:.2f} points for {criterion.title}, up to {most:.2f}. "
            "Mark them again with fewer points first.",
        )


def _words(criterion: Criterion) -> str:
    about = f": {criterion.description}" if criterion.description else ""
    asked = "" if criterion.asks == Asks.NOTHING else f" [{criterion.asks}: {criterion.question}]"
    return f"{criterion.title} ({criterion.points:.2f}){about}{asked}"


def _submissions(count: int) -> str:
    return "1 submission" if count == 1 else f"{count} submissions"
