"""`python -m sandbox.engine_proxy`: a proxy for a Docker engine's socket that forwards only the calls that workers need.

A client that can create arbitrary containers is as powerful as root on the machine. This proxy only creates containers with
the configuration that `Container` itself would request. It rebuilds that configuration and sends its own version to the
engine, never the bytes it received. All other calls must concern containers created in this way, or the sandbox image.
"""

import argparse
import contextlib
import http.client
import json
import re
import signal
import socket
import socketserver
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import msgspec

from sandbox.backends.bubblewrap import DEFAULT_UID
from sandbox.backends.container import PARTS, ZYGOTE_MEMORY, Container
from sandbox.backends.ownership import OWNER_LABEL, RUN_LABEL
from sandbox.packages import EXAMINER, EXAMINER_FILES
from sandbox.wire import Limits

MAX_MEMORY = 16 << 30  # of one submission
MAX_BODY, MAX_ANSWER = 1 << 20, 16 << 20
TIMEOUT_SECONDS = 90.0  # the engine may take a while to create or remove a container
_VERSION = re.compile(r"/v1\.\d+(?=/)")
_ID = r"/containers/(?P<id>[0-9a-f]{64})"
_FOLDER = re.compile(r"[0-9a-f]{12}/[1-9][0-9]{0,8}")
_NAME = re.compile(r"gradus-[a-z]+-[0-9a-f]{12}-[1-9][0-9]{0,8}")
# The permitted calls and their permitted parameters.
CALLS = {
    "version": ("GET", re.compile(r"/version"), ()),
    "image": ("GET", re.compile(r"/images/(?P<image>[^?]+)/json"), ()),
    "list": ("GET", re.compile(r"/containers/json"), ("all", "filters", "limit", "size", "trunc_cmd")),
    "create": ("POST", re.compile(r"/containers/create"), ("name",)),
    "start": ("POST", re.compile(rf"{_ID}/start"), ()),
    "inspect": ("GET", re.compile(rf"{_ID}/json"), ()),
    "logs": ("GET", re.compile(rf"{_ID}/logs"), ("stdout", "stderr", "tail", "timestamps", "follow")),
    "remove": ("DELETE", re.compile(rf"{_ID}"), ("force", "v", "link")),
}


class Forbidden(Exception):
    """A call that no worker makes."""


@dataclass(frozen=True)
class Response:
    status: int
    kind: str
    body: bytes


class Mount(msgspec.Struct, rename="pascal"):
    source: str


class HostConfig(msgspec.Struct, rename="pascal"):
    memory: int
    mounts: Annotated[list[Mount], msgspec.Meta(min_length=1)]


class Variable(msgspec.Struct, rename="pascal"):
    """The fields that differ between the configurations of sandboxes."""

    image: str
    cmd: list[str]
    labels: dict[str, str]
    host_config: HostConfig


@dataclass(frozen=True)
class EngineProxy:
    """Decides which calls to forward.

    `container` is the backend as this site's workers configure it, in either mode and with any version of its image.
    """

    container: Container
    socket: Path

    def ask(self, method: str, target: str, body: bytes) -> Response:
        """Check a call and return the engine's response to it. Raises `Forbidden` if it is not permitted."""
        address = urlsplit(target)
        # drop the API version: under an old one, the engine ignores restrictions that it does not know
        path = _VERSION.sub("", address.path, count=1)
        given = parse_qs(address.query, keep_blank_values=True)
        call, found = _call(method, path, given)
        query = {name: values[-1] for name, values in given.items()}
        send: bytes | None = None
        match call:
            case "image":
                self._require_image(unquote(found["image"]))
            case "list":
                query["filters"] = _sandbox_filter(query.get("filters", ""))
            case "create":
                if not _NAME.fullmatch(query.get("name", "")):
                    raise Forbidden("the container's name is none that a worker gives")
                send = json.dumps(self._configuration(body)).encode()
            case "start" | "inspect" | "logs" | "remove":
                if (trouble := self._trouble_with(found["id"])) is not None:
                    return trouble
                if query.get("follow", "0").lower() not in ("0", "false"):
                    raise Forbidden("nobody follows a log")
        return self._forward(method, path + (f"?{urlencode(query)}" if query else ""), send)

    def _configuration(self, body: bytes) -> dict[str, Any]:
        """Return our own copy of the requested configuration. Only the command is the worker's: it runs within the
        restrictions of the rest of the configuration."""
        asked = _object(body)
        try:
            variable = msgspec.convert(asked, Variable)
        except msgspec.ValidationError:
            raise Forbidden("it is no configuration of a sandbox") from None
        image, folder = self._require_image(variable.image), self._folder(variable.host_config.mounts[0].source)
        labels, memory = variable.labels, variable.host_config.memory - ZYGOTE_MEMORY
        if set(labels) != {RUN_LABEL, OWNER_LABEL} or not 0 < memory <= MAX_MEMORY:
            raise Forbidden("its labels or its memory are none that a sandbox has")
        for profile in PARTS:
            limits = Limits(memory_bytes=memory)
            if profile == EXAMINER:
                limits = msgspec.structs.replace(limits, files=EXAMINER_FILES)
            for pool in (0, 1):
                ours = replace(self.container, image=image, pool=pool).configuration(profile, limits, folder, labels)
                ours["Cmd"] = variable.cmd
                if ours == asked:
                    return ours
        raise Forbidden("it differs from the configuration of a sandbox")

    def _require_image(self, image: str) -> str:
        """Accept any version of the image, so that workers of two versions can replace each other."""
        if _repository(image) != _repository(self.container.image):
            raise Forbidden(f"it is about an image other than {self.container.image}")
        return image

    def _folder(self, source: str) -> Path:
        """Return the folder of one door. Rejects symbolic links and any other folder."""
        folder, run = Path(source), self.container.run
        is_door = _FOLDER.fullmatch(source.removeprefix(f"{run}/"))
        if not is_door or folder.is_symlink() or folder.parent.is_symlink():
            raise Forbidden(f"it mounts something other than a door in {run}")
        return folder

    def _trouble_with(self, identity: str) -> Response | None:
        """Return the engine's error if it cannot show this container, else None. Raises `Forbidden` if the container is not
        a sandbox."""
        response = self._forward("GET", f"/containers/{identity}/json", None)
        if response.status != http.client.OK:
            return response
        if RUN_LABEL not in (_object(response.body)["Config"].get("Labels") or {}):
            raise Forbidden("that container is no sandbox")
        return None

    def _forward(self, method: str, target: str, body: bytes | None) -> Response:
        connection = _UnixConnection(self.socket)
        with contextlib.closing(connection):
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return Response(
                response.status, response.getheader("Content-Type", "application/json"), response.read(MAX_ANSWER)
            )


def _call(method: str, path: str, given: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    for name, (verb, pattern, parameters) in CALLS.items():
        found = pattern.fullmatch(path) if verb == method else None
        if found is not None:
            if extra := set(given) - set(parameters):
                raise Forbidden(f"it has parameters that no worker gives: {', '.join(sorted(extra))}")
            return name, found.groupdict()
    raise Forbidden("no worker calls that")


def _repository(image: str) -> str:
    """Return an image's name without its tag or digest."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return folder + slash + last.partition(":")[0]


def _sandbox_filter(filters: str) -> str:
    labels = _object(filters.encode()).get("label")
    if not isinstance(labels, list) or len(labels) != 1 or not str(labels[0]).startswith(f"{RUN_LABEL}="):
        raise Forbidden("it lists containers that are no sandboxes")
    return json.dumps({"label": [str(labels[0])]})


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Forbidden("it cannot be read") from None
    if not isinstance(value, dict):
        raise Forbidden("it cannot be read")
    return value


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("engine", timeout=TIMEOUT_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class _Handler(BaseHTTPRequestHandler):
    """Handles one connection. Refused calls are logged to stderr, because no worker makes them."""

    protocol_version = "HTTP/1.1"
    timeout = 600.0
    server: "_Server"

    def _handle(self) -> None:
        size = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not size.isdigit() or int(size) > MAX_BODY:
            self.close_connection = True
            self._answer(_error(http.client.FORBIDDEN, "its body is too long, or its length is not known"))
            return
        body = self.rfile.read(int(size))
        try:
            answer = self.server.proxy.ask(self.command, self.path, body)
        except Forbidden as reason:
            print(f"refused {self.command} {quote(self.path[:200], safe='/?=&%')}: {reason}", file=sys.stderr, flush=True)
            answer = _error(http.client.FORBIDDEN, f"the engine proxy does not let this call through: {reason}")
        except (OSError, http.client.HTTPException) as error:
            answer = _error(http.client.BAD_GATEWAY, f"the container engine does not answer its proxy: {error}")
        self._answer(answer)

    do_GET = do_POST = do_DELETE = do_PUT = do_HEAD = do_PATCH = do_OPTIONS = _handle  # noqa: N815 - names required by the library

    def _answer(self, answer: Response) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        with contextlib.suppress(ConnectionError):  # a worker that was ended does not wait for the response
            self.end_headers()
            self.wfile.write(answer.body)

    def address_string(self) -> str:
        return "worker"  # a Unix socket has no address

    def log_message(self, *_: object) -> None:
        pass


def _error(status: int, words: str) -> Response:
    return Response(status, "application/json", json.dumps({"message": words}).encode())


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: Path, proxy: EngineProxy) -> None:
        self.proxy = proxy
        super().__init__(str(path), _Handler)


@contextlib.contextmanager
def listening(path: Path, proxy: EngineProxy) -> Iterator[socketserver.BaseServer]:
    """Listen on a socket that only the current user may open. An existing socket belongs to a proxy that has ended, and is
    replaced."""
    path.unlink(missing_ok=True)
    server = _Server(path, proxy)
    path.chmod(0o600)
    try:
        yield server
    finally:
        server.server_close()
        path.unlink(missing_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.engine_proxy",
        description="Passes on to a container engine what starts, looks at and removes sandboxes, and refuses all other calls.",
    )
    parser.add_argument(
        "--engine", type=Path, default=Path("/var/run/docker.sock"), help="the engine's socket (%(default)s)"
    )
    parser.add_argument("--listen", type=Path, required=True, help="the socket for workers; DOCKER_HOST names it to them")
    parser.add_argument("--run", type=Path, help="GRADUS_SANDBOX_RUN of the workers")
    parser.add_argument("--image", default="gradus-sandbox", help="GRADUS_SANDBOX_IMAGE of the workers (%(default)s)")
    parser.add_argument("--uid", type=int, default=DEFAULT_UID, help="GRADUS_SANDBOX_UID of the workers (%(default)s)")
    parser.add_argument("--runtime", default="", help="GRADUS_SANDBOX_RUNTIME of the workers")
    parser.add_argument(
        "--healthy", action="store_true", help="start nothing; exit 1 unless the engine answers by way of the proxy"
    )
    given = parser.parse_args()
    if given.healthy:
        return _say_whether_healthy(given.listen)
    if given.run is None:
        parser.error("--run is needed: the folder in which sandboxes find their worker")
    container = Container(given.image, given.uid, given.run.absolute(), runtime=given.runtime)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with listening(given.listen, EngineProxy(container, given.engine)) as server:
            print(f"Workers ask at DOCKER_HOST=unix://{given.listen.absolute()}", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
    except OSError as error:
        print(f"{given.listen}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _say_whether_healthy(path: Path) -> int:
    try:
        connection = _UnixConnection(path)
        connection.request("GET", "/version", headers={"Connection": "close"})
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    return 0 if answer.status == http.client.OK else 1


if __name__ == "__main__":
    sys.exit(main())
