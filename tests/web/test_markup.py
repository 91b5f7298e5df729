"""Markup rules of every page: no inline scripts, one main heading, landmarks, a skip link, and unique ids."""

from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser

import msgspec
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from autograder.courses.models import User
from autograder.judge.report import Detail, Shown
from autograder.submissions.models import Kind
from autograder.web.results.explanation import Explanation
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, change, checked, grade, reported
from tests.web.player.examples import shared_value

pytestmark = pytest.mark.django_db
VOID = {"meta", "link", "input", "br", "hr", "img", "path", "circle", "rect", "use"}


class Markup(HTMLParser):
    """Collects the relevant parts of a page. The content of a `<template>` is data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.refers: list[str] = []
        self.links: list[str] = []
        self.acts: list[str] = []
        self.loads: list[str] = []
        self.posts = 0
        self.tokens = 0
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.left_open = self._open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if len(given) != len(attributes):
            self.acts.append(f"{tag} with an attribute twice")
        if tag not in VOID:
            self._open.append(tag)
        self.acts += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
        self.acts += [f"{tag} {value}" for value in given.values() if value.strip().lower().startswith("javascript:")]
        if tag == "style" or (tag == "script" and "src" not in given and given.get("type") != "application/json"):
            self.acts.append(tag)
        self.loads += [given[name] for name in ("src", "hx-post", "hx-get") if name in given]
        if tag in ("link", "form"):
            self.loads += [given[name] for name in ("href", "action") if given.get(name)]
        if "template" in self._open[:-1]:
            return
        self.tags[tag] += 1
        self.posts += tag == "form" and given.get("method") == "post"
        self.tokens += given.get("name") == "csrfmiddlewaretoken"
        if "id" in given:
            self.ids[given["id"]] += 1
        for name in ("for", "form", "aria-labelledby", "aria-describedby"):
            self.refers += given.get(name, "").split()
        if tag == "a":
            self.links.append(given.get("href", ""))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self._open or self._open[-1] != tag:
            self.acts.append(f"</{tag}> closes <{self._open[-1] if self._open else ''}>")
        else:
            self._open.pop()


@pytest.fixture
def course(cast: Cast) -> Cast:
    """Ada has a result of every kind: a failed check with a player, arrays, a diagnosis and text; a run; one that waits."""
    expected, given = (Shown("tensor", tuple(values), (2, 2)) for values in ("1234", "1243"))
    detail = Detail("y", {"x": Shown("float", ("-2.0",))}, expected, given, (2, 3))
    wrong = checked("example", passed=False, message="It is -6.", detail=detail, stdout="printed\n")
    other = checked("other", passed=False, detail=Detail("y", {}, Shown("float", ("1.0",)), Shown("float", ("2.0",))))
    told = [
        Explanation("overwrites-instead-of-accumulating", "It is -6.", ("example", "other")),
        Explanation("", "Nothing known."),
    ]
    trace = msgspec.structs.replace(shared_value(), check="example")
    graded = cast.hands_in("ada", b"x = 1\n")
    hidden = checked("secret", hidden=True, passed=False)
    grade(graded, reported(wrong, other, checked("good"), hidden, stdout="loaded"), diagnosis=told, traces=[trace])
    run = cast.hands_in("ada", b"x = 2\n", Kind.RUN)
    grade(run, reported(wrong, other))
    cast.hands_in("ada", b"x = 3\n")
    User.objects.create_user("eve")  # in no course
    cast.assign("value-unary", position=2, unit="Second", opens_at=ahead(days=3))
    return cast


def _pages(cast: Cast, signed: Signed) -> dict[str, Callable[[], HttpResponse]]:
    ada, course, slug = signed("ada"), cast.course.slug, cast.assignment.slug
    numbers = list(cast.membership("ada").submissions.order_by("id").values_list("pk", flat=True))
    desk, compare = (reverse(name, args=(course, slug)) for name in ("exercise", "compare"))

    def get(browser: Client, address: str) -> Callable[[], HttpResponse]:
        return lambda: browser.get(address)  # type: ignore[return-value]

    return {
        "front": get(Client(), "/"),
        "sign in": get(Client(), reverse("sign-in")),
        "sign in, wrong": lambda: Client().post(reverse("sign-in"), {"username": "x", "password": "y"}),  # type: ignore[dict-item,return-value]
        "time zone": get(ada, reverse("time-zone")),
        "help": get(ada, reverse("help")),
        "courses": get(signed("eve"), "/"),
        "home": get(ada, reverse("home", args=(course,))),
        "home of staff": get(signed(cast.owner.username), reverse("home", args=(course,))),
        "grades": get(ada, reverse("grades", args=(course,))),
        "desk, waiting": get(ada, desk),
        "desk, failed": get(ada, f"{desk}?s={numbers[0]}"),
        "desk at a step": get(ada, f"{desk}?s={numbers[0]}&check=example&step=2"),
        "desk, run": get(ada, f"{desk}?s={numbers[1]}"),
        "desk, nothing yet": get(signed("ben"), desk),
        "desk, refused": lambda: ada.post(reverse("submit", args=(course, slug)), {"source": ""}),  # type: ignore[dict-item,return-value]
        "desk, not open": get(ada, reverse("exercise", args=(course, "value-unary"))),
        "history": get(ada, reverse("history", args=(course, slug))),
        "history, empty": get(signed("ben"), reverse("history", args=(course, slug))),
        "compare": get(ada, f"{compare}?s={numbers[0]}&s={numbers[1]}"),
        "compare nothing": get(ada, compare),
        "not found": get(ada, "/nowhere/"),
    }


PAGES = (
    *(
        "front",
        "sign in",
        "sign in, wrong",
        "time zone",
        "help",
        "courses",
        "home",
        "home of staff",
        "grades",
        "desk, waiting",
    ),
    *("desk, failed", "desk at a step", "desk, run", "desk, nothing yet", "desk, refused", "desk, not open", "history"),
    *("history, empty", "compare", "compare nothing", "not found"),
)


def test_a_page_holds_what_every_page_promises(course: Cast, signed: Signed) -> None:
    pages = _pages(course, signed)
    assert tuple(pages) == PAGES
    for name, ask in pages.items():
        response = ask()
        text = response.content.decode()
        found = Markup(text)
        assert found.acts == [], name
        assert found.left_open == [], name
        assert (found.tags["h1"], found.tags["main"], found.tags["title"] > 0) == (1, 1, True), name
        assert found.links[0] == "#main", name
        assert found.ids["main"] == 1, name
        assert {key: count for key, count in found.ids.items() if count > 1} == {}, name
        assert set(found.refers) <= set(found.ids), name
        assert found.posts == found.tokens, name
        assert all(each.startswith("/") and not each.startswith("//") for each in found.loads), name
        assert "!" not in _prose(text), name
        _policy(response, name)


def _prose(text: str) -> str:
    """Return the visible text, without markup and without text of students and exercises."""

    class Words(HTMLParser):
        said = ""
        skip = 0

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            self.skip += tag in ("pre", "textarea", "template", "script", "code")

        def handle_endtag(self, tag: str) -> None:
            self.skip -= tag in ("pre", "textarea", "template", "script", "code")

        def handle_data(self, data: str) -> None:
            if not self.skip:
                self.said += data

    words = Words()
    words.feed(text)
    return words.said


def _policy(response: HttpResponse, name: str) -> None:
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    nonce = response.content.decode().partition('name="csp-nonce" content="')[2].partition('"')[0]
    assert len(nonce) >= 20, name
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'nonce-{nonce}'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }, name
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


def test_a_nonce_is_new_each_time() -> None:
    policies = {Client().get(reverse("help"))["Content-Security-Policy"] for _ in range(3)}
    assert len(policies) == 3


def test_the_part_that_a_script_puts_in_fits_into_the_page(course: Cast, signed: Signed) -> None:
    where = reverse("submit", args=(course.course.slug, course.assignment.slug))
    browser = signed("ada")
    response = browser.post(where, {"kind": "run", "source": "x = 9"}, headers={"HX-Request": "true"})
    found = Markup(response.content.decode())
    assert (found.acts, found.left_open, found.tokens) == ([], [], 0)
    assert {"outcome", "result", "once", "acts"} <= set(found.ids)


def test_our_error_is_a_page_that_needs_nothing(signed: Signed, monkeypatch: pytest.MonkeyPatch, cast: Cast) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("a cause for the log alone")

    monkeypatch.setattr("autograder.web.student.course_home.page.steps_of", breaks)
    browser = Client(raise_request_exception=False)
    browser.force_login(cast.student("ada"))
    response = browser.get(reverse("home", args=(cast.course.slug,)))
    found = Markup(response.content.decode())
    assert response.status_code == 500
    assert "no submission is lost" in response.content.decode()
    assert "a cause" not in response.content.decode()
    assert (found.tags["h1"], found.tags["main"], found.acts) == (1, 1, [])
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_debugging_is_off(settings: Settings) -> None:
    assert not settings.DEBUG


def test_a_closed_exercise_keeps_its_page(course: Cast, signed: Signed) -> None:
    change(course, closes_at=ahead(days=-1))
    text = signed("ada").get(reverse("exercise", args=(course.course.slug, course.assignment.slug))).content.decode()
    assert "Closed " in text
    assert text.count(" disabled") == 3, "Run, Submit and Run calls"
