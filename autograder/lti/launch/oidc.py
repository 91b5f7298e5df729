"""The OpenID Connect part of a launch: a platform begins it, the browser comes back with a token, and both must fit together.

The state of a launch is kept here and used once. It is bound to the browser by a cookie where the browser sends none from a
frame, the person has to confirm the launch in a window of its own.
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.db import transaction
from django.utils import timezone

from autograder.courses.models import User
from autograder.lti.errors import AGAIN, LaunchRefused
from autograder.lti.launch.id_tokens import verified
from autograder.lti.messages import CLAIM, VERSION, Kind, Message, as_json, message_of
from autograder.lti.models import Deployment, Launch, LoginState, Registration

log = logging.getLogger("gradus.lti")
MAX_HINT = 4000
NOT_SET_UP = (
    "Gradus does not know the LMS that you come from. Tell your instructor that an administrator has to register it."
)


@dataclass(frozen=True)
class Begun:
    """Where to send the browser, and the secret that it keeps."""

    url: str
    state: str
    browser: str


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def login_begin(params: Mapping[str, str], *, launch_url: str) -> Begun:
    """Begin a launch that a platform initiates, and return the address of its login with a new state."""
    registration = _registration_of(params)
    hint = params.get("login_hint", "")
    if not hint or len(hint) > MAX_HINT or len(params.get("lti_message_hint", "")) > MAX_HINT:
        raise LaunchRefused(f"Your LMS sent an incomplete launch. {AGAIN}", "login_hint is missing or too long")
    state, nonce, browser = (secrets.token_urlsafe(32) for _ in range(3))
    LoginState.objects.create(
        state_hash=hash_of(state), nonce=nonce, browser_hash=hash_of(browser), registration=registration
    )
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": registration.client_id,
        "redirect_uri": launch_url,
        "login_hint": hint,
        "state": state,
        "nonce": nonce,
    }
    if "lti_message_hint" in params:
        query["lti_message_hint"] = params["lti_message_hint"]
    joined = "&" if urlsplit(registration.auth_url).query else "?"
    return Begun(f"{registration.auth_url}{joined}{urlencode(query)}", state, browser)


def _registration_of(params: Mapping[str, str]) -> Registration:
    """Return the registration that a platform means. Without a client ID, the issuer must have only one."""
    issuer, client_id = params.get("iss", ""), params.get("client_id", "")
    found = Registration.objects.filter(issuer=issuer, active=True)
    if client_id:
        found = found.filter(client_id=client_id)
    registrations = list(found[:2])
    if len(registrations) != 1:
        many = "several registrations and no client ID" if registrations else "no active registration"
        raise LaunchRefused(NOT_SET_UP, f"{many} for the issuer {issuer[:200]!r}")
    return registrations[0]


@dataclass(frozen=True)
class Verified:
    """A message that a platform sent for this state. `bound`: by the cookie of the browser that began the launch."""

    message: Message
    deployment: Deployment
    bound: bool


def login_finish(*, state: str, token: str, browser: str | None, site_url: str) -> Verified:
    """Verify the answer of a platform. The state is used up, whether or not the token is good. `site_url` ends with a slash."""
    login = _used_up(state)
    claims = verified(login.registration, token)
    if not hmac.compare_digest(str(claims.get("nonce")), login.nonce):
        raise LaunchRefused(f"Gradus cannot trust this launch. {AGAIN}", "another nonce")
    if claims.get(f"{CLAIM}version") != VERSION:
        raise LaunchRefused(f"Your LMS uses a version of LTI that Gradus does not know. {AGAIN}", "not version 1.3.0")
    if claims.get(f"{CLAIM}message_type") not in list(Kind):
        raise LaunchRefused(f"Your LMS sent a kind of message that Gradus does not know. {AGAIN}", "unknown message type")
    if browser is not None and not hmac.compare_digest(hash_of(browser), login.browser_hash):
        raise LaunchRefused(f"This launch was begun in another browser. {AGAIN}", "another browser")
    message = message_of(claims)
    if message.kind != Kind.REVIEW and not message.target.startswith(site_url):
        raise LaunchRefused(f"This link leads to another site than Gradus. {AGAIN}", f"target {message.target[:200]!r}")
    if message.kind == Kind.RESOURCE and message.link is None:
        raise LaunchRefused(f"Your LMS sent an incomplete launch. {AGAIN}", "no resource link")
    if message.kind == Kind.DEEP_LINKING and message.deep_linking is None:
        raise LaunchRefused(f"Your LMS sent an incomplete launch. {AGAIN}", "no deep linking settings")
    return Verified(message, _deployment(login.registration, message), browser is not None)


def _used_up(state: str) -> LoginState:
    fresh = LoginState.objects.filter(state_hash=hash_of(state), made_at__gt=timezone.now() - LoginState.LIFETIME)
    if fresh.filter(used_at=None).update(used_at=timezone.now()) != 1:
        reason = "replayed state" if fresh.exists() else "unknown or expired state"
        raise LaunchRefused(f"This launch has expired or was already used. {AGAIN}", reason)
    login = fresh.select_related("registration").get()
    if not login.registration.active:
        raise LaunchRefused(NOT_SET_UP, "the registration is not active")
    return login


def _deployment(registration: Registration, message: Message) -> Deployment:
    """Return the deployment. One that is unknown is stored, and waits for an administrator."""
    if not message.deployment_id:
        raise LaunchRefused(f"Your LMS sent an incomplete launch. {AGAIN}", "no deployment ID")
    with transaction.atomic():
        found, new = Deployment.objects.get_or_create(registration=registration, deployment_id=message.deployment_id)
        found.seen_at = timezone.now()
        found.save(update_fields=("seen_at",))
    if new:
        log.warning("a new deployment of %s waits for approval: %s", registration, found.deployment_id)
    if found.state != Deployment.State.APPROVED:
        raise LaunchRefused(
            "Gradus is not yet approved for this part of your LMS. An administrator of Gradus has been asked to approve it.",
            f"deployment {found.state}",
        )
    return found


# -- launches that continue in another request -------------------------------------------------------------------------------


def launch_keep(deployment: Deployment, message: Message, user: User | None = None) -> str:
    """Store a verified launch until the person continues it, and return its code. `user` is known if they are signed in."""
    code = secrets.token_urlsafe(32)
    Launch.objects.create(code_hash=hash_of(code), deployment=deployment, message=as_json(message), user=user)
    return code


def message_in(launch: Launch) -> Message:
    return message_of(launch.message)


def launch_of(code: str, user: User | None = None) -> Launch:
    """Return a kept launch that was not continued yet: of this person, or of somebody who has not been signed in for it."""
    lifetime = Launch.LIFETIME_SIGNED_IN if user else Launch.LIFETIME
    found = Launch.objects.filter(code_hash=hash_of(code), user=user, used_at=None, made_at__gt=timezone.now() - lifetime)
    launch = found.select_related("deployment__registration", "user").first()
    if launch is None:
        raise LaunchRefused(f"This launch has expired or was already used. {AGAIN}", "unknown or used launch code")
    return launch


def launch_use(launch: Launch) -> None:
    """Use up a launch. Of two requests at the same time, one is refused."""
    if Launch.objects.filter(pk=launch.pk, used_at=None).update(used_at=timezone.now()) != 1:
        raise LaunchRefused(f"This launch has expired or was already used. {AGAIN}", "launch code used twice")


def sweep() -> int:
    """Delete launches that nobody can continue any more."""
    ended = timezone.now() - Launch.LIFETIME_SIGNED_IN
    return LoginState.objects.filter(made_at__lt=ended).delete()[0] + Launch.objects.filter(made_at__lt=ended).delete()[0]
