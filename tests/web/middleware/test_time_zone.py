"""Pages use the reader's time zone. Event streams show no times and do not load the user."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from autograder.courses.models import User
from autograder.web.middleware.time_zone import TimeZoneMiddleware


def asked(path: str, user: object, browser: str = "") -> str:
    """Return the active time zone of a request for this path, from a browser in this one."""

    def page(request: HttpRequest) -> HttpResponse:
        return HttpResponse(timezone.get_current_timezone_name())

    request = RequestFactory().get(path)
    request.COOKIES["zone"] = browser
    request.user = user  # type: ignore[assignment]
    return str(TimeZoneMiddleware(page)(request).content.decode())  # type: ignore[attr-defined]


def test_a_page_speaks_in_its_readers_time_zone() -> None:
    assert asked("/c/autodiff/", User(username="ada", time_zone="Europe/Berlin")) == "Europe/Berlin"
    assert timezone.get_current_timezone_name() == "UTC"


@pytest.mark.parametrize(
    ("chosen", "browser", "read"),
    [
        ("Europe/Berlin", "America/New_York", "Europe/Berlin"),
        ("UTC", "America/New_York", "UTC"),
        ("", "America/New_York", "America/New_York"),
        ("", "Asia/Calcutta", "Asia/Calcutta"),
        ("", "", "UTC"),
        ("", "Mars/Olympus", "UTC"),
        ("", "../../etc/passwd", "UTC"),
        ("", "Europe", "UTC"),
    ],
)
def test_until_a_reader_chooses_the_browser_decides(chosen: str, browser: str, read: str) -> None:
    assert asked("/c/autodiff/", User(username="ada", time_zone=chosen), browser) == read


def test_a_stream_opens_no_connection_to_find_out_who_reads_it() -> None:
    def found() -> User:
        pytest.fail("the database was asked who it is")

    assert asked("/s/12/events/", SimpleLazyObject(found)) == "UTC"
