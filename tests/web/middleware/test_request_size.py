"""Request bodies that are too large are rejected before they are stored, with or without a declared length."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest

from autograder.web.error_pages import TOO_LARGE
from autograder.web.middleware.request_size import DRAINED, MOST, MOST_OF_TABLES, RequestSizeLimit, most_for
from tests.web.addresses import address

PART = 1 << 16


class Sender:
    """An ASGI client that sends a body in parts while the application reads, and records the response."""

    def __init__(self, size: int, path: str = "/c/x/y/hand-in/", declared: str | None = None, **headers: str) -> None:
        self.left, self.sent, self.answers = size, 0, list[Any]()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if declared is not None:
            named["content-length"] = declared
        self.scope: Any = {
            "type": "http", "path": path, "headers": [(name.encode(), word.encode()) for name, word in named.items()],
        }  # fmt: skip
        self.read_by_site: int | None = None

    async def receive(self) -> Any:
        part = min(PART, self.left)
        self.left, self.sent = self.left - part, self.sent + part
        return {"type": "http.request", "body": b"x" * part, "more_body": self.left > 0}

    async def send(self, message: Any) -> None:
        self.answers.append(message)

    async def site(self, scope: Any, receive: Any, send: Any) -> None:
        """Like Django: reads everything, and does not respond to a client that disconnected."""
        self.read_by_site = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            self.read_by_site += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def goes(self) -> "Sender":
        asyncio.run(RequestSizeLimit(self.site)(self.scope, self.receive, self.send))
        return self

    @property
    def status(self) -> int:
        return int(self.answers[0]["status"])

    @property
    def text(self) -> str:
        return str(self.answers[1]["body"].decode())


@pytest.mark.parametrize("declared", [str(MOST), None])
def test_what_is_not_too_much_arrives_whole(declared: str | None) -> None:
    sender = Sender(MOST, declared=declared).goes()
    assert (sender.status, sender.read_by_site) == (200, MOST)


def test_what_says_that_it_is_too_much_is_not_given_to_the_site() -> None:
    sender = Sender(MOST + 1, declared=str(MOST + 1)).goes()
    assert (sender.status, sender.read_by_site, sender.left) == (413, None, 0)


def test_what_does_not_say_is_counted() -> None:
    sender = Sender(MOST + 1).goes()
    assert sender.status == 413
    assert sender.read_by_site is not None
    assert sender.read_by_site <= MOST


@pytest.mark.parametrize("declared", [str(10**12), None])
def test_oversized_bodies_are_cut_off(declared: str | None) -> None:
    sender = Sender(10**12, declared=declared).goes()
    assert sender.status == 413
    assert sender.sent <= MOST + DRAINED + PART
    assert (b"connection", b"close") in sender.answers[0]["headers"]


@pytest.mark.parametrize("declared", ["-1", "²", "0x10", ""])
def test_a_length_that_is_none_is_counted_too(declared: str) -> None:
    assert Sender(MOST + 1, declared=declared.encode("ascii", "replace").decode()).goes().status == 413


def test_lists_of_people_and_grades_may_be_longer() -> None:
    assert Sender(MOST + 1, path="/t/autodiff/roster/").goes().status == 200
    for name in ("roster", "import-lms-ids", "import-scores", "export"):
        assert most_for(address(name, course="autodiff")) == MOST_OF_TABLES
    assert most_for("/c/autodiff/roster/") == most_for("/t/autodiff/people/") == MOST


def kind_of(sender: Sender) -> str:
    headers: Iterable[tuple[bytes, bytes]] = sender.answers[0]["headers"]
    return dict(headers)[b"content-type"].decode()


def test_each_reader_is_told_in_its_own_way() -> None:
    page = Sender(MOST + 1).goes()
    script = Sender(MOST + 1, hx_request="true").goes()
    draft = Sender(MOST + 1, accept="application/json").goes()
    assert kind_of(page).startswith("text/html")
    assert "<h1>Too large</h1>" in page.text
    assert (kind_of(script), script.text) == ("text/plain; charset=utf-8", TOO_LARGE)
    assert json.loads(draft.text) == {"text": TOO_LARGE}


def test_other_things_than_requests_pass() -> None:
    passed: list[str] = []

    async def site(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["type"])

    asyncio.run(RequestSizeLimit(site)({"type": "lifespan"}, None, None))  # type: ignore[arg-type, typeddict-item]
    assert passed == ["lifespan"]
