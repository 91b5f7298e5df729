"""The id that connects a request with its verdict: returned in a header, stored with the work and included in every log line."""

import re
import secrets
from contextlib import AbstractContextManager
from typing import Any

from structlog import contextvars

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
REQUEST = "request"


def id_of(given: str) -> str:
    """Return the request id given by a proxy if it is safe to log, else a new one."""
    return given if WELL_FORMED.fullmatch(given) else secrets.token_hex(8)


def current() -> str:
    """Return the id of the current request, or an empty string outside of requests."""
    return str(contextvars.get_contextvars().get(REQUEST, ""))


def bound(**names: Any) -> AbstractContextManager[None]:
    """`with bound(request=..., work=7)`: add fields to every log line in the block. Empty values are omitted."""
    return contextvars.bound_contextvars(**{name: value for name, value in names.items() if value not in ("", None)})
