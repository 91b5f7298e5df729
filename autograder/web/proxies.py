"""Client addresses behind reverse proxies. `X-Forwarded-*` headers are trusted only from the proxies in
GRADUS_BEHIND_PROXY and removed from all other requests before Django sees them.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope
from django.conf import settings
from django.http import HttpRequest

from autograder.settings.hardening import Network

FORWARDED = b"x-forwarded-"
ALIKE = 64  # prefix length: an IPv6 client usually has a whole network of this size


class Forwarded:
    """ASGI middleware that sets `client` to the address that connected to the outermost trusted proxy."""

    def __init__(self, application: ASGI3Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        await self.application(_seen(scope) if scope["type"] == "http" else scope, receive, send)


def _seen(scope: HTTPScope) -> HTTPScope:
    peer = scope["client"][0] if scope["client"] else ""
    headers = [(name, value) for name, value in scope["headers"] if name != b"forwarded"]
    if not _is_proxy(_address(peer), settings.BEHIND_PROXY):
        return HTTPScope(**{**scope, "headers": [pair for pair in headers if not pair[0].startswith(FORWARDED)]})  # type: ignore[typeddict-item]
    chain = b",".join(value for name, value in headers if name == b"x-forwarded-for").decode("latin-1")
    client = asked_by(chain, peer, settings.BEHIND_PROXY)
    return HTTPScope(**{**scope, "headers": headers, "client": (client, 0)})  # type: ignore[typeddict-item]


def asked_by(chain: str, peer: str, proxies: Sequence[Network]) -> str:
    """Return the last address in the chain that is not a trusted proxy. Everything before it is controlled by the client."""
    asker = peer
    for word in reversed([part.strip() for part in chain.split(",") if part.strip()]):
        found = _address(word)
        if found is None:
            break
        asker = str(found)
        if not _is_proxy(found, proxies):
            break
    return asker


def address_of(request: HttpRequest) -> str:
    """Return the address by which requests are counted; for IPv6, its /64 network.

    Empty for loopback addresses: these are an operator's requests or, behind an undeclared proxy, everyone's, and a
    limit per address would then block all users at once.
    """
    found = _address(request.META.get("REMOTE_ADDR", ""))
    if found is None or found.is_loopback:
        return ""
    return str(found) if found.version == 4 else str(ip_network((found, ALIKE), strict=False))


def _address(word: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(word)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def _is_proxy(address: IPv4Address | IPv6Address | None, proxies: Sequence[Network]) -> bool:
    return address is not None and any(address in network for network in proxies)
