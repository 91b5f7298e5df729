"""Verifies ID tokens of platforms, with their key sets, which are kept in the database and fetched again for an unknown key."""

import logging
from datetime import timedelta
from typing import Any

import jwt
from django.utils import timezone

from autograder.lti.errors import AGAIN, LaunchRefused, PlatformTrouble
from autograder.lti.keys import ALGORITHM
from autograder.lti.models import Registration
from autograder.lti.services import outbound
from autograder.lti.services.outbound import Answer

log = logging.getLogger("gradus.lti")
MAX_BYTES = 64 << 10
LEEWAY = timedelta(minutes=2)  # by which the clocks may differ
KEY_SET_AGE = timedelta(days=1)  # after which a key set is fetched again, so that a withdrawn key ends
FETCH_EVERY = timedelta(seconds=30)  # at most, however many launches name unknown keys
KEY_SET_BYTES = 256 << 10


def verified(registration: Registration, token: str) -> dict[str, Any]:
    """Return the claims of a token for this registration. Raises `LaunchRefused` if anything about it is wrong."""
    if len(token) > MAX_BYTES:
        raise LaunchRefused(f"Your LMS sent a launch that is too large. {AGAIN}", f"token of {len(token)} characters")
    key = _key_for(registration, _kid(token))
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            audience=registration.client_id,
            issuer=registration.issuer,
            leeway=LEEWAY,
            options={"require": ["iss", "aud", "exp", "iat", "nonce"]},
        )
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError) as error:
        raise LaunchRefused(
            f"This launch has expired, or the clocks of your LMS and of Gradus differ. {AGAIN}", f"time: {error}"
        ) from None
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", f"{type(error).__name__}: {error}") from None
    _check_authorized_party(claims, registration)
    return claims


def keys_fetch(registration: Registration) -> int:
    """Fetch the key set of a platform and return its number of usable keys. Raises `PlatformTrouble`."""
    return keys_store(registration, key_set_request(registration))


def key_set_request(registration: Registration) -> Answer:
    return outbound.fetch("GET", registration.key_set_url, max_bytes=KEY_SET_BYTES)


def keys_store(registration: Registration, answer: Answer) -> int:
    """Store the key set in an answer and return its number of usable keys. Raises `PlatformTrouble`."""
    if answer.status != 200:
        raise PlatformTrouble(f"The key set of the LMS answered with status {answer.status}.", status=answer.status)
    found = answer.json()
    keys = found.get("keys") if isinstance(found, dict) else None
    usable = {key["kid"]: key for key in keys if _is_usable(key)} if isinstance(keys, list) else {}
    if not usable:
        raise PlatformTrouble("The key set of the LMS contains no RSA key with an ID.")
    registration.key_set, registration.key_set_at = usable, timezone.now()
    registration.save(update_fields=("key_set", "key_set_at"))
    return len(usable)


def _is_usable(key: Any) -> bool:
    return isinstance(key, dict) and key.get("kty") == "RSA" and isinstance(key.get("kid"), str) and bool(key["kid"])


def _kid(token: str) -> str:
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError as error:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", f"header: {error}") from None
    if header.get("alg") != ALGORITHM:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", f"signed with {header.get('alg')!r:.40}")
    kid = header.get("kid")
    if not isinstance(kid, str) or not kid:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", "the header names no key")
    return kid


def _key_for(registration: Registration, kid: str) -> jwt.PyJWK:
    now, fetched = timezone.now(), registration.key_set_at
    known = registration.key_set.get(kid)
    stale = fetched is None or fetched < now - KEY_SET_AGE
    if stale or (known is None and fetched is not None and fetched < now - FETCH_EVERY):
        try:
            keys_fetch(registration)
            known = registration.key_set.get(kid)
        except PlatformTrouble as trouble:
            log.warning("the key set of %s cannot be fetched: %s", registration, trouble.message)
            if known is None:
                raise LaunchRefused(
                    "Gradus could not verify this launch, because your LMS did not provide its keys. "
                    "Try again in a minute; if that does not help, tell your instructor.",
                    f"key set: {trouble.message}",
                ) from None
    if known is None:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", "signed with a key that the key set does not have")
    try:
        return jwt.PyJWK(known, ALGORITHM)
    except (jwt.PyJWTError, ValueError) as error:
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", f"unusable key: {error}") from None


def _check_authorized_party(claims: dict[str, Any], registration: Registration) -> None:
    """With several audiences, the token must name this tool as the authorized party."""
    party, audience = claims.get("azp"), claims["aud"]
    several = isinstance(audience, list) and len(audience) > 1
    if (party is None and several) or (party is not None and party != registration.client_id):
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", "azp is not this tool's client ID")
