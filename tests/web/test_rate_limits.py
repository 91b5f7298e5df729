"""Rate limits: a message, a waiting time, and no lost input."""

import asyncio
import time
from collections import Counter
from contextlib import nullcontext

import pytest
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import reverse

from autograder.courses.errors import TooOften
from autograder.courses.models import Role, User
from autograder.submissions.handing_in.run_limit import RUNS
from autograder.submissions.models import Draft, Submission
from autograder.web import rate_limits
from autograder.web.models import Pace
from autograder.web.rate_limits import LIMITS, Limit, Rate
from autograder.web.student.exercise import live
from tests.cast import Cast
from tests.web.conftest import Signed, browser_of, member

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}
FEW = Rate(2, 1)


def few(monkeypatch: pytest.MonkeyPatch, what: str, *, address: bool = False) -> None:
    limit = LIMITS[what]
    monkeypatch.setitem(LIMITS, what, Limit(limit.words, None if address else FEW, FEW if address else None))


def where(cast: Cast, name: str) -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def test_so_many_at_once_and_then_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rate, now = Rate(3, 60), 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    for _ in range(3):
        rate_limits._take(rate, "key", "No.")
    with pytest.raises(TooOften) as caught:
        rate_limits._take(rate, "key", "No.")
    assert caught.value.seconds == 1
    assert caught.value.message == "No. Try again in 1 second."
    now += 1
    rate_limits._take(rate, "key", "No.")
    with pytest.raises(TooOften):
        rate_limits._take(rate, "key", "No.")
    now += 3600
    for _ in range(3):
        rate_limits._take(rate, "key", "No.")


def test_what_was_refused_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    rate_limits._take(Rate(1, 1), "key", "No.")
    for _ in range(50):
        with pytest.raises(TooOften) as caught:
            rate_limits._take(Rate(1, 1), "key", "No.")
        assert caught.value.seconds == 60


def test_a_script_that_hands_in_too_often_gets_the_sentence(
    cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "submit")
    browser = signed("ada")
    sources = [f"x = {n}\n" for n in range(3)]
    told = [browser.post(where(cast, "submit"), {"kind": "submit", "source": it}, headers=SCRIPT) for it in sources]
    assert [answer.status_code for answer in told] == [200, 200, 429]
    assert told[2]["Content-Type"] == "text/plain; charset=utf-8"
    assert told[2]["Retry-After"] == "60"
    words = told[2].content.decode()
    assert words == (
        "Too many requests in a short time. Nothing was submitted; your code is still in the editor. Try again in 60 seconds."
    )
    assert Submission.objects.count() == 2


def test_a_reader_gets_the_page_with_what_was_typed(cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "submit")
    browser = signed("ada")
    for _ in range(3):
        told = browser.post(where(cast, "submit"), {"kind": "submit", "source": "typed = 'here'\n"})
    assert (told.status_code, told["Retry-After"]) == (429, "60")
    assert "typed = &#x27;here&#x27;" in told.content.decode()
    assert "Nothing was submitted; your code is still in the editor." in told.content.decode()


def test_runs_have_their_own_limit_with_its_own_words(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    for _ in range(RUNS):
        assert browser.post(where(cast, "submit"), {"kind": "run", "source": "x = 1\n"}, headers=SCRIPT).status_code == 200
    told = browser.post(where(cast, "submit"), {"kind": "run", "source": "x = 1\n"}, headers=SCRIPT)
    assert told.status_code == 429
    assert f"limit of {RUNS} runs per minute." in told.content.decode()
    assert 0 < int(told["Retry-After"]) <= 60


def test_one_student_does_not_slow_another(cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "submit")
    for name, statuses in (("ada", [200, 200, 429]), ("ben", [200, 200, 429])):
        browser = signed(name)
        sources = ("x", "y", "z")
        found = [browser.post(where(cast, "submit"), {"kind": "submit", "source": it}, headers=SCRIPT) for it in sources]
        assert [answer.status_code for answer in found] == statuses


def test_an_address_is_counted_over_all_who_sit_behind_it(
    cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "submit", address=True)
    found = []
    for name, address in (("ada", "203.0.113.1"), ("ben", "203.0.113.1"), ("cy", "203.0.113.1"), ("cy", "203.0.113.2")):
        browser = signed(name)
        form = {"kind": "submit", "source": "x"}
        found.append(browser.post(where(cast, "submit"), form, REMOTE_ADDR=address, headers=SCRIPT))
    assert [answer.status_code for answer in found] == [200, 200, 429, 200]
    assert found[2].content.decode().startswith("Too many requests from your network. Nothing was submitted")


def test_this_machine_itself_is_not_counted_by_its_address(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "join", address=True)
    request = RequestFactory().get("/", REMOTE_ADDR="127.0.0.1")
    for _ in range(5):
        rate_limits.count(request, "join", None)
    assert not Pace.objects.exists()


def test_a_draft_that_is_saved_too_often_is_told_as_json(
    cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "draft")
    browser = signed("ada")
    for n in range(2):
        assert browser.post(where(cast, "draft"), {"source": f"x = {n}", "seen": n}).status_code == 200
    told = browser.post(where(cast, "draft"), {"source": "x = 2", "seen": 2})
    assert (told.status_code, told["Retry-After"]) == (429, "60")
    assert "is still in the editor" in told.json()["text"]
    assert Draft.objects.get().source == "x = 1"


def test_who_types_without_a_pause_is_never_held_up() -> None:
    """frontend/src/editor/draft.js saves 0.8 s after each pause."""
    limit = LIMITS["draft"].person
    assert limit is not None
    assert limit.a_minute > 60 / 0.8


def test_invitations_are_not_made_by_the_hundred(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "invite")
    ines = member(cast, "ines", Role.INSTRUCTOR).user
    address = reverse("invite", args=(cast.course.slug,))
    form = {"role": "student", "section": "", "days": "7", "uses": ""}
    told = [browser_of(ines).post(address, form) for _ in range(3)]
    assert [answer.status_code for answer in told] == [200, 200, 429]
    assert "<h1>Too many requests</h1>" in told[2].content.decode()
    assert "No link was created." in told[2].content.decode()


def test_guesses_of_links_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "join", address=True)
    browser = Client(REMOTE_ADDR="203.0.113.1")
    found = [browser.get(reverse("join", args=(f"guess-{n}",))).status_code for n in range(3)]
    assert found == [404, 404, 429]


def test_a_stream_too_many_is_refused_and_the_page_asks_instead(
    cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(monkeypatch, "stream")
    submission = cast.hands_in("ada")
    browser = signed("ada")
    told = [browser.get(reverse("events", args=(submission.pk,))) for _ in range(3)]
    assert [answer.status_code for answer in told] == [200, 200, 429]
    assert "The page will keep checking" in told[2].content.decode()


def test_open_streams_count_towards_the_limit(cast: Cast, signed: Signed, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = cast.hands_in("ada")
    monkeypatch.setattr(live, "_open", Counter({cast.student("ada").pk: live.OPEN_AT_ONCE}))
    assert signed("ada").get(reverse("events", args=(submission.pk,))).status_code == 429


def test_streams_opened_at_the_same_moment_count_towards_the_limit(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    submission, ada = cast.hands_in("ada"), cast.student("ada")

    async def signed_in(_: object) -> User:
        return ada

    monkeypatch.setattr(live, "aget_user", signed_in)
    monkeypatch.setattr(live, "_may_follow", follows := Barrier(live.OPEN_AT_ONCE + 5))
    monkeypatch.setattr(live, "_entering", nullcontext())
    monkeypatch.setattr(live, "_open", Counter())

    async def opened() -> list[HttpResponseBase]:
        return await asyncio.gather(*(live.stream(RequestFactory().get("/"), submission.pk) for _ in range(follows.of)))

    answers = asyncio.run(opened())
    assert sorted(answer.status_code for answer in answers) == [200] * live.OPEN_AT_ONCE + [429] * 5
    for answer in answers:
        answer.close()
    assert not live._open, "closed, though nobody read them"


class Barrier:
    """A check of permissions that all requests leave at the same moment."""

    def __init__(self, of: int) -> None:
        self.of, self._come = of, 0

    async def __call__(self, *_: object) -> bool:
        self._come += 1
        while self._come < self.of:
            await asyncio.sleep(0)
        return False


def test_what_says_nothing_any_more_is_swept_away() -> None:
    rate_limits._take(Rate(1, 60), "old", "No.")
    rate_limits.sweep(time.time() + 61)
    assert not Pace.objects.exists()
