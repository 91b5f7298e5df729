"""One id from a request to its verdict. It is answered as a header, kept with the work, and stands in every line of the log."""

import re
import secrets
from contextlib import AbstractContextManager
from typing import Any

from structlog import contextvars

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
REQUEST = "request"


def id_of(given: str) -> str:
    """What a proxy calls the request, if that can stand in a log; else one of ours."""
    return given if WELL_FORMED.fullmatch(given) else secrets.token_hex(8)


def current() -> str:
    """The id of the request that is being worked for; empty outside of any."""
    return str(contextvars.get_contextvars().get(REQUEST, ""))


def bound(**names: Any) -> AbstractContextManager[None]:
    """`with bound(request=..., work=7)`: every line of the log that is written inside says so. What is empty is left out."""
    return contextvars.bound_contextvars(**{name: value for name, value in names.items() if value not in ("", None)})
