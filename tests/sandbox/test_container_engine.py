"""What an engine says about the containers it makes, where no engine is needed to hear it: a small one answers over HTTP."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sandbox.backends.container_engine import Engine
from sandbox.errors import EngineTrouble


class Forgetful(BaseHTTPRequestHandler):
    """Makes containers, but not with every limit; writes down what it is asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self._answer({"ApiVersion": "1.41", "MinAPIVersion": "1.12"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(self.path.partition("/containers/")[2].partition("?")[0])
        self._answer({"Id": "c1", "Warnings": ["Your kernel does not support swap limit capabilities."]}, 201)

    def do_DELETE(self) -> None:
        self.asked.append("removed")
        self._answer({}, 204)

    def _answer(self, what: object, status: int = 200) -> None:
        body = b"" if status == 204 else json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object, **__: object) -> None:
        """It is asked by us alone."""


@pytest.fixture
def forgetful() -> Iterator[str]:
    Forgetful.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Forgetful) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"tcp://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_an_engine_that_cannot_enforce_a_limit_starts_nothing(forgetful: str) -> None:
    with pytest.raises(EngineTrouble, match=r"does not keep a limit: Your kernel .*\. Enable the cgroup controllers"):
        Engine(forgetful).start({"Image": "gradus-sandbox"}, "one")
    assert Forgetful.asked == ["create", "removed"]
