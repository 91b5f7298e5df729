"""Access tokens for the services of a platform: requested with a signed assertion, kept in this process until they expire."""

import secrets
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import urlencode

from autograder.lti import keys
from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Registration
from autograder.lti.services import outbound
from autograder.lti.services.outbound import Answer

SCOPES = "https://purl.imsglobal.org/spec/"
LINE_ITEMS = f"{SCOPES}lti-ags/scope/lineitem"
LINE_ITEMS_READ = f"{SCOPES}lti-ags/scope/lineitem.readonly"
RESULTS = f"{SCOPES}lti-ags/scope/result.readonly"
SCORES = f"{SCOPES}lti-ags/scope/score"
MEMBERS = f"{SCOPES}lti-nrps/scope/contextmembership.readonly"
GROUPS = f"{SCOPES}lti-gs/scope/contextgroup.readonly"
ALL_SCOPES = {  # with what each allows, as in "The LMS does not allow Gradus to …"
    LINE_ITEMS: "create columns in its gradebook",
    LINE_ITEMS_READ: "read the columns of its gradebook",
    SCORES: "send scores",
    RESULTS: "read results",
    MEMBERS: "read the list of members",
    GROUPS: "read the groups of a course",
}

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ASSERTION_SECONDS = 300
SPARE_SECONDS = 60.0  # by which a token is replaced before it expires
DEFAULT_SECONDS, MAX_SECONDS = 300.0, 86400.0  # of a token without a usable `expires_in`, and of any other
MAX_TOKEN = 16 << 10

_Key = tuple[int, str, str, str, frozenset[str]]


@dataclass(frozen=True)
class Token:
    """An access token, the scopes that it has, and when to request another one, by the monotonic clock."""

    value: str
    scopes: frozenset[str]
    renew_at: float
    answer: Answer


_tokens: dict[_Key, Token] = {}
_locks: defaultdict[_Key, Lock] = defaultdict(Lock)  # one for each token, so that no platform waits for another one
_guard = Lock()


def token_for(registration: Registration, scopes: Iterable[str]) -> str:
    """Return an access token with all of these scopes. Raises `PlatformTrouble` if the platform does not issue one."""
    key = _key(registration, scopes)
    with _guard:
        lock = _locks[key]
    with lock:
        known = _tokens.get(key)
        if known is None or time.monotonic() >= known.renew_at:
            _tokens[key] = known = token_request(registration, key[-1])
    missing = [words for scope, words in ALL_SCOPES.items() if scope in key[-1] - known.scopes]
    if missing:
        with _guard:
            _tokens.pop(key, None)  # so that the next request finds out whether an administrator has allowed it
        raise PlatformTrouble(f"The LMS does not allow Gradus to {' or to '.join(missing)}.", again=False)
    return known.value


def token_forget(registration: Registration) -> None:
    """Forget the tokens of a registration, because the platform no longer accepts one."""
    with _guard:
        for key in [key for key in _tokens if key[0] == registration.pk]:
            _tokens.pop(key, None)


def token_request(registration: Registration, scopes: Iterable[str]) -> Token:
    """Request a new access token. It may have fewer scopes than requested."""
    wanted = frozenset(scopes)
    fields = {
        "grant_type": "client_credentials",
        "client_assertion_type": ASSERTION_TYPE,
        "client_assertion": _assertion(registration),
        "scope": " ".join(sorted(wanted)),
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    answer = outbound.fetch("POST", registration.token_url, headers=headers, body=urlencode(fields).encode())
    if answer.status not in (200, 201):
        raise _refusal(answer)
    found = answer.json()
    value = found.get("access_token") if isinstance(found, dict) else None
    if not isinstance(value, str) or not _is_printable(value):
        raise PlatformTrouble("The LMS answered a token request without a usable access token.", status=answer.status)
    renew_at = time.monotonic() + max(0.0, _lifetime(found.get("expires_in")) - SPARE_SECONDS)
    return Token(value, _granted(found.get("scope"), wanted), renew_at, answer)


def _key(registration: Registration, scopes: Iterable[str]) -> _Key:
    """A registration that is changed needs new tokens."""
    return registration.pk, registration.client_id, registration.token_url, registration.audience, frozenset(scopes)


def _assertion(registration: Registration) -> str:
    now = int(time.time())
    return keys.sign(
        {
            "iss": registration.client_id,
            "sub": registration.client_id,
            "aud": registration.audience or registration.token_url,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
            "jti": secrets.token_urlsafe(24),
        }
    )


def _granted(said: Any, wanted: frozenset[str]) -> frozenset[str]:
    """Return the scopes of a token. A platform that names none has granted what was requested."""
    named = frozenset(said.split()) if isinstance(said, str) else frozenset()
    return named if any(scope.startswith(SCOPES) for scope in named) else wanted


def _lifetime(said: Any) -> float:
    try:
        seconds = float(said)
    except (TypeError, ValueError):
        return DEFAULT_SECONDS
    return min(seconds, MAX_SECONDS) if seconds > 0 else DEFAULT_SECONDS  # NaN is not greater than 0


def _is_printable(value: str) -> bool:
    return 0 < len(value) <= MAX_TOKEN and all("!" <= letter <= "~" for letter in value)


# -- refusals --------------------------------------------------------------------------------------------------------------

CAUSES = {
    "invalid_client": "it does not know the client ID, or cannot verify the signature with the key set of Gradus",
    "invalid_scope": "the registration in the LMS allows none of the requested services",
    "unauthorized_client": "the registration in the LMS is not active or does not allow these services",
    "invalid_grant": "it does not accept the audience, or the clocks differ",
    "invalid_request": "it does not understand the request",
}
TEMPORARY = (408, 425, 429)


def _refusal(answer: Answer) -> PlatformTrouble:
    """Return why a platform issued no token. Only a platform that is busy or broken may answer otherwise soon."""
    error, description = _oauth_error(answer)
    busy = answer.status in TEMPORARY or answer.status >= 500 or b"rate limit" in answer.body[:2000].lower()
    if busy:
        words = f"The LMS issues no access token at the moment (status {answer.status})."
        return PlatformTrouble(words, status=answer.status, after=answer.retry_after)
    cause = f": {CAUSES[error]}" if error in CAUSES else ""
    details = " ".join(filter(None, (error, description))) or f"status {answer.status}"
    return PlatformTrouble(f"The LMS refused an access token{cause} ({details}).", status=answer.status, again=False)


def _oauth_error(answer: Answer) -> tuple[str, str]:
    try:
        found = answer.json()
    except PlatformTrouble:
        return "", ""
    said = [found.get(name) for name in ("error", "error_description")] if isinstance(found, dict) else []
    error, description = (" ".join(text.split())[:120] if isinstance(text, str) else "" for text in (said or ["", ""]))
    return error, description
