"""A submission for staff: the student's view, and what only staff see: hidden checks in full, every grading with the
command to reproduce it, and the source with comments.
"""

from dataclasses import dataclass, replace

import msgspec
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Membership
from autograder.courses.people.extensions import terms_of_student
from autograder.courses.rights import Right
from autograder.courses.selectors import is_staff_of
from autograder.gradebook.decisions import marking
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.held_points import points_are_held
from autograder.gradebook.grades.manual_points import Rubric
from autograder.gradebook.grades.scores import Score, scores_of_student
from autograder.gradebook.regrades.regrade_requests import open_request_of, requests_about
from autograder.judge.report import CheckResult, Report
from autograder.submissions import regrades
from autograder.submissions.comments import MAX_TEXT, comment_add, comment_remove, comments_on
from autograder.submissions.handing_in.numbering import number_of
from autograder.submissions.looks import looks_of
from autograder.submissions.models import Grading, Kind, Submission, Work
from autograder.web.access import SignedIn, ViewedSubmission, number_in, submission_for
from autograder.web.forms import add_refusal
from autograder.web.results.frozen_grade import frozen_note
from autograder.web.results.regrade_requests import requests_on
from autograder.web.results.source_listing import listing_of
from autograder.web.results.status import status_of
from autograder.web.staff.access import staff_only
from autograder.web.staff.grading.regrade_requests import AnswerForm, answer
from autograder.web.staff.grading.regrades.page import may_open
from autograder.web.staff.grading.submission.marks_form import MarksForm
from autograder.web.staff.grading.submission.neighbours import neighbours_of

AS_STUDENT = "student"


class StaffNote(msgspec.Struct, frozen=True):
    """The part of a diagnosis for staff only. It may quote the reference."""

    note: str = ""


@dataclass(frozen=True)
class GradingDetails:
    """A grading with its work item and the command that reproduces it."""

    grading: Grading
    work: Work
    command: str
    libraries: str
    regrade_opens: bool  # whether the viewer may open the regrade


@dataclass(frozen=True)
class RejectedComment:
    """A rejected comment, kept so that its text is not lost."""

    line: int | None = None
    text: str = ""
    refused: str = ""


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def submission(request: SignedIn, staff: Membership, number: int) -> HttpResponse:
    viewed = submission_for(request.user, number)
    if viewed.submission.assignment.course_id != staff.course_id:
        raise Http404("a submission of another course")
    if request.method != "POST":
        return _show(request, staff, viewed)
    act, here = request.POST.get("act", ""), reverse("submission", args=(staff.course.slug, number))
    if act == "comment":
        return _comment(request, staff, viewed, here)
    if act == "mark":
        return _mark(request, staff, viewed, here)
    if act == "take-over":
        return _copy_marks(request, staff, viewed, here)
    if act == "remove":
        named = number_in(request.POST.get("comment", ""))
        comment = comments_on(viewed.submission).filter(pk=named).first() if named else None
        if comment is None:
            raise Http404("no such comment")
        comment_remove(comment=comment, by=staff)
        messages.success(request, "The comment was deleted.")
    if act == "answer":
        return _answer(request, staff, viewed, here)
    if act == "again":
        batch = regrades.grade_again(submission=viewed.submission, by=staff, reason=request.POST.get("reason", ""))
        return redirect("regrade", staff.course.slug, batch.pk)
    return redirect(here)


def _comment(request: SignedIn, staff: Membership, viewed: ViewedSubmission, here: str) -> HttpResponse:
    named, text = request.POST.get("line", ""), request.POST.get("text", "")
    line = number_in(named)
    try:
        if named and line is None:
            raise Refused(f"'{named[:20]}' is not a line number.")
        comment_add(submission=viewed.submission, by=staff, text=text, line=line)
    except Refused as refused:
        return _show(request, staff, viewed, RejectedComment(line, text, refused.message), status=409)
    return redirect(f"{here}#L{line}" if line else f"{here}#comments")


def _answer(request: SignedIn, staff: Membership, viewed: ViewedSubmission, here: str) -> HttpResponse:
    named = number_in(request.POST.get("request", ""))
    regrade_request = requests_about([viewed.submission]).filter(pk=named).first() if named else None
    if regrade_request is None:
        raise Http404("no such request")
    regrade_request.submission = viewed.submission
    form = AnswerForm(staff, viewed.submission, request.POST)
    answered = answer(staff, regrade_request, form)
    if answered is None:
        # answered or withdrawn in the meantime, so the page has no form for the error
        if open_request_of(viewed.submission) is None:
            messages.error(request, " ".join(map(str, form.non_field_errors())) or "This request is no longer open.")
            return redirect(f"{here}#requests")
        return _show(request, staff, viewed, answer_form=form, status=409)
    if answered.batch_id is not None:
        return redirect("regrade", staff.course.slug, answered.batch_id)
    messages.success(request, "The answer was sent.")
    return redirect(f"{here}#requests")


def _mark(request: SignedIn, staff: Membership, viewed: ViewedSubmission, here: str) -> HttpResponse:
    """Save the marks. `then=next` redirects to the next submission to mark."""
    form = MarksForm(viewed.submission, request.POST)
    if not form.is_valid():
        return _show(request, staff, viewed, marks=form, status=409)
    try:
        marking.mark(submission=viewed.submission, by=staff, **form.given())
    except Conflict as conflict:
        form = MarksForm(viewed.submission, form.data, conflict=conflict)
        return _show(request, staff, viewed, marks=form, status=409)
    except Refused as refused:
        add_refusal(form, refused)
        return _show(request, staff, viewed, marks=form, status=409)
    messages.success(request, "The points were saved. The student can see them.")
    if request.POST.get("then") == "next":
        return redirect(f"{reverse('mark-next', args=(staff.course.slug,))}?after={viewed.submission.pk}")
    return redirect(f"{here}#marks")


def _copy_marks(request: SignedIn, staff: Membership, viewed: ViewedSubmission, here: str) -> HttpResponse:
    named = number_in(request.POST.get("from", ""))
    source = submission_for(request.user, named).submission if named else None
    if source is None:
        raise Http404("no such submission")
    seen = number_in(request.POST.get("seen", "")) or 0
    try:
        marking.take_over(submission=viewed.submission, source=source, by=staff, seen=seen)
    except Conflict as conflict:
        return _show(request, staff, viewed, marks=MarksForm(viewed.submission, conflict=conflict), status=409)
    messages.success(request, f"The points of submission {number_of(source)} were copied. The student can see them.")
    return redirect(f"{here}#marks")


def _marks(staff: Membership, viewed: ViewedSubmission, rubric: Rubric | None, form: MarksForm | None) -> dict[str, object]:
    """Template context of the marks form; empty if the viewer may not give points."""
    submission = viewed.submission
    if rubric is None or not rights.has(staff, Right.MARK, submission.membership):
        return {}
    source = marking.marked_before(submission)
    return {
        "marks_form": form or MarksForm(submission, rubric=rubric),
        "marking": rubric.marking,
        "hand": rubric.by_hand,
        "take_over_from": source,
        "take_over_number": number_of(source) if source else None,
        "frozen": frozen_since(staff.course_id),
    }


def _show(
    request: SignedIn,
    staff: Membership,
    viewed: ViewedSubmission,
    rejected: RejectedComment | None = None,
    answer_form: AnswerForm | None = None,
    status: int = 200,
    marks: MarksForm | None = None,
) -> HttpResponse:
    whose, as_student = viewed.submission.membership, request.GET.get("as") == AS_STUDENT
    as_student = as_student and not is_staff_of(whose)
    submission_status = status_of(ViewedSubmission(viewed.submission, whose) if as_student else viewed)
    if as_student:
        submission_status = replace(
            submission_status, live=False
        )  # the live part would be rendered with the permissions of staff
    assignment = viewed.submission.assignment
    grade = scores_of_student(whose, [assignment], terms_of_student(whose, [assignment]))[assignment.pk]
    here = rejected.line if rejected else number_in(request.GET.get("line", ""))
    return render(
        request,
        "web/staff/grading/submission/submission.html",
        {
            "course": staff.course,
            "here": "overview",
            "submission": viewed.submission,
            "assignment": assignment,
            "whose": whose,
            "number": number_of(viewed.submission),
            "run": viewed.submission.kind == Kind.RUN,
            "status": submission_status,
            "as_student": as_student,
            "listing": listing_of(viewed.submission, here),
            "rejected": rejected or RejectedComment(),
            "longest": MAX_TEXT,
            "may_comment": rights.has(staff, Right.COMMENT, whose),
            "may_remove_all": rights.has(staff, Right.SET_UP),
            "may_regrade": rights.has(staff, Right.GRADE_AGAIN, whose) and viewed.submission.kind == Kind.SUBMIT,
            "steps_at": reverse("submission", args=(staff.course.slug, viewed.submission.pk)),
        }
        | {"grade": grade, "frozen_note": _frozen_note(grade, viewed, as_student)}
        | ({} if as_student else _staff_context(viewed.submission, staff, grade))
        | ({} if as_student else _requests(staff, viewed.submission, answer_form))
        | ({} if as_student else _marks(staff, viewed, submission_status.rubric, marks)),
        status=status,
    )


def _requests(staff: Membership, submission: Submission, form: AnswerForm | None) -> dict[str, object]:
    may_answer = rights.has(staff, Right.GRADE_AGAIN, submission.membership) and staff.pk != submission.membership_id
    return {
        "requests": requests_on(submission, knows_points=True),
        "answer_form": (form or AnswerForm(staff, submission)) if may_answer else None,
    }


def _frozen_note(grade: Score, viewed: ViewedSubmission, as_student: bool) -> str:
    """The note about a frozen grade; empty in the student's view while the student may not know the points."""
    submission = viewed.submission
    terms = terms_of_student(submission.membership, [submission.assignment])[submission.assignment_id]
    held = points_are_held(submission.assignment, terms, grade, now=timezone.now())
    return "" if as_student and held else frozen_note(grade, submission.assignment)


def _staff_context(submission: Submission, staff: Membership, grade: Score) -> dict[str, object]:
    gradings = Grading.objects.filter(submission=submission).select_related("work__batch", "version__exercise")
    gradings = gradings.defer("traces", "version__archive").order_by("-id")
    current = next((grading for grading in gradings if grading.current), None)
    before, after = neighbours_of(submission, staff)
    return {
        "student_before": before,
        "student_after": after,
        "gradings": [_grading_details(grading, staff) for grading in gradings],
        "live": Work.objects.filter(submission=submission, batch=None).first(),
        "printed": _printed_under_hidden(current),
        "notes": _notes(current),
        "looks": looks_of([submission.pk]).get(submission.pk, ()),
        "of": submission.assignment.points if grade.of is None else grade.of,
        "counts": grade.counted is not None and grade.counted.submission_id == submission.pk,
    }


def _grading_details(grading: Grading, staff: Membership) -> GradingDetails:
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(grading.libraries.items()))
    command = f"manage.py reproduce {grading.submission_id} --grading {grading.pk}"
    batch = grading.work.batch
    return GradingDetails(grading, grading.work, command, libraries or "none", batch is not None and may_open(staff, batch))


def _printed_under_hidden(grading: Grading | None) -> list[CheckResult]:
    if grading is None:
        return []
    report = msgspec.convert(grading.report, Report)
    return [check for check in report.checks if check.hidden and check.stdout]


def _notes(grading: Grading | None) -> list[StaffNote]:
    notes = msgspec.convert(grading.diagnosis, tuple[StaffNote, ...]) if grading else ()
    return [note for note in notes if note.note]
