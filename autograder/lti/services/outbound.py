"""Requests to addresses that a platform or an administrator chose: public HTTPS only, without redirects, limited in time and size.

The address is resolved once, checked, and then used for the connection itself, so that a name cannot point elsewhere between
check and use. GRADUS_LTI_PRIVATE_HOSTS names hosts that may have a private address or no TLS, such as an LMS in the same
network.
"""

import http.client
import ipaddress
import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event, Timer
from typing import Any
from urllib.parse import urlsplit

import certifi
import urllib3
from django.conf import settings
from django.utils.http import parse_http_date_safe
from urllib3.connection import HTTPConnection, HTTPSConnection

from autograder.lti.errors import PlatformTrouble

CONNECT_SECONDS, READ_SECONDS = 5.0, 10.0
MAX_SECONDS = 20.0  # for a whole answer, however slowly it arrives
MAX_BYTES = 2 << 20
TOOK_TOO_LONG = "took too long to answer"
MAX_RETRY_AFTER = 3600.0


@dataclass(frozen=True)
class Answer:
    """The answer of a platform. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise PlatformTrouble("The LMS sent an answer that is not JSON.", status=self.status) from None

    @property
    def date(self) -> datetime | None:
        """The time at which the platform says that it answered."""
        seconds = parse_http_date_safe(self.headers.get("date", ""))
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    @property
    def retry_after(self) -> float:
        """How many seconds the platform asks to wait; 0 if it does not say."""
        said = self.headers.get("retry-after", "").strip()
        if said.isascii() and said.isdigit():
            return min(float(said), MAX_RETRY_AFTER)
        at = parse_http_date_safe(said)
        return min(max(0.0, at - time.time()), MAX_RETRY_AFTER) if at is not None else 0.0


@dataclass(frozen=True)
class _Target:
    scheme: str
    host: str
    port: int
    address: str
    path: str


def fetch(
    method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None, max_bytes: int = MAX_BYTES
) -> Answer:
    """Send a request. Raises `PlatformTrouble` if there is no answer; every HTTP status is an answer."""
    target = _target(url)
    own = {"Host": _host_header(target), "User-Agent": "Gradus", **(headers or {})}
    connection = _connection(target)
    connected: list[socket.socket] = []
    with closing(connection), _ended_after(MAX_SECONDS, lambda: connected[0] if connected else connection.sock) as late:
        try:
            connection.connect()
            connected.append(connection.sock)  # a response without a length takes it away from the connection
            connection.request(method, target.path, body=body, headers=own, preload_content=False, decode_content=False)
            connection.timeout = READ_SECONDS
            response = connection.getresponse()
            content = _content(response, max_bytes, target.host)
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as error:
            raise PlatformTrouble(f"{target.host} {TOOK_TOO_LONG if late.is_set() else _words(error)}.") from error
    if late.is_set():  # a body without a length seems to have ended
        raise PlatformTrouble(f"{target.host} {TOOK_TOO_LONG}.", status=response.status)
    if 300 <= response.status < 400:
        raise PlatformTrouble(
            f"{target.host} answered with a redirect, which is not followed. Enter the final address.",
            status=response.status,
            again=False,
        )
    return Answer(response.status, {name.lower(): value for name, value in response.headers.items()}, content)


def why_not_address(url: str) -> str:
    """Return why this URL may not be requested, as a sentence; empty if it may. Resolves the name of the host."""
    try:
        _target(url)
    except PlatformTrouble as trouble:
        return trouble.message
    return ""


def _target(url: str) -> _Target:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise PlatformTrouble("This is not a valid address.", again=False) from None
    host = parts.hostname or ""
    private = host in settings.LTI_PRIVATE_HOSTS
    if parts.scheme not in (("https", "http") if private else ("https",)) or not host:
        raise PlatformTrouble("The address must begin with https://.", again=False)
    if parts.username is not None or parts.password is not None:
        raise PlatformTrouble("The address must not contain a user name or a password.", again=False)
    port = port or (443 if parts.scheme == "https" else 80)
    address = _address(host, port, private)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Target(parts.scheme, host, port, address, path)


def _address(host: str, port: int, private: bool) -> str:
    try:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise PlatformTrouble(f"The name {host} cannot be resolved.") from None
    if not private and not all(_is_public(address) for address in found):
        raise PlatformTrouble(
            f"{host} is a private address, which is not requested. "
            "If it is an LMS in your own network, name it in GRADUS_LTI_PRIVATE_HOSTS.",
            again=False,
        )
    return found[0]


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return found.is_global and not found.is_multicast and (mapped is None or mapped.is_global)


def _connection(target: _Target) -> HTTPConnection:
    if target.scheme == "http":
        return HTTPConnection(target.address, target.port, timeout=CONNECT_SECONDS)
    return HTTPSConnection(
        target.address,
        target.port,
        timeout=CONNECT_SECONDS,
        server_hostname=target.host,
        cert_reqs="CERT_REQUIRED",
        ca_certs=certifi.where(),
    )


@contextmanager
def _ended_after(seconds: float, socket_of: Callable[[], socket.socket | None]) -> Iterator[Event]:
    """Shut a socket down at a deadline, because a time-out begins again with every byte. The event tells whether it was."""
    late = Event()

    def end() -> None:
        late.set()
        found = socket_of()
        if found is not None:
            with suppress(OSError):  # closed meanwhile
                found.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _content(response: urllib3.BaseHTTPResponse, max_bytes: int, host: str) -> bytes:
    content = b""
    while chunk := response.read1(1 << 14, decode_content=False):
        content += chunk
        if len(content) > max_bytes:
            raise PlatformTrouble(f"{host} sent more than {max_bytes >> 10} KiB.", status=response.status)
    return content


def _host_header(target: _Target) -> str:
    name = f"[{target.host}]" if ":" in target.host else target.host
    default = 443 if target.scheme == "https" else 80
    return name if target.port == default else f"{name}:{target.port}"


def _words(error: Exception) -> str:
    if isinstance(error, urllib3.exceptions.NewConnectionError):  # a subclass of its time-outs
        return "cannot be reached"
    if isinstance(error, TimeoutError | urllib3.exceptions.TimeoutError):
        return "did not answer in time"
    if isinstance(error, ssl.SSLError | urllib3.exceptions.SSLError):
        return "has no valid certificate"
    return "closed the connection"
