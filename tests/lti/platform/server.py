"""HTTP on loopback: requests, responses, a log of both, and faults on demand."""

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

HTML = "text/html; charset=utf-8"


@dataclass
class Request:
    method: str
    target: str  # path and query, as in the request line
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""
    time: datetime = field(default_factory=lambda: datetime.now(UTC))
    status: int | None = None  # of the response; None if the connection was closed without one

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def form(self) -> dict[str, str]:
        if self.media_type != "application/x-www-form-urlencoded":
            return {}
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Refused(service_error(400, f"The body is not JSON: {error}")) from error

    @property
    def cookies(self) -> dict[str, str]:
        return {name: morsel.value for name, morsel in SimpleCookie(self.headers.get("cookie", "")).items()}


@dataclass(frozen=True)
class Form:
    """A form that a page submits by itself."""

    action: str
    fields: Mapping[str, str]
    method: str = "POST"


@dataclass
class Response:
    status: int = 200
    body: str | bytes = ""
    content_type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)
    form: Form | None = None  # the form in the body, for tests without a browser


class Refused(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__(response.body)
        self.response = response


def json_response(content: object, status: int = 200, content_type: str = "application/json") -> Response:
    return Response(status, json.dumps(content), content_type)


def service_error(status: int, reason: str) -> Response:
    return json_response({"status": status, "reason": reason}, status)


@dataclass
class Fault:
    path: str  # regular expression for the whole path
    times: int
    response: Response | None  # None closes the connection
    hangs: bool = False
    after: bool = False  # the request takes effect first, and only its response is replaced
    seconds: float = 0  # the right response waits that long, if it is not 0


class Server:
    """Serves `answer` in threads. Requests that hang are released when the server closes."""

    def __init__(self, answer: Callable[[Request], Response], host: str) -> None:
        self._answer = answer
        self.delay = 0.0  # seconds before each response
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._http.daemon_threads = True
        self.url = f"http://{host}:{self._http.server_port}"

    def start(self) -> None:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    def respond(self, request: Request) -> Response | None:
        self.requests.append(request)
        self._closing.wait(self.delay)
        fault = self._next_fault(request.path)
        if fault is None or fault.seconds:
            self._closing.wait(fault.seconds if fault else 0)
            response: Response | None = self._handle(request)
        else:
            response = self._faulty(request, fault)
        request.status = response.status if response else None
        return response

    def _faulty(self, request: Request, fault: Fault) -> Response | None:
        if fault.after:
            self._handle(request)
        if fault.hangs:
            self._closing.wait()
        return fault.response

    def _handle(self, request: Request) -> Response:
        try:
            return self._answer(request)
        except Refused as refusal:
            return refusal.response

    def _next_fault(self, path: str) -> Fault | None:
        with self._lock:
            fault = next((fault for fault in self.faults if fault.times and re.fullmatch(fault.path, path)), None)
            if fault is not None:
                fault.times -= 1
            return fault


class _Handler(BaseHTTPRequestHandler):
    owner: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        response = self.owner.respond(Request(self.command, self.path, headers, body))
        if response is None:
            self.close_connection = True
            return
        self._send(response)

    do_POST = do_PUT = do_DELETE = do_GET

    def _send(self, response: Response) -> None:
        content = response.body.encode() if isinstance(response.body, str) else response.body
        self.send_response(response.status)
        for name, value in {"Content-Type": response.content_type, **response.headers}.items():
            self.send_header(name, value.encode().decode("latin-1"))  # http.server writes Latin-1
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is printed: `requests` is the log."""
