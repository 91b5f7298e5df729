"""Ways in which an `id_token` can be wrong or unusual, by name."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .keys import Claims, SigningKey
from .vocabulary import LTI

Change = Callable[[Claims], None]


@dataclass(frozen=True)
class Tampering:
    change: Change | None = None
    key: SigningKey | None = None  # signs in place of the key of the platform
    algorithm: str = "RS256"
    headers: Mapping[str, str | None] = field(default_factory=dict)  # None removes a header


def _set(**claims: object) -> Tampering:
    return Tampering(lambda token: token.update(claims))


def _set_lti(name: str, value: object) -> Tampering:
    return Tampering(lambda token: token.update({LTI + name: value}))


def _without(claim: str) -> Tampering:
    return Tampering(lambda token: token.pop(claim))


def _moved(seconds: int) -> Tampering:
    """Issue the token at another time."""
    now = int(time.time())
    return _set(iat=now + seconds, exp=now + seconds + 300)


def _several_audiences(**claims: object) -> Tampering:
    return Tampering(lambda token: token.update({"aud": [token["aud"], "another-tool"], **claims}))


def _own_client_as_party(token: Claims) -> None:
    token.update(aud=[token["aud"], "another-tool"], azp=token["aud"])


TAMPERINGS: dict[str, Callable[[], Tampering]] = {
    "expired": lambda: _moved(-7200),
    "issued in the future": lambda: _moved(7200),
    "no exp": lambda: _without("exp"),
    "no iat": lambda: _without("iat"),
    "wrong issuer": lambda: _set(iss="https://another-platform.example"),
    "wrong audience": lambda: _set(aud="another-tool"),
    "several audiences without azp": lambda: _several_audiences(),
    "several audiences with the azp of another tool": lambda: _several_audiences(azp="another-tool"),
    "several audiences with azp": lambda: Tampering(_own_client_as_party),  # valid
    "one audience in a list": lambda: Tampering(lambda token: token.update(aud=[token["aud"]])),  # valid
    "wrong deployment": lambda: _set_lti("deployment_id", "another-deployment"),
    "no deployment": lambda: _without(LTI + "deployment_id"),
    "no nonce": lambda: _without("nonce"),
    "wrong nonce": lambda: _set(nonce="another-nonce"),
    "unsigned": lambda: Tampering(algorithm="none"),
    "unsigned without kid": lambda: Tampering(algorithm="none", headers={"kid": None}),
    "signed with another key": lambda: Tampering(key=SigningKey(), headers={"kid": "unknown"}),
    "signed with another key under the kid of the platform": lambda: Tampering(key=SigningKey()),
    "HS256 with the public key": lambda: Tampering(algorithm="HS256"),
    "no kid": lambda: Tampering(headers={"kid": None}),
    "unknown kid": lambda: Tampering(headers={"kid": "unknown"}),
    "wrong version": lambda: _set_lti("version", "1.1"),
    "no version": lambda: _without(LTI + "version"),
    "wrong message type": lambda: _set_lti("message_type", "LtiUnknownRequest"),
    "no message type": lambda: _without(LTI + "message_type"),
    "wrong target link": lambda: _set_lti("target_link_uri", "https://another-tool.example/launch"),
    "no target link": lambda: _without(LTI + "target_link_uri"),
    "no sub": lambda: _without("sub"),  # valid: the platform does not say who launches
    "oversized": lambda: _set_lti("roles", [f"https://roles.example/{number:08}" for number in range(35_000)]),  # over 1 MB
    "no context": lambda: _without(LTI + "context"),
    "no resource link": lambda: _without(LTI + "resource_link"),
    "resource link without id": lambda: _set_lti("resource_link", {"title": "Without id"}),
    "no roles": lambda: _without(LTI + "roles"),
    "empty roles": lambda: _set_lti("roles", []),
    "short roles": lambda: _set_lti("roles", ["Instructor"]),
    "unknown roles": lambda: _set_lti("roles", ["http://purl.imsglobal.org/vocab/lis/v2/membership#Unknown"]),
}
