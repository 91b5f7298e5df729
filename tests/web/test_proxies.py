"""Client addresses behind proxies: headers are trusted only from declared proxies. uvicorn reads them, Django gets the result."""

import asyncio
from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.test import RequestFactory
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from autograder import asgi
from autograder.settings.hardening import networks
from autograder.web.rate_limits import address_of

PROXIES = "10.0.0.0/8, 192.0.2.1, fd00::/8"
CLIENT = "203.0.113.9"
SPOOFED = {"x-forwarded-for": CLIENT, "x-forwarded-proto": "https", "x-forwarded-host": "evil.example", "host": "localhost"}


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADUS_BEHIND_PROXY", PROXIES)


def request_of(peer: str | None, headers: dict[str, str]) -> HttpRequest:
    """Return the request that Django gets from this peer."""
    requests: list[HttpRequest] = []

    async def site(scope: Any, receive: Any, send: Any) -> None:
        requests.append(ASGIRequest(scope, BytesIO()))

    scope: Any = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "scheme": "http",
        "client": (peer, 4711) if peer is not None else None,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    middleware = ProxyHeadersMiddleware(site, trusted_hosts=networks("GRADUS_BEHIND_PROXY"))
    asyncio.run(middleware(scope, None, None))  # type: ignore[arg-type]
    return requests[0]


def test_the_site_is_served_through_the_middleware() -> None:
    assert isinstance(asgi.application, ProxyHeadersMiddleware)


@pytest.mark.parametrize(
    ("chain", "peer", "counted"),
    [
        (CLIENT, "10.0.0.1", CLIENT),
        (CLIENT, "::ffff:10.0.0.1", CLIENT),  # a socket for IPv4 and IPv6
        (f"{CLIENT}:50123", "10.0.0.1", CLIENT),
        (f"{CLIENT}, 192.0.2.1", "10.0.0.1", CLIENT),  # two trusted proxies
        (f"{CLIENT}, ::ffff:192.0.2.1", "10.0.0.1", CLIENT),
        (f"198.51.100.66, {CLIENT}", "10.0.0.1", CLIENT),  # entries written by the client are ignored
        (f"10.9.9.9, {CLIENT}", "10.0.0.1", CLIENT),
        (f"junk, {CLIENT}", "10.0.0.1", CLIENT),
        ("2001:db8::7", "fd00::1", "2001:db8::/64"),
        (f"::ffff:{CLIENT}", "10.0.0.1", CLIENT),
        ("", "10.0.0.1", "10.0.0.1"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.3"),  # a client inside the trusted network
        ("unknown", "10.0.0.1", "unknown"),  # no way around the limits: all of these are counted together
        (f"{CLIENT}, '; drop table--", "10.0.0.1", "unknown"),
    ],
)
def test_the_last_address_before_the_trusted_proxies_is_counted(behind: None, chain: str, peer: str, counted: str) -> None:
    assert address_of(request_of(peer, {"x-forwarded-for": chain})) == counted


def test_a_trusted_proxy_says_who_asks_and_whether_over_tls(behind: None) -> None:
    request = request_of("10.0.0.1", SPOOFED)
    assert request.META["REMOTE_ADDR"] == CLIENT
    assert request.is_secure()
    assert request.get_host() == "localhost"


@pytest.mark.parametrize("peer", [CLIENT, "127.0.0.1", "11.0.0.1", "not an address", "", None])
def test_headers_of_untrusted_peers_are_ignored(behind: None, peer: str | None) -> None:
    request = request_of(peer, SPOOFED | {"forwarded": "for=1.2.3.4;proto=https"})
    assert request.META.get("REMOTE_ADDR") == peer
    assert not request.is_secure()
    assert request.get_host() == "localhost"


def test_without_a_declared_proxy_no_header_is_trusted() -> None:
    request = request_of("127.0.0.1", SPOOFED)
    assert request.META["REMOTE_ADDR"] == "127.0.0.1"
    assert not request.is_secure()


@pytest.mark.parametrize(
    ("peer", "counted"), [("127.0.0.1", ""), ("::1", ""), ("::ffff:127.0.0.1", ""), ("", ""), ("192.0.2.7", "192.0.2.7")]
)
def test_loopback_addresses_are_not_counted(peer: str, counted: str) -> None:
    assert address_of(RequestFactory().get("/", REMOTE_ADDR=peer)) == counted
