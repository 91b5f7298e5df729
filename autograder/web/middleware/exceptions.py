"""Turns exceptions of views into error pages, so that views do not have to catch them."""

import logging

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from autograder.courses.errors import TooOften
from autograder.library.pages import NotPrepared
from autograder.web.error_pages import busy, too_often

log = logging.getLogger("gradus.web")


class TooOftenMiddleware(MiddlewareMixin):
    """Turns a TooOften exception into a response, so that views do not have to catch it."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return too_often(request, exception) if isinstance(exception, TooOften) else None


class BusyDatabaseMiddleware(MiddlewareMixin):
    """Answers if SQLite's only writer did not come free in time. Everything that was to be written together was undone."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OperationalError) or "is locked" not in str(exception):
            return None
        log.error("a request waited too long to write to the database", exc_info=exception)
        return busy(request)


class NotPreparedMiddleware(MiddlewareMixin):
    """Answers for an exercise version that has no page yet: logs the cause for the operator and asks the reader to retry."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, NotPrepared):
            return None
        log.error("%s", exception)
        words = (
            "This exercise is still being prepared. You did nothing wrong, and no work is lost. "
            "Try again in a few minutes. If the problem persists, tell your instructor."
        )
        return render(request, "web/error.html", {"heading": "Not ready yet", "words": words}, status=503)
