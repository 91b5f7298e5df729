"""What goes wrong in an exercise, as a page: tables that are their own charts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.groups import Group
from autograder.gradebook.insight import Insight, Misconception, insight_of
from autograder.judge.report import Shown
from autograder.submissions.models import Submission
from autograder.web import numbers
from autograder.web.access import SignedIn, assignment_in
from autograder.web.results.told import Told
from autograder.web.staff.access import staff_only
from autograder.web.staff.tiles import name_of, place
from autograder.web.times import span, zone_of

WIDTH = 200.0  # of the bars, in units of their drawing
LOW, HIGH, LEFT, STEP = 23.0, 2.6, 2.0, 14.5  # of the lines
GROUPS = 10
VALUES, LONGEST = 6, 24  # numbers of an array, and characters of one, that are read


@dataclass(frozen=True)
class Example:
    name: str
    where: str
    number: int


@dataclass(frozen=True)
class Mistake:
    """A row of the misconceptions, with its drawings."""

    told: Told
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
class Answer:
    """A group of equal answers that nothing explains."""

    group: Group
    right: str
    given: str
    examples: tuple[Example, ...]


@staff_only(Right.SEE)
@require_safe
def insight(request: SignedIn, staff: Membership, assignment: str) -> HttpResponse:
    wanted = assignment_in(staff, assignment)
    with timezone.override(zone_of(staff.user, staff.course)):
        found = insight_of(wanted, staff, timezone.now())
        names = _names(found)
        context = {
            "course": staff.course, "here": "exercises", "assignment": wanted, "insight": found,
            "days": _days(found.days), "to_pass": _to_pass(found),
            "mistakes": _mistakes(found, names, staff.course.slug),
            "answers": [_answer(group, names, staff.course.slug) for group in found.groups[:GROUPS]],
            "more_answers": max(0, len(found.groups) - GROUPS),
        }  # fmt: skip
        return render(request, "web/staff/insight.html", context)


def _to_pass(found: Insight) -> str:
    if found.to_pass is None:
        return ""
    return f"median {span(found.to_pass)} to pass" if found.to_pass else "most who pass do so at once"


def _days(days: Sequence[date]) -> str:
    first, last = days[0], days[-1]
    start = f"{first.day}" if first.month == last.month else f"{first.day} {first:%b}"
    return f"{start}–{last.day} {last:%b}"


def _names(found: Insight) -> dict[int, str]:
    """Whose the examples are, by submission."""
    wanted = {number for mistake in found.misconceptions for number in mistake.examples}
    wanted |= {number for group in found.groups[:GROUPS] for number in group.examples}
    submissions = Submission.objects.filter(pk__in=wanted).select_related("membership__user").defer("source")
    return {submission.pk: name_of(submission.membership) for submission in submissions}


def _examples(numbers_: Iterable[int], names: dict[int, str], course: str) -> tuple[Example, ...]:
    return tuple(Example(names[number], place("submission", course, number), number) for number in numbers_)


def _mistakes(found: Insight, names: dict[int, str], course: str) -> list[Mistake]:
    most = max((max(one.per_day(found.days)) for one in found.misconceptions), default=0)
    return [_mistake(one, found, most, names, course) for one in found.misconceptions]


def _mistake(one: Misconception, found: Insight, most: int, names: dict[int, str], course: str) -> Mistake:
    counts = one.per_day(found.days)
    points = [
        (round(LEFT + n * STEP, 1), round(LOW - (LOW - HIGH) * count / max(1, most), 1)) for n, count in enumerate(counts)
    ]
    students = max(1, found.students)
    return Mistake(
        told=Told(one.key, one.words if one.key else ""),
        now=len(one.now),
        ever=len(one.ever),
        submissions=one.submissions,
        now_width=round(WIDTH * len(one.now) / students, 1),
        ever_width=round(WIDTH * len(one.ever) / students, 1),
        per_day=", ".join(map(str, counts)),
        line="M" + " L".join(f"{x} {y}" for x, y in points),
        end=points[-1],
        examples=_examples(one.examples, names, course),
    )


def _answer(group: Group, names: dict[int, str], course: str) -> Answer:
    detail = group.detail
    right = detail.expected if detail else None
    return Answer(group, _value(right), _value(group.given), _examples(group.examples, names, course))


def _value(shown: Shown | None) -> str:
    """A number, or the first of many."""
    if shown is None:
        return "–"
    values = [numbers.short(value[:LONGEST]) for value in shown.values[:VALUES]]
    more = ", …" if len(shown.values) > VALUES or shown.cut else ""
    shape = f" of shape {tuple(shown.shape)}" if shown.shape else ""
    return (", ".join(values) + more + shape) or shown.kind
