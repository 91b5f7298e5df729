"""Client addresses behind proxies: headers are trusted only from declared proxies."""

import asyncio
from ipaddress import ip_network
from typing import Any

import pytest
from pytest_django import Settings

from autograder.web.proxies import Forwarded, asked_by

PROXIES = [ip_network("10.0.0.0/8"), ip_network("192.0.2.1"), ip_network("fd00::/8")]
CLIENT = "203.0.113.9"


@pytest.mark.parametrize(
    ("chain", "peer", "asker"),
    [
        (CLIENT, "10.0.0.1", CLIENT),
        (f"{CLIENT}, 192.0.2.1", "10.0.0.1", CLIENT),  # two trusted proxies
        (f"198.51.100.66, {CLIENT}", "10.0.0.1", CLIENT),  # entries written by the client are ignored
        (f"10.9.9.9, {CLIENT}", "10.0.0.1", CLIENT),
        ("2001:db8::7", "fd00::1", "2001:db8::7"),
        (f"::ffff:{CLIENT}", "10.0.0.1", CLIENT),
        ("", "10.0.0.1", "10.0.0.1"),
        ("unknown", "10.0.0.1", "10.0.0.1"),
        (f"{CLIENT}, '; drop table--", "10.0.0.1", "10.0.0.1"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.3"),  # a client inside the trusted network
    ],
)
def test_the_last_that_is_none_of_our_proxies_asked(chain: str, peer: str, asker: str) -> None:
    assert asked_by(chain, peer, PROXIES) == asker


def seen(peer: str | None, headers: dict[str, str]) -> dict[str, Any]:
    """Return the scope that the application gets."""
    found: dict[str, Any] = {}

    async def application(scope: Any, receive: Any, send: Any) -> None:
        found.update(scope, headers={name.decode(): value.decode() for name, value in scope["headers"]})

    scope: Any = {
        "type": "http",
        "client": (peer, 4711) if peer else None,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(Forwarded(application)(scope, None, None))  # type: ignore[arg-type]
    return found


SAID = {"x-forwarded-for": CLIENT, "x-forwarded-proto": "https", "x-forwarded-host": "evil.example", "host": "here"}


def test_a_proxy_of_ours_is_believed(settings: Settings) -> None:
    settings.BEHIND_PROXY = PROXIES
    found = seen("10.0.0.1", SAID)
    assert found["client"] == (CLIENT, 0)
    assert found["headers"]["x-forwarded-proto"] == "https"


@pytest.mark.parametrize("peer", [CLIENT, "127.0.0.1", "not an address", None])
def test_from_anybody_else_it_never_arrives(settings: Settings, peer: str | None) -> None:
    settings.BEHIND_PROXY = PROXIES
    found = seen(peer, SAID | {"forwarded": "for=1.2.3.4;proto=https"})
    assert found["headers"] == {"host": "here"}
    assert found["client"] == ((peer, 4711) if peer else None)


def test_without_a_proxy_nobody_is_believed() -> None:
    assert seen("127.0.0.1", SAID)["headers"] == {"host": "here"}
