"""Assertions about the response headers of every page."""

import re
from typing import Any

from autograder.web.middleware.security_headers import UNUSED

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{nonce}; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAME = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": UNUSED,
}
NONCE = re.compile(r" 'nonce-[\w-]{22}'")


def is_not_kept(response: Any, name: str) -> None:
    """Responses to signed-in users are not cached. The exercise page may be, so that the browser can restore typed text."""
    kept = response["Cache-Control"]
    assert "no-store" in kept or (name == "exercise" and set(kept.split(", ")) == {"private", "no-cache"}), (name, kept)


def has_them(response: Any, *, nonce: bool = True, framed: bool = False) -> None:
    """`framed`: a page without data that any site may embed, such as an error in a frame of an LMS."""
    for name, value in SAME.items():
        if framed and name == "X-Frame-Options":
            assert name not in response
        else:
            assert response[name] == value, name
    policy = NONCE.sub("{nonce}", response["Content-Security-Policy"])
    if framed:
        assert policy.endswith("frame-ancestors *")
        policy = policy.replace("frame-ancestors *", "frame-ancestors 'none'")
    assert policy == (POLICY if nonce else POLICY.replace("{nonce}", ""))
