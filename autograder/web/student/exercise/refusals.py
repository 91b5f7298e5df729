"""Responses to refused requests from the exercise page."""

from django.http import HttpResponse

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Assignment, Membership
from autograder.web.access import SignedIn
from autograder.web.error_pages import too_many_requests
from autograder.web.results.scratch import ScratchCell
from autograder.web.student.exercise.confirmation import Unconfirmed
from autograder.web.student.exercise.page import show


def is_live(request: SignedIn) -> bool:
    """Whether a script sent the request and will insert the response into the page."""
    return request.headers.get("HX-Request") == "true"


def refusal(
    request: SignedIn,
    membership: Membership,
    assignment: Assignment,
    refused: Refused,
    typed: str,
    cell: ScratchCell | None = None,
) -> HttpResponse:
    """Return the error message to scripts, or the page with the typed code to browsers. A question comes with its
    confirmation token.
    """
    question = refused.question if isinstance(refused, Unconfirmed) else None
    if is_live(request):
        response = HttpResponse(refused.message, status=422, content_type="text/plain; charset=utf-8")
    else:
        response = show(request, membership, assignment, refused=refused.message, typed=typed, question=question, cell=cell)
    if question:
        response["Gradus-Confirm"] = question.token
    return too_many_requests(response, refused) if isinstance(refused, TooOften) else response
