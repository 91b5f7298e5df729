"""The assignments of a course with a student's dates, points and state, and their units."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count
from django.utils import timezone

from autograder.courses.models import Assignment, Membership
from autograder.courses.people.extensions import StudentTerms, terms_of_student
from autograder.courses.selectors import is_staff_of
from autograder.courses.setup.units import by_unit, in_units
from autograder.gradebook.grades.held_points import points_are_held
from autograder.gradebook.grades.scores import Score, scores_of_student
from autograder.gradebook.grades.totals import TotalExplanation, UnitResult, how_of_student
from autograder.library.pages import effort_of
from autograder.submissions.handing_in.numbering import readable
from autograder.submissions.models import Kind, Submission
from autograder.web import numbers, timestamps

KINDS = {
    "engine": "Implement",
    "graph": "Read the graph",
    "semantics": "Fix the bug",
    "vjp": "By hand",
    "function": "Function",
    "higher-order": "Higher order",
    "quiz": "Predict",
}
SOON = timedelta(days=14)


@dataclass(frozen=True)
class CourseStep:
    """One assignment of a course, for one student."""

    number: int  # among the exercises
    assignment: Assignment
    terms: StudentTerms
    score: Score
    submissions: int
    held: bool  # the student may not know the points yet
    opened: bool
    closed: bool

    @property
    def points(self) -> Decimal | None:
        return None if self.held else self.score.points

    @property
    def of(self) -> Decimal:
        """The maximum points; in a frozen gradebook, those at the time of freezing."""
        return self.score.of or self.assignment.points

    @property
    def outside(self) -> bool:
        """Whether it is graded outside Gradus, with nothing to open, submit or pass."""
        return self.assignment.graded_outside

    @property
    def linked(self) -> bool:
        """Whether it has a page that the student may open."""
        return self.opened and not self.outside

    @property
    def passed(self) -> bool:
        """Whether a submission passed all checks, as far as the student may know. Its points are another matter."""
        return self.score.passed and not self.held

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: it is passed, has full points all the same, or is graded outside."""
        return self.passed or (self.points is not None and (self.outside or self.points >= self.of))

    @property
    def overdue(self) -> bool:
        return self.terms.due_at is not None and self.terms.due_at < timezone.now()

    @property
    def waits_for_work(self) -> bool:
        """Whether the student can and should still work on it."""
        return self.linked and not self.closed and not self.finished and self.score.excuse is None

    @property
    def state(self) -> str:
        if self.score.excuse is not None:
            return "idle"
        if self.held and self.submissions:
            return "held"
        if self.passed:
            return "passed"
        if self.points is None:
            return "waiting" if self.submissions else "idle"
        if self.points >= self.of:
            return "passed"
        return "partial" if self.points > 0 else "failed"

    @property
    def kind(self) -> str:
        version = self.assignment.version
        return KINDS.get(version.kind, "Implement") if version else "Graded outside"

    @property
    def effort(self) -> str:
        return effort_of(self.assignment.version) if self.assignment.version else ""

    @property
    def curriculum_unit(self) -> str:
        """The unit of the curriculum. A course may divide its exercises differently."""
        return self.assignment.version.unit if self.assignment.version else ""

    @property
    def concepts(self) -> list[str]:
        version = self.assignment.version
        return version.page.concepts if version and hasattr(version, "page") else []

    @property
    def sub(self) -> str:
        if not self.submissions:
            return ""
        first_try = self.passed and self.submissions == 1
        return "First try" if first_try else numbers.quantity(self.submissions, "submission")

    @property
    def when(self) -> str:
        if not self.opened and self.terms.opens_at:
            return f"opens {timestamps.day(self.terms.opens_at)}"
        if self.score.excuse is not None:
            return "excused"
        if self.outside and self.points is not None:
            return "graded"
        if self.finished:
            return "passed" if self.passed else "full points"
        if self.closed:
            return "closed"
        if self.terms.due_at is None:
            return "no due date"
        if self.overdue:
            if self.outside:
                return "not graded yet"
            return f"was due {timestamps.day(self.terms.due_at)}"
        near = self.terms.due_at - timezone.now() < SOON
        return f"due {timestamps.until(self.terms.due_at) if near else timestamps.date_and_time(self.terms.due_at)}"


@dataclass(frozen=True)
class CourseUnit:
    """The steps of one unit."""

    number: int
    title: str
    steps: tuple[CourseStep, ...]
    part: UnitResult | None = None  # of the total, if it is shown

    @property
    def counts(self) -> bool:
        return self.part is not None and self.part.counts

    @property
    def exercises(self) -> list[CourseStep]:
        """The steps that can be passed."""
        return exercises_of(self.steps)

    @property
    def curriculum_units(self) -> list[str]:
        return list(dict.fromkeys(step.curriculum_unit for step in self.exercises))

    @property
    def passed(self) -> int:
        return sum(step.passed for step in self.exercises)

    @property
    def open(self) -> bool:
        """Whether the unit is expanded. Finished units and units that have not opened yet are collapsed."""
        return not all(step.finished for step in self.steps) and any(step.opened for step in self.steps)

    @property
    def due_at(self) -> datetime | None:
        """The next due date of a step that is not finished."""
        now = timezone.now()
        dates = [step.terms.due_at for step in self.steps if step.terms.due_at and not step.finished]
        return min((due_at for due_at in dates if due_at > now), default=None)

    @property
    def when(self) -> str:
        if not any(step.opened for step in self.steps):
            first = min(step.terms.opens_at for step in self.steps if step.terms.opens_at)
            return f"opens {timestamps.day(first)}"
        if self.due_at is not None:
            return f"due {timestamps.date_and_time(self.due_at)}"
        return ""


def steps_of(membership: Membership) -> list[CourseStep]:
    """Return all steps of a course for a member, in a constant number of queries."""
    now = timezone.now()
    ordered = (
        Assignment.objects.filter(course_id=membership.course_id, removed_at=None)
        .select_related("course", "version__page")
        .defer("version__archive", *(f"version__page__{name}" for name in ("statement", "summary", "starter", "checks")))
        .order_by("position", "id")
    )
    assignments = in_units(ordered, lambda assignment: assignment.unit)
    terms = terms_of_student(membership, assignments)
    scores = scores_of_student(membership, assignments, terms)
    handed_in = Submission.objects.filter(membership=membership, kind=Kind.SUBMIT, assignment__in=assignments)
    counts = dict(readable(handed_in).values_list("assignment_id").annotate(Count("id")).order_by())
    staff = is_staff_of(membership)
    steps = []
    number = 0
    for assignment in assignments:
        number += not assignment.graded_outside
        own = terms[assignment.pk]
        score = scores[assignment.pk]
        steps.append(
            CourseStep(
                number=number,
                assignment=assignment,
                terms=own,
                score=score,
                submissions=counts.get(assignment.pk, 0),
                held=points_are_held(assignment, own, score, now=now, staff=staff),
                opened=own.opens_at is None or own.opens_at <= now,
                closed=own.closes_at is not None and own.closes_at < now,
            )
        )
    return steps


def exercises_of(steps: Sequence[CourseStep]) -> list[CourseStep]:
    return [step for step in steps if not step.outside]


def scores_in(steps: Sequence[CourseStep]) -> dict[int, Score]:
    """Return the scores by assignment, so that a page computes them only once."""
    return {step.assignment.pk: step.score for step in steps}


def total_of_steps(membership: Membership, steps: Sequence[CourseStep]) -> TotalExplanation:
    """The total as in the gradebook, without points that the student may not know yet."""
    return how_of_student(membership, [step.assignment.pk for step in steps if step.held], scores_in(steps))


def units_of(steps: Sequence[CourseStep], how: TotalExplanation | None = None) -> list[CourseUnit]:
    parts = {part.unit.title: part for part in how.total.parts} if how else {}
    groups = by_unit(steps, lambda step: step.assignment.unit)
    return [
        CourseUnit(number, title or "Exercises", tuple(steps_of_unit), parts.get(title))
        for number, (title, steps_of_unit) in enumerate(groups.items(), 1)
    ]
