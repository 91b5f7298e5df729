"""The event stream of a result: permissions, content, and that it is only a hint."""

import asyncio
from typing import Any

import pytest
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import HiddenMeanwhile, ShowHidden, User
from autograder.submissions.messages import event_stream
from autograder.submissions.models import Event, Kind, Submission
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.web.conftest import Signed, change, checked, grade, page, reported

pytestmark = pytest.mark.django_db(transaction=True)


async def opened(submission: Submission, user: User | None) -> Any:
    browser = AsyncClient()
    if user is not None:
        await browser.aforce_login(user)
    return await browser.get(reverse("events", args=(submission.pk,)))


def test_it_is_for_whoever_may_see_the_submission(cast: Cast) -> None:
    submission = cast.hands_in("ada")
    people = (None, cast.student("ben"), cast.student("ada"), cast.owner, cast.student("cy"))
    gone = cast.membership("cy")
    gone.removed_at = gone.course.created_at
    gone.save()

    async def statuses() -> list[int]:
        return [(await opened(submission, user)).status_code for user in people]

    assert asyncio.run(statuses()) == [401, 404, 200, 200, 404]


def test_it_says_names_and_nothing_else(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = cast.hands_in("ada")

    async def told(number: int, seconds: float, beat: float, seen: str, *, held: bool) -> Any:
        assert (seen, held) == ("", False)
        for name in ("check", "", "graded"):
            yield name

    monkeypatch.setattr(event_stream, "follow", told)
    Event.objects.create(submission=submission, name="check", data={"title": "A hidden title", "hidden": True})

    ada = cast.student("ada")

    async def heard() -> tuple[Any, bytes]:
        answer = await opened(submission, ada)
        return answer, b"".join([part async for part in answer.streaming_content])

    answer, text = asyncio.run(heard())
    assert answer["Content-Type"] == "text/event-stream"
    assert answer["Cache-Control"] == "no-store"
    assert text == (
        b"retry: 2000\n\nevent: hello\ndata: 1\n\nevent: check\ndata: 1\n\n: still here\n\nevent: graded\ndata: 1\n\n"
    )


@pytest.mark.parametrize(
    ("kind", "who", "meanwhile", "held"),
    [
        (Kind.SUBMIT, "ada", HiddenMeanwhile.NOTHING, True),
        (Kind.RUN, "ada", HiddenMeanwhile.NOTHING, False),
        (Kind.SUBMIT, "ada", HiddenMeanwhile.COUNT, False),
        (Kind.SUBMIT, "owner", HiddenMeanwhile.NOTHING, False),
    ],
)
def test_who_may_not_know_how_hidden_checks_end_is_told_at_fixed_times(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, kind: Kind, who: str, meanwhile: str, held: bool
) -> None:
    change(cast, show_hidden=ShowHidden.NEVER, hidden_meanwhile=meanwhile)
    submission = cast.hands_in("ada", kind=kind)
    asked: list[bool] = []

    async def told(*_: object, held: bool) -> Any:
        asked.append(held)
        yield "graded"

    monkeypatch.setattr(event_stream, "follow", told)
    user = cast.owner if who == "owner" else cast.student("ada")

    async def heard() -> None:
        answer = await opened(submission, user)
        async for _ in answer.streaming_content:
            pass

    asyncio.run(heard())
    assert asked == [held]


def test_checks_of_a_long_grading_are_told_but_hidden_ones(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    queue.claim("box")
    for title, hidden in (("An open title", False), ("A hidden title", True)):
        data = {"title": title, "hidden": hidden, "passed": True}
        Event.objects.create(submission=submission, name="check", data=data)
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert "An open title" in text
    assert "A hidden title" not in text
    assert "Running: 1 of " in text


def test_what_passed_shows_the_way_on(cast: Cast, signed: Signed) -> None:
    cast.assign("value-unary", position=1, title="Another")
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, reported(checked("one"), checked("two", hidden=True)))
    assert "Next step: Another" in page(signed("ada"), reverse("outcome", args=(submission.pk,)))


@pytest.mark.parametrize("explained", [False, True])
def test_the_history_has_a_submission_as_soon_as_its_verdict_is_known(cast: Cast, signed: Signed, explained: bool) -> None:
    submission = cast.hands_in("ada")
    grade(submission, reported(checked("one", passed=False)))
    now = timezone.now()
    submission.gradings.update(graded_at=now, explained_at=now if explained else None)
    text = page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    assert 'id="history" hx-swap-oob="true"' in text
    assert "No submissions yet" not in text
    assert ('id="acts"' in text) is explained


@pytest.mark.usefixtures("still")
def test_an_answer_that_is_asked_for_again_is_the_same(cast: Cast, signed: Signed) -> None:
    submission = cast.hands_in("ada")
    where = reverse("outcome", args=(submission.pk,))
    assert page(signed("ada"), where) == page(signed("ada"), where)
    grade(submission, reported(checked("one"), checked("two", hidden=True)))
    assert page(signed("ada"), where) == page(signed("ada"), where)
