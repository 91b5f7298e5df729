"""ops/nginx.conf as it is, but for names, ports and the certificate: Debian's nginx before a real site in production."""

import json
import os
import re
import secrets
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.conftest import EXERCISES
from tests.servers import free_port, need, wait_for
from tests.settings.test_hardening import run

ROOT = EXERCISES.parent
HOST = "localhost"
PASSWORD = secrets.token_urlsafe(12)
PEOPLE = f"""
import json
from django.test import Client
from tests.cast import Cast
cast = Cast()
ada = cast.student("ada")
ada.set_password({PASSWORD!r})
ada.save()
print(json.dumps(cast.hands_in("ada").pk))
"""


@dataclass
class Front:
    """What a browser reaches: the proxy."""

    http: int
    https: int
    submission: int
    certificate: Path
    folder: Path
    command: list[str]

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[HTTPResponse, HTTPSConnection]:
        context = ssl.create_default_context(cafile=str(self.certificate))
        connection = HTTPSConnection(HOST, self.https, timeout=300, context=context)
        named = {name.replace("_", "-"): word for name, word in headers.items()}
        connection.request(method, path, body, {"Host": HOST} | named)
        return connection.getresponse(), connection

    def get(self, path: str, **headers: str) -> HTTPResponse:
        return self.ask(path, "GET", None, **headers)[0]

    def signs_in(self, password: str = PASSWORD, **headers: str) -> HTTPResponse:
        page = self.get("/sign-in/")
        cookie = str(page.headers["Set-Cookie"]).partition(";")[0]
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
        assert token
        form = urlencode({"username": "ada", "password": password, "csrfmiddlewaretoken": token[1]}).encode()
        kind = "application/x-www-form-urlencoded"
        return self.ask("/sign-in/", "POST", form, Cookie=cookie, Origin=f"https://{HOST}", Content_Type=kind, **headers)[0]


def configured(folder: Path, http: int, https: int, site: int) -> Path:
    """The example, with what an operator puts in, and what lets it run beside an nginx that is there."""
    text = (ROOT / "ops" / "nginx.conf").read_text()
    for old, new in (
        ("gradus.example.org", HOST),
        ("/etc/ssl/gradus/fullchain.pem", f"{folder}/certificate.pem"),
        ("/etc/ssl/gradus/privkey.pem", f"{folder}/key.pem"),
        ("listen 80", f"listen 127.0.0.1:{http}"),
        ("listen 443", f"listen 127.0.0.1:{https}"),
        ("127.0.0.1:8000", f"127.0.0.1:{site}"),
    ):
        assert old in text
        text = text.replace(old, new)
    own = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    path = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""  # the folder is of whoever runs the tests
    head = f"{user} daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\n"
    path.write_text(f"{head}http {{\naccess_log off;\n{own}{text}\n}}\n")
    return path


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("front")
    http, https, port = free_port(), free_port(), free_port()
    nginx = [need("nginx-light", "nginx", "/usr/sbin/nginx"), "-e", f"{folder}/errors"]
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"),
            *("-addext", f"subjectAltName=DNS:{HOST}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"),
        ],
        check=True,
        capture_output=True,
    )
    environment = {"GRADUS_PRODUCTION": "1", "GRADUS_HOSTS": HOST, "GRADUS_BEHIND_PROXY": "127.0.0.1"}
    for manage in (("migrate", "-v", "0"), ("shell", "--no-imports", "-v", "0", "-c", PEOPLE)):
        done = run(folder, "manage.py", *manage, **environment)
        assert done.returncode == 0, done.stderr
    config = configured(folder, http, https, port)
    serve = [sys.executable, "-m", "uvicorn", "autograder.asgi:application", "--port", str(port), "--no-proxy-headers"]
    command = [*nginx, "-c", str(config)]
    site = subprocess.Popen(
        [*serve, "--log-level", "warning"], cwd=ROOT, env=_environment(folder, environment), stdout=subprocess.DEVNULL
    )
    proxy = subprocess.Popen(command)
    try:
        found = Front(http, https, json.loads(done.stdout), folder / "certificate.pem", folder, command)
        wait_for(lambda: _answers(port) and _answers(https), "the site or its proxy does not answer")
        yield found
    finally:
        for process in (proxy, site):
            process.terminate()
            process.wait(20)


def _environment(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    rest = {name: value for name, value in os.environ.items() if not name.startswith(("GRADUS_", "DATABASE_", "DEBUG"))}
    return {**rest, "GRADUS_DATA": str(folder), **environment}


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_file_is_one_that_nginx_takes(front: Front) -> None:
    done = subprocess.run([*front.command, "-t"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_plain_http_goes_to_tls(front: Front) -> None:
    connection = HTTPConnection("127.0.0.1", front.http, timeout=300)
    connection.request("GET", "/help/", headers={"Host": HOST})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/help/")


def test_another_name_gets_nothing(front: Front) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{front.http}/", headers={"Host": "evil.example"})
    with pytest.raises((urllib.error.URLError, ConnectionError, OSError)):
        urllib.request.urlopen(request, timeout=300)


def test_headers_are_the_sites_once(front: Front) -> None:
    answer = front.get("/help/")
    assert answer.status == 200
    for name in ("Strict-Transport-Security", "Content-Security-Policy", "X-Content-Type-Options"):
        assert len(answer.headers.get_all(name) or []) == 1, name
    assert answer.headers["Server"] == "nginx"


def test_the_session_cookie_is_for_this_host_over_tls(front: Front) -> None:
    answer = front.signs_in()
    assert (answer.status, answer.headers["Location"]) == (302, "/")
    cookie = next(word for word in answer.headers.get_all("Set-Cookie") or [] if word.startswith("__Host-sessionid="))
    for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert word in cookie
    assert "Domain" not in cookie


def test_what_a_browser_says_of_its_address_is_not_believed(front: Front) -> None:
    """From so many addresses, each with few guesses, none would be slowed."""
    statuses = [front.signs_in("wrong", X_Forwarded_For=f"203.0.113.{n}").status for n in range(6)]
    assert statuses[-1] == 429


def test_events_come_while_the_stream_is_open(front: Front) -> None:
    program = (
        "from django.test import Client; from autograder.courses.models import User; c = Client(); "
        "c.force_login(User.objects.get(username='ada')); print(c.cookies['__Host-sessionid'].value)"
    )
    environment = {"GRADUS_PRODUCTION": "1", "GRADUS_HOSTS": HOST}
    done = run(front.folder, "manage.py", "shell", "--no-imports", "-v", "0", "-c", program, **environment)
    path = f"/s/{front.submission}/events/"
    answer, connection = front.ask(path, Cookie=f"__Host-sessionid={done.stdout.strip()}")
    try:
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")
        said = b"".join(answer.readline() for _ in range(4))
        assert b"event: hello" in said
        assert not answer.isclosed()
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/c/autodiff/value-engine/hand-in/", "/t/autodiff/people/"])
def test_too_much_is_refused_by_the_proxy(front: Front, path: str) -> None:
    answer, _ = front.ask(path, "POST", b"x" * (5 << 20), Content_Type="application/x-www-form-urlencoded")
    assert answer.status == 413
    assert answer.read().decode().startswith("The request is too large. Nothing was submitted or saved.")


def test_a_list_of_people_may_be_longer(front: Front) -> None:
    path = "/t/autodiff/roster/"
    answer, _ = front.ask(path, "POST", b"x" * (5 << 20), Content_Type="application/octet-stream")
    assert answer.status == 403  # the site looked at it, and misses a token


@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "/readyz"])
def test_what_is_for_within_is_not_there(front: Front, path: str) -> None:
    assert front.get(path).status == 404
