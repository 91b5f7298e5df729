"""Sessions inside a frame of an LMS: cookies that a browser keeps per embedding site, and who may embed the pages.

A browser sends the usual cookies of this site only to its own windows. A session that began in a frame has cookies of its own
there (CHIPS), and its pages may be embedded by the LMS from which it came.
"""

from collections.abc import Container
from http.cookies import Morsel
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

ANCESTORS = "lti_frame"  # session key: the origins that may embed the pages of this session
ANYBODY = "*"  # for pages without data and without actions, such as an error before anybody is known
COOKIES = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME)


class PartitionedMorsel(Morsel[str]):
    """A cookie that is sent in frames, separately for each embedding site. `http.cookies` knows the attribute since 3.14."""

    def OutputString(self, attrs: Container[str] | None = None) -> str:  # noqa: N802 - the name of the base class
        return f"{super().OutputString(attrs)}; Partitioned"


def is_framed(request: HttpRequest) -> bool:
    """Whether the browser loads this page into a frame."""
    return request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame")


def set_partitioned_cookie(response: HttpResponseBase, name: str, value: str, *, seconds: int, path: str) -> None:
    response.set_cookie(name, value, max_age=seconds, path=path, secure=True, httponly=True, samesite="None")
    _partition(response, name)


def allow(response: HttpResponseBase, *ancestors: str) -> None:
    """Let these origins embed a page, whoever sees it."""
    response.frame_ancestors = ancestors  # type: ignore[attr-defined]


def ancestors_of(request: HttpRequest, response: HttpResponseBase) -> tuple[str, ...]:
    """Return the origins that may embed a response; and give a session in a frame its own kind of cookies."""
    session = getattr(request, "session", None)
    embedders: tuple[str, ...] = getattr(response, "frame_ancestors", ())
    if session is None or not session.accessed:
        return embedders
    own = getattr(session, "_session_cache", {}).get(ANCESTORS)  # already loaded: this may run in an event loop
    if not own:
        return embedders
    for name in COOKIES:
        if name in response.cookies:
            _partition(response, name)
    return embedders or ("'self'", *own)


def origin_of(url: str) -> str:
    """Return the origin of an address for a policy, or an empty string."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = parts.hostname or ""
    if parts.scheme not in ("https", "http") or not host or not all(letter.isalnum() or letter in ".-" for letter in host):
        return ""
    return f"{parts.scheme}://{host}{port}"


def _partition(response: HttpResponseBase, name: str) -> None:
    plain = response.cookies[name]
    if isinstance(plain, PartitionedMorsel):
        return
    morsel = PartitionedMorsel()
    morsel.set(plain.key, plain.value, plain.coded_value)
    morsel.update(plain)
    morsel["samesite"], morsel["secure"] = "None", True
    response.cookies[name] = morsel
