"""Security headers of every response: no external resources, no inline scripts, no framing by other sites
except by an LMS that launched the session,
and no caching of pages for signed-in users.
"""

import secrets
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from autograder.web.middleware import frames

ADMIN = "/admin/"  # Django's admin gets the same policy without a nonce
# only features that browsers know: an unknown one logs a warning in the console of every page
UNUSED = (
    "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), encrypted-media=(), gamepad=(), "
    "geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()"
)
NOBODY = "'none'"
ALWAYS = {
    "Permissions-Policy": UNUSED,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}


class SecurityHeadersMiddleware:
    """Allows scripts and styles from own files only. The one exception is the editor's generated style sheet, which has a
    nonce.
    """

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        request.csp_nonce = secrets.token_urlsafe(16)  # type: ignore[attr-defined]
        if self._is_async:
            return self._later(request)
        response = self.get_response(request)
        assert isinstance(response, HttpResponseBase)
        return _with_headers(request, response)

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        response = await self.get_response(request)  # type: ignore[misc]
        assert isinstance(response, HttpResponseBase)
        return _with_headers(request, response)


def _with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    ancestors = frames.ancestors_of(request, response)
    if ancestors:
        response.headers.pop("X-Frame-Options", None)
    style = "'self'" if request.path.startswith(ADMIN) else f"'self' 'nonce-{request.csp_nonce}'"  # type: ignore[attr-defined]
    response.headers.setdefault(
        "Content-Security-Policy",
        f"default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self'; form-action {_form_action(response)}; base-uri 'none'; "
        f"frame-ancestors {' '.join(ancestors) or NOBODY}",
    )
    for name, value in ALWAYS.items():
        response.headers.setdefault(name, value)
    if settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies:
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def _form_action(response: HttpResponseBase) -> str:
    """Where the forms of a page may be sent: to this site, and for an answer to an LMS also there."""
    return " ".join(("'self'", *getattr(response, "form_targets", ())))
