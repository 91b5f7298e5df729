"""Removes confidential data from every log line: email addresses, query strings, passwords in URLs and exception messages.

The message of an exception may quote a name, a database row or a submission.
"""

import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from types import TracebackType
from typing import Any

Event = MutableMapping[str, Any]
FRAMES = 12
SAYS_ITSELF = (  # exceptions whose messages concern machines and exercises, never people
    "django.db.utils.OperationalError",
    "django.db.utils.InterfaceError",
    "kombu.exceptions.OperationalError",
    "redis.exceptions.ConnectionError",
    "redis.exceptions.TimeoutError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "sandbox.errors.LayerMissing",
    "autograder.judge.pack.PackError",
    "autograder.library.pages.NotPrepared",
)
_CREDENTIALS = re.compile(r"(\w+://)[^/\s@]*@")
_E_MAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_QUERY = re.compile(r"(?<=[\w/])\?[^\s\"']+")
_BY_DJANGO = ("django.request", "django.security")


def harmless(_: object, __: str, event: Event) -> Event:
    """The second-to-last processor of every line."""
    text = str(event.get("event", ""))
    if str(event.get("logger", "")).startswith(_BY_DJANGO):
        text = text.partition(":")[0]  # the rest is a path or a header as it was sent
    event["event"] = without_secrets(text)
    return event


def without_secrets(text: str) -> str:
    text = _CREDENTIALS.sub(r"\1…@", text)
    return _QUERY.sub("?…", _E_MAIL.sub("…@…", text))


def without_message(_: object, __: str, event: Event) -> Event:
    """Reduce an exception to its types and locations; the message is kept only for types known to be harmless."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = list(_lines(error))
    event.pop("stack_info", None)
    return event


def _lines(error: BaseException | None) -> Iterator[str]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield _what(error)
        yield from _where(error.__traceback__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _what(error: BaseException) -> str:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    if name not in SAYS_ITSELF:
        return name
    return f"{name}: {without_secrets(str(error))}"


def _where(trace: TracebackType | None) -> Iterator[str]:
    for frame in traceback.extract_tb(trace)[-FRAMES:]:
        yield f"  {frame.filename}:{frame.lineno} {frame.name}"
