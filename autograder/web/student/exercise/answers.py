"""Answers to the questions of an assignment: saved while they are written, and handed in with the code."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Asks, Assignment, Criterion, Membership
from autograder.submissions.handing_in.answers import (
    MAX_PDF,
    answer_save,
    answers_of,
    parts_of,
    pdf_save,
    question_in,
    questions_of,
)
from autograder.submissions.models import Answer
from autograder.web import rate_limits
from autograder.web.access import SignedIn, members_only, opened_in, submission_for
from autograder.web.error_pages import too_many_requests

FIELD = "answer_"  # before the number of a question, in the name of its field


def save_answers(request: SignedIn, membership: Membership, assignment: Assignment) -> None:
    """Save the answers in words that the page sends with the code, so that none is lost, whatever becomes of the code."""
    for question in questions_of(assignment):
        text = request.POST.get(f"{FIELD}{question.pk}")
        if question.asks == Asks.TEXT and text is not None:
            answer_save(question=question, membership=membership, text=text)


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: SignedIn, membership: Membership, assignment: str, question: int) -> HttpResponse:
    """POST saves an answer; GET downloads the PDF that was saved."""
    wanted = opened_in(membership, assignment)
    asked = question_in(wanted, question)
    if asked is None:
        raise Http404("no such question")
    if request.method != "POST":
        return _pdf(next(part.current for part in parts_of(wanted, membership) if part.criterion == asked))
    live = request.headers.get("HX-Request") == "true"
    try:
        rate_limits.count(request, "draft", request.user)
        _save(request, membership, asked)
    except Refused as refused:
        if not live:
            messages.error(request, refused.message)
            return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}#answers")
        answered = _part(request, membership, wanted, asked, refused.message)
        return too_many_requests(answered, refused) if isinstance(refused, TooOften) else answered
    if live:
        return _part(request, membership, wanted, asked)
    return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}#answers")


@login_required
@require_safe
def handed_in(request: SignedIn, number: int, question: int) -> HttpResponse:
    """Download the PDF that belongs to a submission."""
    submission = submission_for(request.user, number).submission
    return _pdf(answers_of(submission).get(question))


def _save(request: SignedIn, membership: Membership, question: Criterion) -> None:
    if question.asks == Asks.TEXT:
        answer_save(question=question, membership=membership, text=request.POST.get(f"{FIELD}{question.pk}", ""))
        return
    upload = request.FILES.get("pdf")
    if upload is None:
        raise Refused("Choose a PDF first.")
    pdf_save(question=question, membership=membership, name=str(upload.name), content=upload.read(MAX_PDF + 1))


def _part(
    request: SignedIn, membership: Membership, assignment: Assignment, question: Criterion, refused: str = ""
) -> HttpResponse:
    """What is said below an answer."""
    part = next(part for part in parts_of(assignment, membership) if part.criterion == question)
    context = {"course": membership.course, "assignment": assignment, "part": part, "refused": refused}
    return render(request, "web/student/exercise/answer_state.html", context)


def _pdf(answer: Answer | None) -> HttpResponse:
    if answer is None or answer.pdf is None:
        raise Http404("no PDF")
    return HttpResponse(
        bytes(answer.pdf),
        content_type="application/pdf",
        headers={
            "Content-Disposition": f'attachment; filename="answer-{answer.criterion_id}.pdf"',
            "X-Content-Type-Options": "nosniff",
        },
    )
