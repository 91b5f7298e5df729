"""The insight page of an exercise: common mistakes and unexplained answers, in tables with embedded charts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from autograder.authoring import drafts, edits
from autograder.authoring.models import Draft
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right, has, students_of
from autograder.gradebook.insights import named_mistakes
from autograder.gradebook.insights.failure_groups import FailureGroup, answer_of
from autograder.gradebook.insights.insight import CountedMistake, Insight, ReportChecks, insight_of
from autograder.gradebook.regrades.disputed_checks import disputes_of
from autograder.judge.array_text import nested
from autograder.judge.report import Shown
from autograder.library.pages import files_of
from autograder.submissions.models import COUNTING, Grading, Submission
from autograder.web import numbers
from autograder.web.access import SignedIn, assignment_in, number_in
from autograder.web.results.explanation import Explanation
from autograder.web.staff.access import staff_only
from autograder.web.staff.grading.regrade_requests import NO_CHECK
from autograder.web.staff.setup.drafts.addresses import address_of
from autograder.web.timestamps import span

WIDTH = 200.0  # of the bars, in SVG units
LOW, HIGH, LEFT, STEP = 23.0, 2.6, 2.0, 14.5  # of the line charts
GROUPS = 10
VALUES, LONGEST = 6, 24  # maximum numbers of an array, and characters of a number, to show


@dataclass(frozen=True)
class Example:
    name: str
    where: str
    number: int


@dataclass(frozen=True)
class MistakeRow:
    """A row of the table of misconceptions, with its charts."""

    explanation: Explanation
    heading: str
    named: int | None  # the id of a mistake that staff named
    now: int
    ever: int
    submissions: int
    now_width: float
    ever_width: float
    per_day: str
    line: str
    end: tuple[float, float]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class AnswerGroup:
    """A group of equal answers that no known mistake explains."""

    group: FailureGroup
    right: str
    given: str
    examples: tuple[Example, ...]


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def insight(request: SignedIn, staff: Membership, assignment: str) -> HttpResponse:
    wanted = assignment_in(staff, assignment)
    if request.method == "POST":
        return _name_or_take_back(request, staff, wanted)
    found = insight_of(wanted, staff, timezone.now())
    names = _names(found)
    context = {
        "course": staff.course,
        "here": "exercises",
        "assignment": wanted,
        "insight": found,
        "days": _days(found.days),
        "to_pass": _to_pass(found),
        "mistakes": _mistakes(found, names, staff.course.slug),
        "answers": [_answer(group, names, staff.course.slug) for group in found.groups[:GROUPS]],
        "unexplained": _unexplained(found),
        "more_answers": max(0, len(found.groups) - GROUPS),
        "disputes": disputes_of(staff, wanted),
        "no_check": NO_CHECK,
        "may_name": has(staff, Right.SET_UP),
        "may_keep": _keeps_wrong_solutions(wanted, staff),
        "longest_name": named_mistakes.MAX_NAME_LENGTH,
        "longest_words": named_mistakes.MAX_WORDS_LENGTH,
    }
    return render(request, "web/staff/insight.html", context)


def _name_or_take_back(request: SignedIn, staff: Membership, assignment: Assignment) -> HttpResponse:
    """Name a mistake or remove a name. A group of answers is identified by one of its submissions."""
    given, act = request.POST, request.POST.get("act")
    if act == "name":
        grading = Grading.objects.filter(COUNTING, submission_id=number_in(given.get("submission", "")) or 0)
        grading = grading.filter(submission__assignment=assignment, submission__membership__in=students_of(staff))
        report = grading.values_list("report", flat=True).first()
        answer = answer_of(msgspec.convert(report, ReportChecks).checks) if report is not None else None
        if answer is None:
            raise Http404("no such answer, or not one that she may see")
        name, words = given.get("name", ""), given.get("words", "")
        made = named_mistakes.mistake_name(assignment=assignment, answer=answer, name=name, words=words, by=staff)
        messages.success(request, f"These answers now count as “{made.name}”, including earlier submissions.")
    elif act == "keep":
        draft = Draft.objects.filter(course=staff.course, slug=assignment.exercise_version.exercise.slug).first()
        if draft is None:
            raise Http404("not an exercise of this course")
        submission = _submission(staff, assignment, given.get("submission", ""))
        path = f"wrong/{given.get('key', '').strip()}.py"
        try:
            drafts.add(draft, path, edits.anonymous(bytes(submission.source)), by=staff)
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("insight", staff.course.slug, assignment.slug)
        messages.success(request, f"{path} was added to the draft, without comments and docstrings.")
        return redirect(address_of(draft, path))
    elif act == "unname":
        found = named_mistakes.mistake_unname(
            assignment=assignment, number=number_in(given.get("mistake", "")) or 0, by=staff
        )
        messages.success(request, f"The name “{found.name}” was removed. Its answers are unexplained again.")
    else:
        raise Http404("no such thing to do")
    return redirect("insight", staff.course.slug, assignment.slug)


def _submission(staff: Membership, assignment: Assignment, number: str) -> Submission:
    found = Submission.objects.filter(pk=number_in(number) or 0, assignment=assignment, membership__in=students_of(staff))
    submission = found.select_related("assignment__course").first()
    if submission is None:
        raise Http404("no such submission, or not one that she may see")
    return submission


def _keeps_wrong_solutions(assignment: Assignment, staff: Membership) -> bool:
    """Whether the exercise is one of this course, of a single file, so that wrong answers can be kept as wrong solutions."""
    own = Draft.objects.filter(course=staff.course, slug=assignment.exercise_version.exercise.slug, removed_at=None)
    return has(staff, Right.SET_UP) and own.exists() and files_of(assignment.exercise_version.pk) is None


def _to_pass(found: Insight) -> str:
    if found.to_pass is None:
        return ""
    return f"median {span(found.to_pass)} to pass" if found.to_pass else "most students pass on the first try"


def _unexplained(found: Insight) -> str:
    """Say how many submissions match no known mistake: the same count as in the table of mistakes."""
    if not found.misconceptions:
        return "No wrong answers have been analysed yet."
    if not found.unexplained:
        return "Every analysed wrong answer matches a known mistake."
    words = "1 submission matches" if found.unexplained == 1 else f"{found.unexplained} submissions match"
    alone = found.unexplained - sum(group.submissions for group in found.groups)
    if not alone:
        return f"{words} no known mistake."
    if alone == found.unexplained:
        return f"{words} no known mistake and {'has' if alone == 1 else 'have'} no value to compare, so nothing is grouped."
    some = "1 of them has" if alone == 1 else f"{alone} of them have"
    return f"{words} no known mistake. {some} no value to compare, so {'it is' if alone == 1 else 'they are'} not grouped."


def _days(days: Sequence[date]) -> str:
    first, last = days[0], days[-1]
    start = f"{first.day}" if first.month == last.month else f"{first.day} {first:%b}"
    return f"{start}–{last.day} {last:%b}"


def _names(found: Insight) -> dict[int, str]:
    """The names of the students in the examples, by submission."""
    wanted = {number for mistake in found.misconceptions for number in mistake.examples}
    wanted |= {number for group in found.groups[:GROUPS] for number in group.examples}
    submissions = Submission.objects.filter(pk__in=wanted).select_related("membership__user").defer("source")
    return {submission.pk: submission.membership.user.display_name for submission in submissions}


def _examples(numbers_: Iterable[int], names: dict[int, str], course: str) -> tuple[Example, ...]:
    return tuple(Example(names[number], reverse("submission", args=(course, number)), number) for number in numbers_)


def _mistakes(found: Insight, names: dict[int, str], course: str) -> list[MistakeRow]:
    most = max((max(misconception.per_day(found.days)) for misconception in found.misconceptions), default=0)
    return [_mistake(misconception, found, most, names, course) for misconception in found.misconceptions]


def _mistake(misconception: CountedMistake, found: Insight, most: int, names: dict[int, str], course: str) -> MistakeRow:
    counts = misconception.per_day(found.days)
    points = [
        (round(LEFT + n * STEP, 1), round(LOW - (LOW - HIGH) * count / max(1, most), 1)) for n, count in enumerate(counts)
    ]
    students = max(1, found.students)
    return MistakeRow(
        explanation=(
            explanation := Explanation(
                misconception.key, misconception.words if misconception.key else "", title=misconception.title
            )
        ),
        heading=misconception.name or explanation.heading,
        named=misconception.number,
        now=len(misconception.now),
        ever=len(misconception.ever),
        submissions=misconception.submissions,
        now_width=round(WIDTH * len(misconception.now) / students, 1),
        ever_width=round(WIDTH * len(misconception.ever) / students, 1),
        per_day=", ".join(map(str, counts)),
        line="M" + " L".join(f"{x} {y}" for x, y in points),
        end=points[-1],
        examples=_examples(misconception.examples, names, course),
    )


def _answer(group: FailureGroup, names: dict[int, str], course: str) -> AnswerGroup:
    detail = group.detail
    right = detail.expected if detail else None
    return AnswerGroup(group, _value(right), _value(group.given), _examples(group.examples, names, course))


def _value(shown: Shown | None) -> str:
    """Format a number or the first numbers of an array."""
    if shown is None:
        return "–"
    values = [numbers.short(value[:LONGEST]) for value in shown.values[:VALUES]]
    if shown.shape is not None and (values or not math.prod(shown.shape)):
        return nested(values, shown.shape, VALUES)
    more = ", …" if len(shown.values) > VALUES or shown.cut else ""
    return (", ".join(values) + more) or shown.kind
