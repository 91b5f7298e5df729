"""Error pages that say who is responsible and what to do next."""

import logging

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from autograder.courses.errors import TooOften
from autograder.library.pages import NotPrepared
from autograder.web.request_size import WORDS

log = logging.getLogger("gradus.web")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = "There is no such page, or it is not yours to see. The address may be cut short, or you are signed in as somebody else."
    return render(request, "web/trouble.html", {"heading": "Nothing here", "words": words}, status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = "You may not do this. If you think that you should, ask your instructor."
    return render(request, "web/trouble.html", {"heading": "Not allowed", "words": words}, status=403)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a bad request, in most cases one whose body is too large. Scripts get only the message."""
    if not isinstance(exception, RequestDataTooBig):
        words = "This request could not be read. Go back, load the page again and repeat it."
        return render(request, "web/trouble.html", {"heading": "Not understood", "words": words}, status=400)
    return _told(request, "Too large", WORDS, 413)


def too_often(request: HttpRequest, trouble: TooOften) -> HttpResponse:
    """Return status 429, with Retry-After for programs."""
    response = _told(request, "Too often", trouble.message, 429)
    response["Retry-After"] = str(trouble.seconds)
    return response


def _told(request: HttpRequest, heading: str, words: str, status: int) -> HttpResponse:
    """Return a page for browsers, or only the message for scripts."""
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"text": words}, status=status)
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(words, status=status, content_type="text/plain; charset=utf-8")
    return render(request, "web/trouble.html", {"heading": heading, "words": words}, status=status)


class SlowDown(MiddlewareMixin):
    """Turns a TooOften exception into a response, so that views do not have to catch it."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return too_often(request, exception) if isinstance(exception, TooOften) else None


class Unprepared(MiddlewareMixin):
    """Answers for an exercise version that has no page yet: logs the cause for the operator and asks the reader to retry."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, NotPrepared):
            return None
        log.error("%s", exception)
        words = (
            "This exercise is still being prepared on our side. It is not your doing, and nothing is lost. "
            "Try again in a few minutes; if it stays like this, tell your instructor."
        )
        return render(request, "web/trouble.html", {"heading": "Not ready yet", "words": words}, status=503)


def expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """CSRF failure view: the page was too old, or cookies are disabled."""
    words = (
        "The page was too old, or your browser keeps no cookies, so nothing was sent. Go back, load it again and repeat it; "
        "what you typed is still there."
    )
    return render(request, "web/trouble.html", {"heading": "That page was too old", "words": words}, status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """Server error view. It uses neither the database nor templates, because they may be the cause."""
    words = (
        "Something on our side broke. It is not your doing, and nothing that was handed in is lost. Try again in a minute."
    )
    return HttpResponseServerError(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Our error · Gradus</title><main><h1>Our error</h1>"
        f"<p>{words}</p></main></html>"
    )
