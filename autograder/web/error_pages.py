"""Error pages that say who is responsible and what to do next."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render

from autograder.courses.errors import TooOften
from autograder.submissions.handing_in.drafts import MAX_SOURCE_BYTES

BUSY_SECONDS = 5  # after which a program may try again
TOO_LARGE = (
    f"The file is too large: code files can be at most {MAX_SOURCE_BYTES:,} bytes. Nothing was submitted or saved. "
    "Go back; what you typed is still there."
)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = (
        "This page does not exist, or you do not have access to it. "
        "Check the address, and check that you are signed in with the right account."
    )
    return render(request, "web/error.html", {"heading": "Page not found", "words": words}, status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = "You do not have permission to do this. If you need it, ask your instructor."
    return render(request, "web/error.html", {"heading": "Not allowed", "words": words}, status=403)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a bad request, in most cases one whose body is too large. Scripts get only the message."""
    if not isinstance(exception, RequestDataTooBig):
        words = "The server could not read this request. Go back, reload the page and try again."
        return render(request, "web/error.html", {"heading": "Bad request", "words": words}, status=400)
    return _message_response(request, "Too large", TOO_LARGE, 413)


def too_often(request: HttpRequest, refused: TooOften) -> HttpResponse:
    return too_many_requests(_message_response(request, "Too many requests", refused.message, 429), refused)


def too_many_requests(response: HttpResponse, refused: TooOften) -> HttpResponse:
    """Set status 429, with Retry-After for programs."""
    response.status_code = 429
    response["Retry-After"] = str(refused.seconds)
    return response


def busy(request: HttpRequest) -> HttpResponse:
    """Answer a request that could not write to the database in time."""
    words = (
        "The site is very busy, and this could not be saved. Wait a few seconds and try again. "
        "If you were sent here from a form, go back: what you typed is still there."
    )
    response = _message_response(request, "Please try again", words, 503)
    response["Retry-After"] = str(BUSY_SECONDS)
    return response


def _message_response(request: HttpRequest, heading: str, words: str, status: int) -> HttpResponse:
    """Return a page for browsers, or only the message for scripts."""
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"text": words}, status=status)
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(words, status=status, content_type="text/plain; charset=utf-8")
    return render(request, "web/error.html", {"heading": heading, "words": words}, status=status)


def expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """CSRF failure view: the page was too old, or cookies are disabled."""
    words = (
        "The page has expired, or your browser blocks cookies, so nothing was sent. "
        "Go back, reload the page and try again; what you typed is still there."
    )
    return render(request, "web/error.html", {"heading": "Page expired", "words": words}, status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """Server error view. It uses neither the database nor templates, because they may be the cause."""
    words = "An internal error occurred. You did nothing wrong, and no submission is lost. Try again in a minute."
    return HttpResponseServerError(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Internal error · Gradus</title><main><h1>Internal error</h1>"
        f"<p>{words}</p></main></html>"
    )
