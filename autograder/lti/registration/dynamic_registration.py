"""Dynamic registration: an LMS opens a one-time link, and Gradus reads its configuration and registers itself there.

Whoever has the link chooses the addresses, so they are requested like all addresses of platforms (`outbound`), and the issuer
must be where the configuration is: nobody can register the issuer of another LMS.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from msgspec import Meta, Struct, field

from autograder.courses.errors import Refused
from autograder.courses.rights import OPERATOR
from autograder.lti.errors import PlatformTrouble, RegistrationRefused
from autograder.lti.launch.oidc import hash_of
from autograder.lti.models import Product, Registration, RegistrationLink
from autograder.lti.registration.known_platforms import product_of
from autograder.lti.registration.registrations import Administrator, registration_check, registration_create
from autograder.lti.registration.tool_configuration import CANVAS, TOOL_CONFIGURATION, ToolAddresses, tool_metadata
from autograder.lti.services import outbound
from autograder.lti.services.outbound import Answer

MAX_CONFIGURATION = 256 << 10  # bytes
MAX_URL, MAX_TOKEN = 2000, 8000
ASK = "Ask an administrator of Gradus for a new link."

Understood = TypeVar("Understood")
Url = Annotated[str, Meta(min_length=1, max_length=500)]


class PlatformConfiguration(Struct, frozen=True):
    """What a platform supports. The lists have other entries than text on some platforms."""

    product_family_code: str = ""
    messages_supported: list[Any] = []
    account_name: str = field(name=f"{CANVAS}account_name", default="")


class OpenIdConfiguration(Struct, frozen=True):
    """The configuration of a platform. `authorization_server` is the audience of token requests, if it is a URL."""

    issuer: Annotated[str, Meta(min_length=1, max_length=255)]
    authorization_endpoint: Url
    token_endpoint: Url
    jwks_uri: Url
    registration_endpoint: Url
    authorization_server: str | None = None
    scopes_supported: list[Any] = []
    platform: PlatformConfiguration = field(
        name="https://purl.imsglobal.org/spec/lti-platform-configuration", default=PlatformConfiguration()
    )


class ToolConfiguration(Struct, frozen=True):
    deployment_id: str | int | None = None


class ClientInformation(Struct, frozen=True):
    """The answer of a platform to a registration. Canvas names no deployment: its ID arrives with the first launch."""

    client_id: str | int
    tool: ToolConfiguration = field(name=TOOL_CONFIGURATION, default=ToolConfiguration())


def register_from_link(token: str, *, configuration_url: str, registration_token: str, tool: ToolAddresses) -> Registration:
    """Register Gradus in the LMS that opened a link, and the LMS here. Raises `RegistrationRefused`; nothing is stored then."""
    with _link_used(token) as link:
        by: Administrator = link.made_by or OPERATOR
        headers = _authorization(registration_token)
        configuration = _configuration(configuration_url, headers)
        values = _values(configuration, by)
        information = _client_information(configuration, headers, tool)
        deployment = information.tool.deployment_id
        try:
            with transaction.atomic():
                made = registration_create(
                    by=by,
                    client_id=str(information.client_id),
                    deployment_id="" if deployment is None else str(deployment),
                    **values,
                )
                RegistrationLink.objects.filter(pk=link.pk).update(registration=made)
        except Refused as refused:
            raise RegistrationRefused(
                f"Your LMS has registered Gradus, but Gradus cannot store it. {refused.message} Delete Gradus from your LMS.",
                f"not stored: {refused.message}",
            ) from refused
    return made


@contextmanager
def _link_used(token: str) -> Iterator[RegistrationLink]:
    """Use up a link. If the registration fails, the link can be used again."""
    if _valid_links(token).update(used_at=timezone.now()) != 1:
        raise RegistrationRefused(f"This registration link has expired or was already used. {ASK}", "unknown or used link")
    link = RegistrationLink.objects.get(token_hash=hash_of(token))
    try:
        yield link
    except BaseException:
        RegistrationLink.objects.filter(pk=link.pk, registration=None).update(used_at=None)
        raise


def _valid_links(token: str) -> QuerySet[RegistrationLink]:
    return RegistrationLink.objects.filter(token_hash=hash_of(token), used_at=None, expires_at__gt=timezone.now())


# -- the configuration of the platform ---------------------------------------------------------------------------------------------


def _configuration(url: str, headers: dict[str, str]) -> OpenIdConfiguration:
    if not url or len(url) > MAX_URL:
        raise RegistrationRefused(
            "Your LMS did not say where its configuration is. Open this link from the page of your LMS that registers tools.",
            "no or too long openid_configuration",
        )
    try:
        answer = outbound.fetch("GET", url, headers={"Accept": "application/json", **headers}, max_bytes=MAX_CONFIGURATION)
        found = _understood(answer, OpenIdConfiguration)
    except PlatformTrouble as trouble:
        raise RegistrationRefused(
            f"The configuration of your LMS cannot be read. {trouble.message}", f"configuration: {trouble.message}"
        ) from trouble
    if not is_configuration_of(found.issuer, url):
        raise RegistrationRefused(
            "The configuration of your LMS names an issuer on another host, so Gradus cannot trust it.",
            f"issuer {found.issuer[:200]!r} in a configuration at {urlsplit(url).hostname!r}",
        )
    return found


def is_configuration_of(issuer: str, url: str) -> bool:
    """Whether a configuration is at the host of its issuer, or below it, as that of https://blackboard.com is."""
    try:
        theirs, host = urlsplit(issuer).hostname or "", urlsplit(url).hostname or ""
    except ValueError:
        return False
    return bool(theirs) and (host == theirs or ("." in theirs and host.endswith(f".{theirs}")))


def _values(configuration: OpenIdConfiguration, by: Administrator) -> dict[str, str]:
    """Return the values of the registration, which are checked before the LMS registers anything."""
    product = product_of(configuration.platform.product_family_code)
    audience = configuration.authorization_server or ""
    values = {
        "name": _name(configuration, product),
        "product": str(product),
        "issuer": configuration.issuer,
        "auth_url": configuration.authorization_endpoint,
        "token_url": configuration.token_endpoint,
        "key_set_url": configuration.jwks_uri,
        "audience": audience if audience.startswith("https://") else "",  # Canvas names a host, and expects the token URL
    }
    try:
        registration_check(by=by, **values)
    except Refused as refused:
        raise RegistrationRefused(
            f"The configuration of your LMS cannot be used. {refused.message}", f"configuration: {refused.message}"
        ) from refused
    return values


def _name(configuration: OpenIdConfiguration, product: Product) -> str:
    host = urlsplit(configuration.issuer).hostname
    school = " ".join("".join(letter for letter in configuration.platform.account_name if letter.isprintable()).split())
    label = "LMS" if product == Product.OTHER else product.label
    return f"{label} of {school}"[:200] if school else f"{label} at {host}"[:200]


# -- the registration ----------------------------------------------------------------------------------------------------------


def _client_information(
    configuration: OpenIdConfiguration, headers: dict[str, str], tool: ToolAddresses
) -> ClientInformation:
    """Send the metadata of Gradus to the platform, and return what it answers."""
    supported = [_message_type(message) for message in configuration.platform.messages_supported]
    metadata = tool_metadata(
        tool,
        scopes=[scope for scope in configuration.scopes_supported if isinstance(scope, str)],
        messages=[message for message in supported if message],
        placements=[place for message in configuration.platform.messages_supported for place in _placements(message)],
    )
    body = json.dumps(metadata).encode()
    content = {"Content-Type": "application/json", "Accept": "application/json"}
    try:
        answer = outbound.fetch("POST", configuration.registration_endpoint, headers=content | headers, body=body)
        return _understood(answer, ClientInformation)
    except PlatformTrouble as trouble:
        raise RegistrationRefused(
            f"Your LMS did not register Gradus. {trouble.message}", f"registration: {trouble.message}"
        ) from trouble


def _message_type(message: Any) -> str:
    """Return the type of a supported message. Moodle lists types alone."""
    found = message.get("type") if isinstance(message, dict) else message
    return found if isinstance(found, str) else ""


def _placements(message: Any) -> list[Any]:
    found = message.get("placements") if isinstance(message, dict) else None
    return found if isinstance(found, list) else []


def _authorization(registration_token: str) -> dict[str, str]:
    if not registration_token:
        return {}
    if len(registration_token) > MAX_TOKEN or not all("!" <= letter <= "~" for letter in registration_token):
        raise RegistrationRefused("Your LMS sent a registration token that Gradus does not understand.", "unusable token")
    return {"Authorization": f"Bearer {registration_token}"}


def _understood(answer: Answer, kind: type[Understood]) -> Understood:
    """Return an answer as a typed value. Raises `PlatformTrouble` if it is an error or not what the specification says."""
    if answer.status not in (200, 201):
        raise PlatformTrouble(f"It answered with status {answer.status}{_reason(answer)}.", status=answer.status)
    try:
        return msgspec.convert(answer.json(), kind)
    except msgspec.ValidationError as error:
        raise PlatformTrouble(f"Its answer is not what Gradus expects: {error}.", status=answer.status) from None


def _reason(answer: Answer) -> str:
    """Return what a platform says about an error, in one line."""
    try:
        found = answer.json()
    except PlatformTrouble:
        return ""
    said = [found.get(name) for name in ("error", "error_description", "reason")] if isinstance(found, dict) else []
    words = " ".join(" ".join(text.split()) for text in said if isinstance(text, str))[:200]
    return f": {words}" if words else ""
