"""Streaming responses that send the head of a page while the rest is still being computed."""

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


class StreamedPage(StreamingHttpResponse):
    """Streams the parts of an iterator, each computed in the request's thread. By default, Django consumes a synchronous
    iterator completely before an ASGI server can send its first part.
    """

    async def __aiter__(self) -> AsyncIterator[bytes]:
        following = sync_to_async(partial(next, iter(self), None))
        while (part := await following()) is not None:
            yield part


def head_first(
    request: HttpRequest, template: str, context: Mapping[str, Any], later: Callable[[], SafeString]
) -> StreamedPage:
    """Render the template up to `{{ later }}` and send it, then the late part and the end. Check permissions before the
    call.
    """
    here = format_html("<!-- {} -->", secrets.token_hex(16))
    head, _, end = render_to_string(template, {**context, "later": here}, request).partition(here)
    parts = _parts(head, later, end, timezone.get_current_timezone_name())
    return StreamedPage(parts, headers={"X-Accel-Buffering": "no"})


def _parts(head: str, later: Callable[[], SafeString], end: str, zone: str) -> Iterator[bytes]:
    """Yield the parts, in the time zone that was active in the view, which has returned by then."""
    yield head.encode()
    try:
        with timezone.override(zone):
            rest: str = later()
    except Exception:
        log.exception("the later part of a page broke")
        rest = BROKEN
    yield (rest + end).encode()
