"""Registers platforms, and approves their deployments. Only site administrators and operators may do this.

People are known by issuer and `sub`, so whoever holds the keys of an issuer can sign in as each of them. Registrations that
share an issuer, as schools in the cloud of one vendor do, must therefore share the host of its keys.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, Unpack
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import User
from autograder.courses.rights import Operator
from autograder.lti.launch.oidc import hash_of
from autograder.lti.models import Deployment, Product, Registration, RegistrationLink
from autograder.lti.services import outbound, tokens

Administrator = User | Operator
REQUESTED = ("auth_url", "token_url", "key_set_url")
FIELDS = ("name", "product", "issuer", "client_id", *REQUESTED, "audience")
WORDS = {
    "name": "The name",
    "issuer": "The issuer",
    "client_id": "The client ID",
    "auth_url": "The authentication request URL",
    "token_url": "The access token URL",
    "key_set_url": "The key set URL",
    "audience": "The token audience",
    "deployment_id": "The deployment ID",
}
# Canvas in the cloud moved its keys in 2023. Both addresses are still in use.
MOVED = {f"canvas{stage}.instructure.com": f"sso{stage}.canvaslms.com" for stage in ("", ".beta", ".test")}


class RegistrationValues(TypedDict):
    """What is known about a platform."""

    name: str
    issuer: str
    client_id: str
    auth_url: str
    token_url: str
    key_set_url: str
    product: NotRequired[str]
    audience: NotRequired[str]


def registration_create(*, by: Administrator, deployment_id: str = "", **values: Unpack[RegistrationValues]) -> Registration:
    """Register a platform, with one deployment if its ID is known. Later deployments wait for approval."""
    require_administrator(by)
    wanted = _validated(values)
    try:
        with transaction.atomic():
            _require_own_client(wanted)
            _require_shared_keys(wanted)
            made = Registration.objects.create(**wanted, made_by=_actor(by))
            audit.record("lms-registered", made, actor=_actor(by), **wanted)
            if deployment_id.strip():
                deployment_add(registration=made, deployment_id=deployment_id, by=by)
    except IntegrityError:  # a request at the same time was faster
        raise _taken(wanted) from None
    return made


def registration_check(*, by: Administrator, **values: str) -> None:
    """Refuse the values of a registration whose client ID is not known yet."""
    require_administrator(by)
    _require_shared_keys(_validated({**values, "client_id": "unknown"}))


def registration_update(
    *, registration: Registration, by: Administrator, **values: Unpack[RegistrationValues]
) -> Registration:
    """Change what is known about a platform. Its issuer stays once people came from it, because they are known by it."""
    require_administrator(by)
    wanted = _validated({"product": registration.product, "audience": registration.audience, **values})
    try:
        with transaction.atomic():
            found = Registration.objects.select_for_update().get(pk=registration.pk)
            if wanted["issuer"] != found.issuer and found.people.exists():
                raise AtField(
                    "issuer",
                    "People have come from this issuer, and their accounts are linked to it. "
                    "Register the LMS again if it has a new issuer.",
                )
            _require_own_client(wanted, own=found.pk)
            _require_shared_keys(wanted, own=found.pk)
            changes = audit.set_fields(found, wanted)
            if "key_set_url" in changes or "issuer" in changes:
                found.key_set, found.key_set_at = {}, None
            if changes:
                found.save(update_fields=(*changes, "key_set", "key_set_at"))
                audit.record("lms-registration-changed", found, actor=_actor(by), changes=changes)
    except IntegrityError:
        raise _taken(wanted) from None
    return found


def registration_activate(*, registration: Registration, by: Administrator) -> None:
    _set_active(registration, by, active=True)


def registration_deactivate(*, registration: Registration, by: Administrator) -> None:
    """Refuse all launches from a platform, and send nothing to it. Its courses, people and scores are kept."""
    _set_active(registration, by, active=False)
    tokens.token_forget(registration)


def _set_active(registration: Registration, by: Administrator, *, active: bool) -> None:
    require_administrator(by)
    with transaction.atomic():
        if Registration.objects.filter(pk=registration.pk, active=not active).update(active=active):
            action = "lms-registration-activated" if active else "lms-registration-deactivated"
            audit.record(action, registration, actor=_actor(by))
    registration.active = active


# -- deployments -------------------------------------------------------------------------------------------------------------


def deployment_add(*, registration: Registration, deployment_id: str, by: Administrator) -> Deployment:
    """Add a deployment that is approved, or approve one that came by itself."""
    require_administrator(by)
    deployment_id = _text("deployment_id", deployment_id, 255)
    with transaction.atomic():
        found, new = Deployment.objects.get_or_create(
            registration=registration,
            deployment_id=deployment_id,
            defaults={"state": Deployment.State.APPROVED},
        )
        if new:
            audit.record("lms-deployment-added", found, actor=_actor(by))
        else:
            _set_state(found, Deployment.State.APPROVED, by)
    return found


def deployment_approve(*, deployment: Deployment, by: Administrator) -> None:
    """Let people launch from a deployment."""
    _set_state(deployment, Deployment.State.APPROVED, by)


def deployment_refuse(*, deployment: Deployment, by: Administrator) -> None:
    """Refuse all launches from a deployment. It can be approved later."""
    _set_state(deployment, Deployment.State.REFUSED, by)


def _set_state(deployment: Deployment, state: Deployment.State, by: Administrator) -> None:
    require_administrator(by)
    with transaction.atomic():
        changed = Deployment.objects.filter(pk=deployment.pk).exclude(state=state).update(state=state)
        if changed:
            action = "lms-deployment-approved" if state == Deployment.State.APPROVED else "lms-deployment-refused"
            audit.record(action, deployment, actor=_actor(by))
    deployment.state = state


# -- links for dynamic registration --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CreatedLink:
    """A registration link and its secret token, which cannot be recovered later."""

    link: RegistrationLink
    token: str


def registration_link_create(*, by: Administrator) -> CreatedLink:
    """Create a link with which an LMS can register Gradus once, within a day."""
    require_administrator(by)
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        link = RegistrationLink.objects.create(
            token_hash=hash_of(token), made_by=_actor(by), expires_at=timezone.now() + RegistrationLink.LIFETIME
        )
        audit.record("lms-registration-link-made", link, actor=_actor(by))
    return CreatedLink(link, token)


# -- rights and validation -----------------------------------------------------------------------------------------------------


def require_administrator(by: Administrator) -> None:
    if not isinstance(by, Operator) and not (by.is_active and by.is_superuser):
        raise Refused("Only administrators of this site may register an LMS.")


def _actor(by: Administrator) -> User | None:
    return None if isinstance(by, Operator) else by


def _validated(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values, without surrounding spaces, or refuse them."""
    values = {"product": Product.OTHER, "audience": "", **given}
    limits = {field.name: field.max_length or 0 for field in Registration._meta.concrete_fields if field.name in FIELDS}
    wanted = {name: _text(name, values[name], limits[name]) for name in FIELDS if name not in ("product", "audience")}
    wanted["audience"] = _text("audience", values["audience"], limits["audience"]) if values["audience"].strip() else ""
    if values["product"] not in Product.values:
        raise AtField("product", "Choose one of the listed LMSs.")
    _require_issuer(wanted["issuer"])
    for name in REQUESTED:
        if why := outbound.why_not_address(wanted[name]):
            raise AtField(name, f"{WORDS[name]} cannot be used. {why}")
    return wanted | {"product": values["product"]}


def _text(name: str, value: str, limit: int) -> str:
    value = value.strip()
    if not value:
        raise AtField(name, f"{WORDS[name]} is missing.")
    if len(value) > limit or not value.isprintable():
        raise AtField(name, f"{WORDS[name]} must be one line of at most {limit} characters.")
    return value


def _require_issuer(issuer: str) -> None:
    """An issuer is a name that looks like an address. It is never requested, so it does not have to be reachable."""
    try:
        parts = urlsplit(issuer)
        host = parts.hostname or ""
    except ValueError:
        raise AtField("issuer", "This is not a valid address.") from None
    if parts.scheme != "https" and not (parts.scheme == "http" and host in settings.LTI_PRIVATE_HOSTS):
        raise AtField("issuer", "The issuer must begin with https://.")
    if not host or parts.query or parts.fragment:
        raise AtField("issuer", "Copy the issuer exactly as the LMS shows it, such as https://lms.example.edu.")


def _require_own_client(wanted: dict[str, Any], own: int = 0) -> None:
    same = Registration.objects.filter(issuer=wanted["issuer"], client_id=wanted["client_id"])
    if same.exclude(pk=own).exists():
        raise _taken(wanted)


def _taken(wanted: dict[str, Any]) -> AtField:
    return AtField("client_id", f"{wanted['issuer']} is already registered with this client ID.")


def _require_shared_keys(wanted: dict[str, Any], own: int = 0) -> None:
    """Refuse a second registration of an issuer whose keys are elsewhere: it could sign in as the people of the first one."""
    others = Registration.objects.filter(issuer=wanted["issuer"]).exclude(pk=own).order_by("pk")
    for other in others:
        if _host_of_keys(other.key_set_url) != _host_of_keys(wanted["key_set_url"]):
            raise AtField(
                "key_set_url",
                f"{other} has the same issuer, and its keys are at {urlsplit(other.key_set_url).hostname}. "
                "All registrations of an issuer must use keys from the same host.",
            )


def _host_of_keys(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return MOVED.get(host, host)
