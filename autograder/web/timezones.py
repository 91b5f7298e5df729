"""Every page speaks in the time zone of the person who reads it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from autograder.courses.models import User
from autograder.web.timestamps import zone_of

STREAM = "/events/"  # shows no times; to ask who it is for would open a connection before it is let in (live.AT_ONCE)


class OwnTimeZone:
    """Active while a page is made. Pages of a course know better for somebody who never chose: see `access`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.endswith(STREAM) or not isinstance(request.user, User):
            return self.get_response(request)
        with timezone.override(zone_of(request.user)):
            return self.get_response(request)
