"""What is told about known holes, and that silence of a service is never taken for none. Asked is a service of our own."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import EXERCISES
from tests.servers import free_port

ROOT = EXERCISES.parent
HOLE = {
    "id": "GHSA-0000-0000-0000",
    "summary": "A hole",
    "modified": "2026-01-01T00:00:00Z",
    "published": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "leaky"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


class Osv(BaseHTTPRequestHandler):
    """As OSV answers: of one package it knows a hole."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"vulns": [HOLE]} if asked["package"]["name"] == "leaky" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: Any) -> None:
        """Not into what the tests print."""


@contextmanager
def osv() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Osv)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
    finally:
        server.shutdown()
        server.server_close()


def audited(tmp_path: Path, packages: str, url: str) -> tuple[int, str]:
    lock = tmp_path / "requirements.lock"
    lock.write_text(packages)
    command = [sys.executable, "tools/audit.py", "--only", "python", "--requirements", str(lock)]
    done = subprocess.run(
        [*command, "--service", "osv", "--osv-url", url], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout


def test_a_known_vulnerability_is_reported_with_its_fix(tmp_path: Path) -> None:
    with osv() as url:
        status, told = audited(tmp_path, "leaky==1.0\nsound==2.0\n", url)
    assert status == 1
    assert "leaky 1.0: GHSA-0000-0000-0000, fixed in 1.1" in told
    assert "python: 1 known vulnerabilities in 2 packages." in told


def test_without_one_it_ends_with_0(tmp_path: Path) -> None:
    with osv() as url:
        assert audited(tmp_path, "sound==2.0\n", url) == (0, "python: no known vulnerabilities in 1 packages\n")


def test_an_unreachable_service_is_a_failure(tmp_path: Path) -> None:
    status, told = audited(tmp_path, "sound==2.0\n", f"http://127.0.0.1:{free_port()}/v1/query")
    assert status == 1
    assert told.startswith("python: NOT AUDITED: ")
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("known", [0, 1])
def test_a_package_that_the_service_does_not_know_is_not_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], known: int
) -> None:
    """What pip-audit prints then, while it ends with 0."""
    from tools import audit

    skipped = [{"name": "odd", "skip_reason": "Dependency not found on PyPI and could not be audited: odd (1.0)"}]
    told = {"dependencies": [*skipped, *({"name": "sound", "version": "2.0", "vulns": []} for _ in range(known))]}
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, json.dumps(told), ""))
    assert audit.python([tmp_path], "pypi", None) == 1
    line = capsys.readouterr().out
    assert f"does not know 1 of {1 + known} packages: {'odd' if known else 'all of them'}." in line
