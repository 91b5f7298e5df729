"""Pages that send their head first: order of the parts, time zone, and errors."""

import asyncio
from collections.abc import Callable

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from autograder.web.streaming import StreamedPage, head_first
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.web.conftest import browser_of

TEMPLATE = "web/staff/grading/gradebook.html"
pytestmark = pytest.mark.django_db


def request(cast: Cast) -> HttpRequest:
    asked = RequestFactory().get("/")
    asked.user, asked.staff = cast.owner, cast.membership(cast.owner.username)  # type: ignore[attr-defined]
    return asked


def answer(cast: Cast, later: Callable[[], SafeString]) -> StreamedPage:
    return head_first(request(cast), TEMPLATE, {"course": cast.course, "here": "gradebook"}, later)


def test_the_head_is_out_before_the_rest_is_begun(cast: Cast) -> None:
    begun: list[str] = []

    def later() -> SafeString:
        begun.append("later")
        return format_html("<p>{}</p>", "the rest")

    page = answer(cast, later)

    async def read() -> tuple[bytes, list[str], bytes]:
        parts = aiter(page)
        head = await anext(parts)
        so_far = list(begun)
        return head, so_far, b"".join([part async for part in parts])

    head, so_far, rest = asyncio.run(read())
    assert "<h1>Gradebook</h1>" in head.decode()
    assert so_far == []
    assert begun == ["later"]
    assert rest.decode().startswith("<p>the rest</p>")
    assert rest.decode().rstrip().endswith("</html>")


def test_it_speaks_in_the_time_zone_of_the_view(cast: Cast) -> None:
    with timezone.override("Asia/Kolkata"):
        parts = answer(cast, lambda: format_html("<p>{}</p>", timezone.get_current_timezone_name()))
    assert "<p>Asia/Kolkata</p>" in parts.getvalue().decode()
    assert timezone.get_current_timezone_name() == "UTC"


def test_what_breaks_is_said_and_logged_and_the_page_ends(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    def later() -> SafeString:
        raise ZeroDivisionError("no table")

    html = answer(cast, later).getvalue().decode()
    assert "An internal error occurred, so the rest of this page is missing." in html
    assert "no table" not in html
    assert html.rstrip().endswith("</html>")
    assert "no table" in caplog.text


def test_a_gradebook_by_total_comes_in_parts_and_by_name_at_once(cast: Cast) -> None:
    graded(cast, "ada", 4)
    browser, address = browser_of(cast.owner), reverse("gradebook", args=(cast.course.slug,))
    assert not browser.get(address).streaming
    parts = list(browser.get(address, {"sort": "total"}))
    assert len(parts) == 2
    assert b"<bdi>ada</bdi>" not in parts[0]
    assert b"<bdi>ada</bdi>" in parts[1]
