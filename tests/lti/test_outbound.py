"""Requests to addresses that a platform chose."""

import http.server
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import certifi
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from autograder.lti.errors import PlatformTrouble
from autograder.lti.services import outbound
from autograder.lti.services.outbound import fetch

Serve = Callable[[Callable[[Any], None]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(answer)` starts a server whose handler calls `answer`, and returns its address."""
    started = []

    def serving(answer: Callable[[Any], None]) -> str:
        handler = type("Handler", (http.server.BaseHTTPRequestHandler,), {"do_GET": answer, "log_message": lambda *_: None})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        started.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"

    yield serving
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def private(settings: Settings) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})


def send(request: Any, status: int, body: bytes = b"", **headers: str) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.1.2.3/", "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "https://[fd00::1]/",
        "https://2130706433/", "https://[2002:7f00:1::]/",
    ],
)  # fmt: skip
def test_a_private_address_is_not_requested(url: str, settings: Settings) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset()
    with pytest.raises(PlatformTrouble, match="private address"):
        fetch("GET", url)


def test_a_name_that_has_a_public_and_a_private_address_is_not_requested(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset()
    found = [(socket.AF_INET, 0, 0, "", (address, 443)) for address in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(PlatformTrouble, match="private address"):
        fetch("GET", "https://two-faced.example/")


def test_a_name_is_resolved_once(monkeypatch: pytest.MonkeyPatch, settings: Settings, serve: Serve) -> None:
    """Otherwise it could point to a public address when it is checked, and to a private one afterwards."""
    url = serve(lambda request: send(request, 200, b"{}"))
    asked = []
    real = socket.getaddrinfo

    def counted(host: Any, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", counted)
    settings.LTI_PRIVATE_HOSTS = frozenset({"localhost"})
    assert fetch("GET", url.replace("127.0.0.1", "localhost")).status == 200
    assert asked.count("localhost") == 1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://lms.example/", "must begin with https"),
        ("ftp://lms.example/", "must begin with https"),
        ("file:///etc/passwd", "must begin with https"),
        ("https://ada:secret@lms.example/", "must not contain a user name"),
        ("https://lms.example:port/", "not a valid address"),
        ("", "must begin with https"),
    ],
)
def test_other_addresses_are_refused(url: str, words: str) -> None:
    with pytest.raises(PlatformTrouble, match=words):
        fetch("GET", url)


def test_a_redirect_is_not_followed(private: None, serve: Serve) -> None:
    reached = []
    secret = serve(lambda request: reached.append(request.path))
    url = serve(lambda request: send(request, 302, Location=secret))
    with pytest.raises(PlatformTrouble, match="redirect"):
        fetch("GET", url)
    assert reached == []


def test_a_huge_answer_is_cut_off(private: None, serve: Serve) -> None:
    def endless(request: Any) -> None:
        request.send_response(200)
        request.end_headers()
        try:
            for _ in range(1 << 12):
                request.wfile.write(b" " * (1 << 16))
        except OSError:
            sent.append("cut off")

    sent: list[str] = []
    with pytest.raises(PlatformTrouble, match="more than 64 KiB"):
        fetch("GET", serve(endless), max_bytes=64 << 10)


@pytest.mark.parametrize(
    "begun", [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.0 200 OK\r\nX: ", b""], ids=["body", "header", "status"]
)
def test_an_answer_that_arrives_byte_by_byte_ends(private: None, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    """Each byte would begin a time-out again."""
    monkeypatch.setattr(outbound, "MAX_SECONDS", 0.5)
    done = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(begun)
            while not done.wait(0.05):
                connection.sendall(b"1")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        dripping = threading.Thread(target=drip, args=(listening,))
        dripping.start()
        try:
            with pytest.raises(PlatformTrouble, match="took too long"):
                fetch("GET", f"http://127.0.0.1:{listening.getsockname()[1]}/")
        finally:
            done.set()
            dripping.join()


@pytest.mark.parametrize("name", ["localhost", "another.example"])
def test_a_certificate_must_be_signed_by_a_known_authority_for_that_name(
    name: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"localhost"})
    certificate, key = self_signed(name, tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://localhost:{server.server_port}/"
    try:
        with pytest.raises(PlatformTrouble, match="no valid certificate"):
            fetch("HEAD", url)
        monkeypatch.setattr(certifi, "where", lambda: str(certificate))
        if name == "localhost":
            assert fetch("HEAD", url).status == 200
        else:
            with pytest.raises(PlatformTrouble, match="no valid certificate"):
                fetch("HEAD", url)
    finally:
        server.shutdown()
        server.server_close()


def self_signed(name: str, folder: Path) -> tuple[Path, Path]:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, SHA256())
    )  # fmt: skip
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, private


def test_a_server_that_is_silent_is_given_up(private: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "READ_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(PlatformTrouble, match="did not answer in time"):
        fetch("GET", f"http://127.0.0.1:{silent.getsockname()[1]}/")


def test_a_port_without_server_is_said(private: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(PlatformTrouble, match="cannot be reached"):
        fetch("GET", f"http://127.0.0.1:{port}/")
