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


def has_them(response: Any, *, nonce: bool = True) -> None:
    for name, value in SAME.items():
        assert response[name] == value, name
    policy = NONCE.sub("{nonce}", response["Content-Security-Policy"])
    assert policy == (POLICY if nonce else POLICY.replace("{nonce}", ""))
