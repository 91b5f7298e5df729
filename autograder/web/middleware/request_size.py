"""Limits the size of request bodies before Django reads them. Django itself spools a body to disk, however long it is."""

import json
from collections.abc import Iterable

from asgiref.typing import (
    ASGI3Application,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    HTTPDisconnectEvent,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    HTTPScope,
    Scope,
)

from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.web.error_pages import TOO_LARGE

MEBI = 1 << 20
MOST = 4 * MEBI  # forms may have up to 1 MiB (DATA_UPLOAD_MAX_MEMORY_SIZE); slightly larger ones get Django's error page
MOST_OF_TABLES = MAX_BYTES + MEBI
TABLES = ("/roster/", "/ids/", "/scores/", "/export/")  # staff pages that accept a list of people or grades
DRAINED = 8 * MEBI  # discarded before the response, because a browser that is still sending would not read it
TABLE_TOO_LARGE = f"The file is too large: the limit is {MAX_BYTES // 1_000_000} MB. Nothing was imported."


class RequestSizeLimit:
    """ASGI middleware. The application sees a client disconnect if the body is too large."""

    def __init__(self, application: ASGI3Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        body = LimitedBody(receive, most_for(scope["path"]))
        if _declared(scope) <= body.most:
            await self.application(scope, body.next, send)
        if body.too_long or _declared(scope) > body.most:
            await body.drain()
            await _refuse(scope, send)


class LimitedBody:
    """Counts the bytes of the request body."""

    def __init__(self, receive: ASGIReceiveCallable, most: int) -> None:
        self.receive, self.most = receive, most
        self.read, self.ended, self.too_long = 0, False, False

    async def next(self) -> ASGIReceiveEvent:
        event = await self._take()
        if event["type"] == "http.request" and self.read > self.most:
            self.too_long = True
            return HTTPDisconnectEvent(type="http.disconnect")
        return event

    async def drain(self) -> None:
        while not self.ended and self.read < self.most + DRAINED:
            await self._take()

    async def _take(self) -> ASGIReceiveEvent:
        event = await self.receive()
        if event["type"] == "http.request":
            self.read += len(event.get("body", b""))
            self.ended = not event.get("more_body", False)
        else:
            self.ended = True
        return event


def most_for(path: str) -> int:
    return MOST_OF_TABLES if path.startswith("/t/") and path.endswith(TABLES) else MOST


def _declared(scope: HTTPScope) -> int:
    """The Content-Length header. An invalid value is left to the server to reject."""
    word = _header(scope["headers"], b"content-length")
    return int(word) if word.isascii() and word.isdigit() else 0


def _header(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in headers if name == wanted), "")


async def _refuse(scope: HTTPScope, send: ASGISendCallable) -> None:
    """Send status 413. Scripts get only the message, as from `error_pages.refused`; browsers get a self-contained page."""
    words = TOO_LARGE if most_for(scope["path"]) == MOST else TABLE_TOO_LARGE
    if "application/json" in _header(scope["headers"], b"accept"):
        kind, text = b"application/json", json.dumps({"text": words})
    elif _header(scope["headers"], b"hx-request") == "true":
        kind, text = b"text/plain; charset=utf-8", words
    else:
        head = "<!doctype html><html lang=en><meta charset=utf-8><title>Too large · Gradus</title>"
        kind, text = b"text/html; charset=utf-8", f"{head}<main><h1>Too large</h1><p>{words}</p></main></html>"
    answer = text.encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(answer)).encode()),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send(HTTPResponseStartEvent(type="http.response.start", status=413, headers=headers, trailers=False))
    await send(HTTPResponseBodyEvent(type="http.response.body", body=answer, more_body=False))
