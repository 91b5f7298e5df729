"""Live results: the part of the page that is fetched again, and the event stream that triggers it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.contrib.auth import aget_user
from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.submissions.messages import event_stream
from autograder.web import rate_limits
from autograder.web.access import SignedIn, submission_for
from autograder.web.error_pages import too_many_requests
from autograder.web.results.shown_file import text_of
from autograder.web.results.status import is_held, status_of
from autograder.web.student.exercise.page import live_context
from autograder.web.timestamps import zone_of

STREAM_SECONDS = 120.0
AT_ONCE = 20  # concurrent permission checks of new streams: a whole class may connect at once
_entering = asyncio.Semaphore(AT_ONCE)
OPEN_AT_ONCE = 12  # streams per user and process, that is, open tabs
MANY_OPEN = (
    "Too many of your pages are waiting for results. Close some of them; this page will keep checking for its result."
)
_open: Counter[int] = Counter()
BEAT = 15.0  # seconds between keep-alive comments, so that proxies do not close an idle stream


@login_required
@require_safe
def outcome(request: SignedIn, number: int) -> HttpResponse:
    """The result part of the exercise page. Once there is an outcome, its owner also gets the history, and at last the
    remaining attempts.
    """
    viewed = submission_for(request.user, number)
    with timezone.override(zone_of(request, request.user, viewed.viewer.course)):
        status = status_of(viewed)
        context: dict[str, object] = {"status": status}
        if status.outcome is not None and viewed.submission.membership_id == viewed.viewer.pk:
            context |= live_context(viewed.viewer, viewed.submission.assignment)
            context |= {"history": True, "last": not status.live}
        return render(request, "web/results/outcome.html", context)


@login_required
@require_safe
def player(request: SignedIn, number: int, check: str) -> HttpResponse:
    """The backward pass of one check. It is loaded on demand, because most are never opened."""
    viewed = submission_for(request.user, number)
    outcome = status_of(viewed).outcome
    checks = (*outcome.public, *outcome.hidden) if outcome else ()
    trace = next((shown.trace for shown in checks if shown.check.id == check and shown.trace), None)
    if trace is None:
        raise Http404("no backward pass of this check, or it is not shown yet")
    return render(request, "web/student/exercise/player.html", {"trace": trace, "submission": viewed.submission})


@require_safe
async def stream(request: HttpRequest, number: int) -> HttpResponseBase:
    """Server-sent events with the name of each event and no content; the page then fetches the changed part.

    `?seen=graded` is the state that the page already shows. A newer state is sent immediately.
    """
    async with _entering:
        user = await aget_user(request)
        if not isinstance(user, User):
            return HttpResponse("Sign in to follow this result.", status=401)
        try:
            held = await _may_follow(request, user, number)
            if _open[user.pk] >= OPEN_AT_ONCE:  # asked where no other stream can be opened before this one is counted
                raise TooOften(MANY_OPEN, BEAT)
        except TooOften as trouble:
            response = HttpResponse(trouble.message, content_type="text/plain; charset=utf-8")
            return too_many_requests(response, trouble)
    return StreamingHttpResponse(
        OpenStream(user.pk, _event_lines(number, request.GET.get("seen", ""), held)),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@sync_to_async
def _may_follow(request: HttpRequest, user: User, number: int) -> bool:
    """Check permission and rate limit, and return whether the results of hidden checks are held back.

    Closes the database connection, which would otherwise stay open as long as the stream.
    """
    try:
        viewed = submission_for(user, number)
        rate_limits.count(request, "stream", user)
        return is_held(viewed)
    finally:
        if not connection.in_atomic_block:
            connection.close()


class OpenStream:
    """The lines of a stream, which counts as one of its user's until it is closed or forgotten."""

    def __init__(self, user_id: int, lines: AsyncIterator[bytes]) -> None:
        self._user_id, self._lines, self._among = user_id, lines, _open
        self._among[user_id] += 1
        self._is_open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for line in self._lines:
                yield line
        finally:
            self.close()

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._among[self._user_id] -= 1
            if not self._among[self._user_id]:
                del self._among[self._user_id]

    __del__ = close  # of a request that ended before its first line


async def _event_lines(number: int, seen: str, held: bool) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\nevent: hello\ndata: 1\n\n"
    try:
        async for name in event_stream.follow(number, STREAM_SECONDS, BEAT, seen, held=held):
            yield f"event: {name}\ndata: 1\n\n".encode() if name else b": still here\n\n"
    except asyncio.CancelledError:  # the client disconnected
        return


@login_required
@require_safe
def source(request: SignedIn, number: int) -> HttpResponse:
    """The source of a submission as plain text, for the editor."""
    viewed = submission_for(request.user, number)
    return HttpResponse(text_of(viewed.submission), content_type="text/plain; charset=utf-8")
