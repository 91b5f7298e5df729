"""Pages whose head is on its way to the reader while the rest of them is still computed."""

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

log = logging.getLogger("gradus.web")
BROKEN = (
    '<p class="note warn">An internal error occurred, so the rest of this page is missing. '
    "No work is lost. Reload the page in a minute.</p>"
)


class InParts(StreamingHttpResponse):
    """Of parts that are made one after the other, each in the request's thread. Left to itself, Django would wait for all of
    them before an asynchronous server gets the first."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        following = sync_to_async(partial(next, iter(self), None))
        while (part := await following()) is not None:
            yield part


def head_first(request: HttpRequest, template: str, context: Mapping[str, Any], later: Callable[[], SafeString]) -> InParts:
    """The template as it is up to `{{ later }}`, then what comes there, and the end. Who may see it is decided before."""
    here = format_html("<!-- {} -->", secrets.token_hex(16))
    head, _, end = render_to_string(template, {**context, "later": here}, request).partition(here)
    parts = _parts(head, later, end, timezone.get_current_timezone_name())
    return InParts(parts, headers={"X-Accel-Buffering": "no"})


def _parts(head: str, later: Callable[[], SafeString], end: str, zone: str) -> Iterator[bytes]:
    """In the time zone of the view, which is over by then."""
    yield head.encode()
    try:
        with timezone.override(zone):
            rest: str = later()
    except Exception:
        log.exception("the later part of a page broke")
        rest = BROKEN
    yield (rest + end).encode()
