"""Middleware that activates the time zone of the signed-in user."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from autograder.courses.models import User
from autograder.web.timestamps import zone_of

# shows no times; reading the user would open a database connection before live.AT_ONCE admits the stream
STREAM = "/events/"


class TimeZoneMiddleware:
    """Activates the user's time zone during the request. Course pages override it, see `access`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.endswith(STREAM) or not isinstance(request.user, User):
            return self.get_response(request)
        with timezone.override(zone_of(request, request.user)):
            return self.get_response(request)
