"""Requests to the services of a platform: with an access token, and along the pages of a list."""

import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Registration
from autograder.lti.services import outbound, tokens
from autograder.lti.services.outbound import Answer

_NEXT = re.compile(r"<([^<>]+)>[^<>]*?\brel=[^a-zA-Z;,]*next(?![a-zA-Z-])")  # Moodle has curly quotes in this header


def call(
    registration: Registration, scope: str, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
) -> Answer:
    """Send a request with an access token, which is requested anew if the platform no longer accepts it."""
    answer = _call(registration, scope, method, url, headers, body)
    if answer.status != 401:
        return answer
    tokens.token_forget(registration)
    return _call(registration, scope, method, url, headers, body)


def _call(
    registration: Registration, scope: str, method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> Answer:
    token = tokens.token_for(registration, [scope])
    return outbound.fetch(method, url, headers={**headers, "Authorization": f"Bearer {token}"}, body=body)


def next_page(answer: Answer, first: str) -> str:
    """Return the address of the next page of a list, empty for the last one. Pages at another host are not followed, because
    the access token is sent along."""
    found = _NEXT.search(answer.headers.get("link", ""))
    if found is None:
        return ""
    url = str(urljoin(first, found[1]))
    if not same_host(url, first):
        raise PlatformTrouble("The LMS continues a list at another host, which is not followed.", again=False)
    return url


def same_host(url: str, other: str) -> bool:
    return urlsplit(url)[:2] == urlsplit(other)[:2]
