"""Middleware that gives each request an id, a log line, a duration metric and a span.

It logs the URL pattern, never the URL: a path may contain an invitation token, and a query anything a user typed.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from autograder.observability import ids
from autograder.observability.spans import span
from autograder.web.monitoring.durations import observe

log = logging.getLogger("gradus.requests")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OFTEN = ("healthz", "readyz", "metrics")  # frequent probes, logged at debug level
Get = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class _Response:
    """Carries the response out of the context manager's body."""

    response: HttpResponseBase | None = None


class RequestLogMiddleware:
    """Outermost middleware, so that responses of other middleware are recorded as well."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._is_async:
            return self._later(request)
        with _following(request) as followed:
            response = self.get_response(request)
            assert isinstance(response, HttpResponseBase)
            followed.response = response
        return response

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        with _following(request) as followed:
            response = await self.get_response(request)  # type: ignore[misc]
            assert isinstance(response, HttpResponseBase)
            followed.response = response
        return response


@contextmanager
def _following(request: HttpRequest) -> Iterator[_Response]:
    name, begun, followed = ids.id_of(request.headers.get(ids.HEADER, "")), time.perf_counter(), _Response()
    parent = request.headers.get("traceparent", "")
    with ids.bound(request=name), span("request", parent=parent, method=_method(request), id=name):
        yield followed
        if followed.response is not None:
            followed.response.headers[ids.HEADER] = name
            _tell(request, followed.response.status_code, time.perf_counter() - begun)


def _tell(request: HttpRequest, status: int, seconds: float) -> None:
    match, method = request.resolver_match, _method(request)
    view = match.view_name if match else "static" if request.path.startswith(settings.STATIC_URL) else "none"
    observe(view, method, status, seconds)
    level = logging.WARNING if status >= 500 else logging.DEBUG if view in OFTEN else logging.INFO
    if not log.isEnabledFor(level):
        return
    number = match.kwargs.get("number") if match else None
    facts = {"method": method, "route": match.route if match else view, "status": status}
    facts |= {"milliseconds": round(seconds * 1000, 1)} | ({"submission": number} if isinstance(number, int) else {})
    log.log(level, "answered", extra=facts)


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"
