"""The course home: progress, the next exercise, due dates and news."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.check_visibility import Sight, sight_of
from autograder.courses.models import Assignment, Extension, Membership
from autograder.courses.selectors import Terms, is_staff_of, terms_of_student
from autograder.courses.units import by_unit, in_units
from autograder.gradebook.late_credit import late_days_left
from autograder.gradebook.models import Marking, Override, RegradeRequest
from autograder.gradebook.scores import ALL_BUT, Score, scores_of_student
from autograder.gradebook.totals import How, Part, how_of_student
from autograder.library.pages import effort_of
from autograder.submissions.models import Comment, Grading, Kind, Submission
from autograder.web import timestamps
from autograder.web.access import SignedIn, members_only
from autograder.web.student.progress_stairs import ascent_of

KINDS = {
    "engine": "Implement",
    "graph": "Read the graph",
    "semantics": "Fix the bug",
    "vjp": "By hand",
    "function": "Function",
    "higher-order": "Higher order",
    "quiz": "Predict",
}
NEW = timedelta(days=7)
SOON = timedelta(days=14)


@dataclass(frozen=True)
class Step:
    """One assignment of a course, for one student."""

    number: int  # among the exercises
    assignment: Assignment
    terms: Terms
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
    def finished(self) -> bool:
        return self.passed or (self.outside and self.points is not None)

    @property
    def state(self) -> str:
        if self.score.excuse is not None:
            return "idle"
        if self.held and self.submissions:
            return "held"
        if self.points is None:
            return "waiting" if self.submissions else "idle"
        if self.points >= self.of:
            return "passed"
        return "partial" if self.points > 0 else "failed"

    @property
    def passed(self) -> bool:
        return self.state == "passed"

    @property
    def waits(self) -> bool:
        """Whether all checks pass but manual points are still missing."""
        counted = self.score.counted
        return self.score.unmarked and counted is not None and counted.checks >= 1 - ALL_BUT

    @property
    def kind(self) -> str:
        version = self.assignment.version
        return KINDS.get(version.kind, "Implement") if version else "Graded outside"

    @property
    def effort(self) -> str:
        return effort_of(self.assignment.version) if self.assignment.version else ""

    @property
    def sub(self) -> str:
        if not self.submissions:
            return ""
        tries = "1 submission" if self.submissions == 1 else f"{self.submissions} submissions"
        return "First try" if self.passed and self.submissions == 1 else tries

    @property
    def when(self) -> str:
        if not self.opened and self.terms.opens_at:
            return f"opens {timestamps.day(self.terms.opens_at)}"
        if self.score.excuse is not None:
            return "excused"
        if self.passed:
            return "done"
        if self.outside and self.points is not None:
            return "graded"
        if self.closed:
            return "closed"
        if self.terms.due_at is None:
            return "no due date"
        if timezone.now() > self.terms.due_at:
            if self.outside:
                return "not graded yet"
            return f"was due {timestamps.day(self.terms.due_at)}"
        near = self.terms.due_at - timezone.now() < SOON
        return timestamps.until(self.terms.due_at) if near else timestamps.date_and_time(self.terms.due_at)


@dataclass(frozen=True)
class Unit:
    """The steps of one unit."""

    number: int
    title: str
    steps: tuple[Step, ...]
    part: Part | None = None  # of the total, if it is shown

    @property
    def counts(self) -> bool:
        return self.part is not None and self.part.counts

    @property
    def exercises(self) -> list[Step]:
        """The steps that can be passed."""
        return exercises_of(self.steps)

    @property
    def passed(self) -> int:
        return sum(step.passed for step in self.exercises)

    @property
    def open(self) -> bool:
        """Whether the unit is expanded. Finished units and units that have not opened yet are collapsed."""
        return not all(step.finished for step in self.steps) and any(step.opened for step in self.steps)

    @property
    def due_at(self) -> datetime | None:
        ahead = [step.terms.due_at for step in self.steps if step.terms.due_at and not step.finished]
        return min(ahead, default=None)

    @property
    def when(self) -> str:
        if not any(step.opened for step in self.steps):
            first = min(step.terms.opens_at for step in self.steps if step.terms.opens_at)
            return f"opens {timestamps.day(first)}"
        if self.due_at is not None and self.due_at > timezone.now():
            return f"due {timestamps.date_and_time(self.due_at)}"
        return ""


@dataclass(frozen=True)
class News:
    at: datetime
    title: str
    words: str
    slug: str  # empty if there is no exercise to open
    submission: int | None = None  # the submission to open
    anchor: str = "comments"  # the anchor on its page


@members_only
@require_safe
def home(request: SignedIn, membership: Membership) -> HttpResponse:
    steps = steps_of(membership)
    how = how_of_steps(membership, steps)
    units, exercises = units_of(steps, how), exercises_of(steps)
    return render(
        request,
        "web/student/home.html",
        {
            "membership": membership,
            "course": membership.course,
            "here": "course",
            "units": units,
            "steps": exercises,
            "how": how,
            "passed": sum(unit.passed for unit in units),
            "late_days": late_days_left(membership.course, scores_in(steps).values()),
            "next": _next(steps),
            "ascent": ascent_of(exercises),
            "due": [unit for unit in sorted(units, key=_due) if unit.due_at and unit.due_at > timezone.now()][:4],
            "news": news_of(membership, steps),
            "zone": timestamps.place(timezone.get_current_timezone()),
        },
    )


@members_only
@require_safe
def go_on(request: SignedIn, membership: Membership) -> HttpResponse:
    """Redirect to the exercise that the course home suggests next."""
    found = _next(steps_of(membership))
    slug = membership.course.slug
    return redirect("home", slug) if found is None else redirect("desk", slug, found.assignment.slug)


def steps_of(membership: Membership) -> list[Step]:
    """Return all steps of a course for a member, in a constant number of queries."""
    now = timezone.now()
    there = (
        Assignment.objects.filter(course_id=membership.course_id, removed_at=None)
        .select_related("course", "version__page")
        .defer("version__archive", *(f"version__page__{name}" for name in ("statement", "summary", "starter", "checks")))
        .order_by("position", "id")
    )
    assignments = in_units(there, lambda assignment: assignment.unit)
    terms = terms_of_student(membership, assignments)
    scores = scores_of_student(membership, assignments, terms)
    handed_in = Submission.objects.filter(membership=membership, kind=Kind.SUBMIT, assignment__in=assignments)
    counts = dict(handed_in.values_list("assignment_id").annotate(Count("id")).order_by())
    staff = is_staff_of(membership)
    steps = []
    number = 0
    for assignment in assignments:
        number += not assignment.graded_outside
        own = terms[assignment.pk]
        sight = sight_of(assignment, own, staff=staff, now=now)
        score = scores[assignment.pk]
        steps.append(
            Step(
                number=number,
                assignment=assignment,
                terms=own,
                score=score,
                submissions=counts.get(assignment.pk, 0),
                held=sight is Sight.NOTHING and score.override is None,
                opened=own.opens_at is None or own.opens_at <= now,
                closed=own.closes_at is not None and own.closes_at < now,
            )
        )
    return steps


def exercises_of(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if not step.outside]


def scores_in(steps: Sequence[Step]) -> dict[int, Score]:
    """Return the scores by assignment, so that a page computes them only once."""
    return {step.assignment.pk: step.score for step in steps}


def how_of_steps(membership: Membership, steps: Sequence[Step]) -> How:
    """The total as in the gradebook, without points that the student may not know yet."""
    return how_of_student(membership, [step.assignment.pk for step in steps if step.held], scores_in(steps))


def units_of(steps: Sequence[Step], how: How | None = None) -> list[Unit]:
    parts = {part.unit.title: part for part in how.total.parts} if how else {}
    groups = by_unit(steps, lambda step: step.assignment.unit)
    return [
        Unit(number, title or "Exercises", tuple(some), parts.get(title))
        for number, (title, some) in enumerate(groups.items(), 1)
    ]


def news_of(membership: Membership, steps: Sequence[Step]) -> list[News]:
    """Recent changes by others to the member's work, and assignments that opened."""
    since, now = timezone.now() - NEW, timezone.now()
    by_id = {step.assignment.pk: step for step in steps}
    found = []
    regraded = Grading.objects.filter(
        current=True, why=Grading.Why.REGRADE, graded_at__gt=since, submission__membership=membership
    )
    for assignment_id, at in regraded.values_list("submission__assignment_id").annotate(Max("graded_at")).order_by():
        if assignment_id in by_id:
            found.append(_news(by_id[assignment_id], at, "was graded again."))
    for override in Override.objects.filter(membership=membership, made_at__gt=since, undone_at=None):
        if override.assignment_id in by_id:
            words = f"has a score set by your instructor: {override.reason}"
            found.append(_news(by_id[override.assignment_id], override.made_at, words))
    for step in steps:
        excuse = step.score.excuse
        if excuse is not None and excuse.made_at > since:
            found.append(_news(step, excuse.made_at, f"does not count toward your total; you are excused: {excuse.reason}"))
    for extension in Extension.objects.filter(membership=membership, granted_at__gt=since):
        if extension.assignment_id in by_id:
            found.append(_news(by_id[extension.assignment_id], extension.granted_at, _granted(extension)))
    found += _comments(membership, since, by_id)
    found += _answers(membership, since, by_id)
    found += _marked(membership, since, steps)
    for step in steps:
        if step.terms.opens_at and since < step.terms.opens_at <= now:
            found.append(_news(step, step.terms.opens_at, "is open."))
    return sorted(found, key=lambda news: news.at, reverse=True)[:6]


def _comments(membership: Membership, since: datetime, by_id: dict[int, Step]) -> list[News]:
    """The latest comment on each submission, and the number of new ones."""
    written = Comment.objects.filter(submission__membership=membership, made_at__gt=since, removed_at=None)
    latest: dict[int, Comment] = {}
    counts: Counter[int] = Counter()
    for comment in written.select_related("author", "submission").defer("submission__source", "text").order_by("id"):
        latest[comment.submission_id] = comment
        counts[comment.submission_id] += 1
    found = []
    for number, comment in latest.items():
        step = by_id.get(comment.submission.assignment_id)
        if step is not None:
            by = comment.author.get_full_name() or comment.author.username
            where = "" if comment.line is None else f" on line {comment.line}"
            several = f"has {counts[number]} new comments, the last by {by}{where}."
            words = f"has a comment by {by}{where}." if counts[number] == 1 else several
            found.append(News(comment.made_at, step.assignment.title, words, step.assignment.slug, number))
    return found


def _answers(membership: Membership, since: datetime, by_id: dict[int, Step]) -> list[News]:
    """Answers to regrade requests, except for exercises that were removed since."""
    answered = RegradeRequest.objects.filter(submission__membership=membership, ended_at__gt=since)
    answered = answered.exclude(answered_by=None).select_related("answered_by", "submission").defer("submission__source")
    found = []
    for request in answered:
        step = by_id.get(request.submission.assignment_id)
        if step is not None and request.ended_at and request.answered_by:
            by = request.answered_by.get_full_name() or request.answered_by.username
            words = f"has an answer to your regrade request, by {by}: {request.get_state_display().lower()}."
            at = (request.ended_at, step.assignment.title, words, step.assignment.slug, request.submission_id)
            found.append(News(*at, anchor="requests"))
    return found


def _marked(membership: Membership, since: datetime, steps: Sequence[Step]) -> list[News]:
    """Submissions that got manual points."""
    by_id = {step.assignment.pk: step for step in steps if step.assignment.points_by_hand}
    if not by_id:
        return []
    made = Marking.objects.filter(replaced_at=None, made_at__gt=since, submission__membership=membership)
    rows = made.filter(submission__assignment__in=list(by_id)).values_list(
        "submission__assignment_id", "submission_id", "made_at"
    )
    return [
        News(at, step.assignment.title, "has new points by hand.", step.assignment.slug, number, anchor="marks")
        for assignment, number, at in rows
        for step in [by_id[assignment]]
    ]


def _granted(extension: Extension) -> str:
    if extension.due_at is not None:
        return f"is now due {timestamps.date_and_time(extension.due_at)} for you: you have an extension."
    if extension.closes_at is not None:
        return f"stays open for you until {timestamps.date_and_time(extension.closes_at)}."
    more = extension.extra_attempts
    return "allows you one more submission." if more == 1 else f"allows you {more} more submissions."


def _news(step: Step, at: datetime, words: str) -> News:
    return News(at, step.assignment.title, words, "" if step.outside else step.assignment.slug)


def _next(steps: Sequence[Step]) -> Step | None:
    """The first exercise that was started and not finished, else the first open one."""
    open_ones = [step for step in steps if step.linked and not step.closed and not step.passed]
    left = [step for step in open_ones if not step.score.excuse and not step.waits]
    return next((step for step in left if step.submissions), left[0] if left else None)


def _due(unit: Unit) -> datetime:
    return unit.due_at or datetime.max.replace(tzinfo=timezone.get_default_timezone())
