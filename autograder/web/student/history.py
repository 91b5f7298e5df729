"""Every submission with its result, two of them side by side, and the way back into the editor."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.models import Assignment, Membership
from autograder.courses.selectors import is_staff_of
from autograder.submissions.models import Grading, Kind, Submission, Work
from autograder.web import numbers, times
from autograder.web.access import SignedIn, assignment_in, members_only, number_in, submission_for
from autograder.web.results.diff import diff_of, text_of
from autograder.web.results.visible import Sight, sight_of
from autograder.web.student.home import Step, steps_of

WAITING = (Work.State.QUEUED, Work.State.RUNNING)


@dataclass(frozen=True)
class Row:
    """One submission in the table."""

    submission: Submission
    number: int
    run: bool
    state: str
    result: str
    at: datetime
    best: bool = False
    counts: bool = False
    seconds: bool = False  # another row shares its minute


class RanCheck(msgspec.Struct, frozen=True):
    passed: bool


class Ran(msgspec.Struct, frozen=True):
    """Of the report of a run, what the table says of it."""

    checks: tuple[RanCheck, ...]


@members_only
@require_safe
def history(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    wanted = assignment_in(membership, assignment)
    step = next(step for step in steps_of(membership) if step.assignment.pk == wanted.pk)
    context = {
        "membership": membership,
        "course": membership.course,
        "assignment": wanted,
        "step": step,
        "rows": with_results_of_runs(history_of(membership, wanted, step)),
    }
    return render(request, "web/student/history.html", context)


@members_only
@require_safe
def compare(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """`?s=1&s=2`, older first whatever was chosen first; what was chosen badly is said, not guessed."""
    wanted = assignment_in(membership, assignment)
    chosen = {number for text in request.GET.getlist("s") if (number := number_in(text)) is not None}
    context = {"membership": membership, "course": membership.course, "assignment": wanted}
    if len(chosen) != 2:
        return render(request, "web/student/compare.html", context | {"trouble": "Choose two submissions to compare."})
    older, newer = sorted((submission_for(request.user, number).submission for number in chosen), key=lambda s: s.pk)
    if older.assignment_id != wanted.pk or newer.assignment_id != wanted.pk:
        raise Http404("submissions of another exercise")
    lines = diff_of(text_of(older), text_of(newer))
    changed = sum(line.sign != " " for line in lines)
    shown = {
        "older": older,
        "newer": newer,
        "both": (older, newer),
        "seconds": times.moment(older.submitted_at) == times.moment(newer.submitted_at),
        "lines": lines,
        "changed": changed,
    }
    return render(request, "web/student/compare.html", context | shown)


def history_of(membership: Membership, assignment: Assignment, step: Step) -> list[Row]:
    """Newest first. Sources and reports stay in the database."""
    terms, now = step.terms, timezone.now()
    sight = sight_of(assignment, terms, staff=is_staff_of(membership), now=now)
    mine = Submission.objects.filter(membership=membership, assignment=assignment).defer("source").order_by("id")
    gradings = {
        grading.submission_id: grading
        for grading in Grading.objects.filter(submission__in=mine, current=True).only(
            "submission_id", "verdict", "score", "max_score"
        )
    }
    states = dict(Work.objects.filter(submission__in=mine, batch=None).values_list("submission_id", "state"))
    best = _best(list(gradings.values()), {s.pk for s in mine if s.kind == Kind.SUBMIT})
    counted = step.score.counted.submission_id if step.score.counted and not step.score.override else None
    numbered: dict[str, int] = {}
    rows = []
    for submission in mine:
        numbered[submission.kind] = numbered.get(submission.kind, 0) + 1
        run = submission.kind == Kind.RUN
        state, result = result_of(gradings.get(submission.pk), states.get(submission.pk, ""), assignment, run, sight)
        known = sight is not Sight.NOTHING
        rows.append(
            Row(
                *(submission, numbered[submission.kind], run, state, result, submission.submitted_at),
                best=known and submission.pk == best,
                counts=known and submission.pk == counted,
            )
        )
    return _with_seconds(rows[::-1])


def with_results_of_runs(rows: Sequence[Row]) -> list[Row]:
    """How many checks passed in each run of these rows, read from its report. A run has public checks alone."""
    runs = [row.submission.pk for row in rows if row.state == "run"]
    reports = Grading.objects.filter(submission__in=runs, current=True).values_list("submission_id", "verdict", "report")
    results = {pk: _result_of_run(verdict, report) for pk, verdict, report in reports}
    found = ((row, results.get(row.submission.pk, (row.state, row.result))) for row in rows)
    return [replace(row, state=state, result=result) for row, (state, result) in found]


def _result_of_run(verdict: str, report: Mapping[str, Any]) -> tuple[str, str]:
    """Its state and its result in words."""
    if verdict == "error":
        return "error", "did not run to the end"
    checks = msgspec.convert(report, Ran).checks
    passed = sum(check.passed for check in checks)
    state = "run" if passed == len(checks) else "partial" if passed else "failed"
    return state, f"{passed} of {len(checks)} public checks pass"


def _with_seconds(rows: list[Row]) -> list[Row]:
    shared = Counter(times.moment(row.at) for row in rows)
    return [replace(row, seconds=shared[times.moment(row.at)] > 1) for row in rows]


def _best(gradings: list[Grading], submitted: set[int]) -> int | None:
    """The earliest of those with the most points."""
    own = [grading for grading in gradings if grading.submission_id in submitted and grading.score > 0]
    found = max(own, key=lambda grading: (grading.score / grading.max_score, -grading.submission_id), default=None)
    return None if found is None else found.submission_id


def result_of(grading: Grading | None, work: str, assignment: Assignment, run: bool, sight: Sight) -> tuple[str, str]:
    """The state of a submission, and its result in words; `work` is the state of its live work."""
    if grading is None:
        if work in WAITING:
            return "waiting", "waiting"
        if work == Work.State.SUPERSEDED:
            return "idle", "replaced by a newer one"
        return "internal", "our error, does not count"
    if run:
        return "run", "run, public checks only"
    if sight is Sight.NOTHING:
        return "held", "points are not shown yet"
    share = grading.score / grading.max_score if grading.max_score else 0.0
    words = f"{numbers.points(round(share * float(assignment.points), 2))} of {numbers.points(assignment.points)}"
    if grading.verdict == "error":
        words += ", did not run to the end"
    return grading.verdict, words
