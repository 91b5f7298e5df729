"""The page of one student: all exercises, submissions, extensions, overrides, and the audit trail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses import rights
from autograder.courses.models import Membership
from autograder.courses.people.check_visibility import CheckVisibility
from autograder.courses.people.extensions import terms_of_student
from autograder.courses.rights import Right
from autograder.gradebook.grades.late_credit import credits_of
from autograder.gradebook.grades.manual_points import by_hand_of
from autograder.gradebook.grades.scores import Score
from autograder.submissions.handing_in.numbering import numbers_of
from autograder.submissions.models import Kind, Submission, Work
from autograder.web.access import SignedIn
from autograder.web.results.counts import checks_of
from autograder.web.staff.access import staff_only, student_in
from autograder.web.staff.history import audit_descriptions
from autograder.web.student.assignment_progress import exercises_of, scores_in, steps_of, total_of_steps, units_of
from autograder.web.student.history.submissions import current_gradings, result_words

AT_ONCE = 50
LATEST = 50  # entries of the audit trail


@dataclass(frozen=True)
class SubmissionResult:
    submission: Submission
    number: int | None
    run: bool
    state: str
    result: str


@staff_only(Right.SEE)
@require_safe
def student(request: SignedIn, staff: Membership, member: int) -> HttpResponse:
    whose = student_in(staff, member)
    # staff see results that are still hidden from the student
    steps = [replace(step, held=False) for step in steps_of(whose)]
    how = total_of_steps(whose, steps)
    handed_in = Paginator(_submissions(whose), AT_ONCE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/staff/people/student.html",
        {
            "course": staff.course,
            "here": "people",
            "whose": whose,
            "units": units_of(steps, how),
            "numbers": numbers_of([step.score.counted.submission_id for step in steps if step.score.counted]),
            "how": how,
            "passed": sum(step.passed for step in exercises_of(steps)),
            "steps": exercises_of(steps),
            "handed_in": handed_in,
            "rows": _rows(whose, handed_in, scores_in(steps)),
            "extensions": whose.extensions.select_related("assignment", "granted_by").order_by("-granted_at"),
            "overrides": whose.overrides.select_related("assignment", "author", "undone_by").order_by("-id"),
            "trail": audit_descriptions.trail_about(whose, LATEST),
            "may_decide": rights.has(staff, Right.OVERRIDE, whose),
        },
    )


def _submissions(whose: Membership) -> QuerySet[Submission]:
    return Submission.objects.filter(membership=whose).select_related("assignment").defer("source").order_by("-id")


def _rows(whose: Membership, page: "Page[Submission]", scores: Mapping[int, Score]) -> Sequence[SubmissionResult]:
    shown = list(page.object_list)
    terms = terms_of_student(whose, list({submission.assignment_id: submission.assignment for submission in shown}.values()))
    credit = credits_of(shown, whose, terms, scores)
    gradings = current_gradings(shown)
    checks = checks_of(gradings.values())
    states = dict(Work.objects.filter(submission__in=shown, batch=None).values_list("submission_id", "state"))
    by_hand = by_hand_of(shown)
    numbers = numbers_of([submission.pk for submission in shown])
    rows = []
    for submission in shown:
        grading, run, work = gradings.get(submission.pk), submission.kind == Kind.RUN, states.get(submission.pk, "")
        known = checks.get(grading.pk, ()) if grading else ()
        remaining, hand = credit[submission.pk].remaining, by_hand.get(submission.pk)
        rows.append(
            SubmissionResult(
                submission,
                numbers.get(submission.pk),
                run,
                *result_words(grading, known, work, submission.assignment, run, CheckVisibility.ALL, remaining, hand),
            )
        )
    return rows
