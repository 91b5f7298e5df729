"""The submission history: all submissions with results, and a comparison of two of them."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.submissions.handing_in.numbering import name_of, numbers_of
from autograder.web import timestamps
from autograder.web.access import SignedIn, assignment_in, members_only, number_in, submission_for
from autograder.web.results.diff import diff_of
from autograder.web.results.frozen_grade import frozen_note
from autograder.web.student.assignment_progress import steps_of
from autograder.web.student.history.submissions import submission_rows


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
        "frozen_note": "" if step.held else frozen_note(step.score, wanted),
        "rows": submission_rows(membership, wanted, step),
    }
    return render(request, "web/student/history/history.html", context)


@members_only
@require_safe
def compare(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Compare two submissions, `?s=1&s=2`, older first. An invalid selection gets an error message."""
    wanted = assignment_in(membership, assignment)
    chosen = {number for text in request.GET.getlist("s") if (number := number_in(text)) is not None}
    context = {"membership": membership, "course": membership.course, "assignment": wanted}
    if len(chosen) != 2:
        return render(
            request, "web/student/history/compare.html", context | {"trouble": "Select two submissions to compare."}
        )
    older, newer = sorted((submission_for(request.user, number).submission for number in chosen), key=lambda s: s.pk)
    if older.assignment_id != wanted.pk or newer.assignment_id != wanted.pk:
        raise Http404("submissions of another exercise")
    diff = diff_of(bytes(older.source), bytes(newer.source))
    changed = sum(line.sign != " " for line in diff.lines)
    numbers = numbers_of([older.pk, newer.pk])
    shown = {
        "both": [(submission, name_of(submission, numbers.get(submission.pk))) for submission in (older, newer)],
        "seconds": timestamps.moment(older.submitted_at) == timestamps.moment(newer.submitted_at),
        "diff": diff,
        "changed": changed,
    }
    return render(request, "web/student/history/compare.html", context | shown)
