"""`python -m sandbox.engine_proxy`: stands before the socket of a Docker engine and lets through what workers need, and nothing else.

Whoever may create any container is as good as root on the machine. Here a container can only be created with the configuration
that `Container` itself would ask for; it is built here once more, and that is what the engine receives, never the bytes that came
in. Everything else concerns containers that were made so, or the image of sandboxes.
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
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from sandbox.backends.bubblewrap import DEFAULT_UID
from sandbox.backends.container import PARTS, ZYGOTE_MEMORY, Container
from sandbox.backends.leash import OWNER_LABEL, RUN_LABEL
from sandbox.wire import Limits

MOST_MEMORY = 16 << 30  # for one submission
MAX_BODY, MAX_ANSWER = 1 << 20, 16 << 20
SECONDS = 90.0  # the engine may take a while to create or remove a container
_VERSION = r"(?:/v1\.\d+)?"
_ID = r"/containers/(?P<id>[0-9a-f]{64})"
_FOLDER = re.compile(r"[0-9a-f]{12}/[1-9][0-9]{0,8}")
_NAME = re.compile(r"gradus-[a-z]+-[0-9a-f]{12}-[1-9][0-9]{0,8}")
# What may be asked, and which parameters it may have.
CALLS = {
    "version": ("GET", re.compile(rf"{_VERSION}/version"), ()),
    "image": ("GET", re.compile(rf"{_VERSION}/images/(?P<image>[^?]+)/json"), ()),
    "list": ("GET", re.compile(rf"{_VERSION}/containers/json"), ("all", "filters", "limit", "size", "trunc_cmd")),
    "create": ("POST", re.compile(rf"{_VERSION}/containers/create"), ("name",)),
    "start": ("POST", re.compile(rf"{_VERSION}{_ID}/start"), ()),
    "inspect": ("GET", re.compile(rf"{_VERSION}{_ID}/json"), ()),
    "logs": ("GET", re.compile(rf"{_VERSION}{_ID}/logs"), ("stdout", "stderr", "tail", "timestamps", "follow")),
    "remove": ("DELETE", re.compile(rf"{_VERSION}{_ID}"), ("force", "v", "link")),
}


class NotAllowed(Exception):
    """A call that no worker of ours makes."""


@dataclass(frozen=True)
class Answer:
    status: int
    kind: str
    body: bytes


@dataclass(frozen=True)
class EngineProxy:
    """`container` is the backend as the workers of this site have it, in either mode and in any version of its image."""

    container: Container
    socket: Path

    def ask(self, method: str, target: str, body: bytes) -> Answer:
        """What the engine answers, if it may be asked."""
        address = urlsplit(target)
        given = parse_qs(address.query, keep_blank_values=True)
        call, found = _call(method, address.path, given)
        path, query = address.path, {name: values[-1] for name, values in given.items()}
        send: bytes | None = None
        match call:
            case "image":
                self._require_image(unquote(found["image"]))
            case "list":
                query["filters"] = _ours(query.get("filters", ""))
            case "create":
                if not _NAME.fullmatch(query.get("name", "")):
                    raise NotAllowed("the container's name is none that a worker gives")
                send = json.dumps(self._configuration(body)).encode()
            case "start" | "inspect" | "logs" | "remove":
                self._require_ours(found["id"])
                if query.get("follow", "0").lower() not in ("0", "false"):
                    raise NotAllowed("nobody follows a log")
        return self._forward(method, path + (f"?{urlencode(query)}" if query else ""), send)

    def _configuration(self, body: bytes) -> dict[str, Any]:
        """What a worker asks for, as we would ask for it. The program inside is the worker's own: it runs behind the walls that
        the rest of the configuration describes."""
        asked = _json(body)
        try:
            program, labels = _strings(asked["Cmd"]), _strings_by_name(asked["Labels"])
            image = self._require_image(asked["Image"])
            memory = int(asked["HostConfig"]["Memory"]) - ZYGOTE_MEMORY
            folder = self._folder(asked["HostConfig"]["Mounts"][0]["Source"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise NotAllowed("it is no configuration of a sandbox") from None
        if set(labels) != {RUN_LABEL, OWNER_LABEL} or not 0 < memory <= MOST_MEMORY:
            raise NotAllowed("its labels or its memory are none that a sandbox has")
        limits = Limits(memory_bytes=memory)
        for profile in PARTS:
            for pool in (0, 1):
                ours = replace(self.container, image=image, pool=pool).configuration(profile, limits, folder, labels)
                ours["Cmd"] = program
                if ours == asked:
                    return ours
        raise NotAllowed("it differs from the configuration of a sandbox")

    def _require_image(self, image: object) -> str:
        """In any version, so that workers of two versions can take over from each other."""
        if not isinstance(image, str) or _repository(image) != _repository(self.container.image):
            raise NotAllowed(f"it is about an image other than {self.container.image}")
        return image

    def _folder(self, source: object) -> Path:
        """The folder of one door, and no link to somewhere else."""
        folder = Path(str(source))
        run = self.container.run
        if not _FOLDER.fullmatch(str(folder).removeprefix(f"{run}/")) or any(
            part.is_symlink() for part in (folder, folder.parent)
        ):
            raise NotAllowed(f"it mounts something other than a door in {run}")
        return folder

    def _require_ours(self, identity: str) -> None:
        answer = self._forward("GET", f"/containers/{identity}/json", None)
        if answer.status == http.client.OK and RUN_LABEL not in (_json(answer.body)["Config"].get("Labels") or {}):
            raise NotAllowed("that container is no sandbox")

    def _forward(self, method: str, target: str, body: bytes | None) -> Answer:
        connection = _UnixConnection(self.socket)
        with contextlib.closing(connection):
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return Answer(response.status, response.getheader("Content-Type", "application/json"), response.read(MAX_ANSWER))


def _call(method: str, path: str, given: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    for name, (verb, pattern, parameters) in CALLS.items():
        found = pattern.fullmatch(path) if verb == method else None
        if found is not None:
            if extra := set(given) - set(parameters):
                raise NotAllowed(f"it has parameters that no worker gives: {', '.join(sorted(extra))}")
            return name, found.groupdict()
    raise NotAllowed("no worker calls that")


def _repository(image: str) -> str:
    """An image's name without its tag or digest."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return folder + slash + last.partition(":")[0]


def _ours(filters: str) -> str:
    labels = _json(filters.encode()).get("label")
    if not isinstance(labels, list) or len(labels) != 1 or not str(labels[0]).startswith(f"{RUN_LABEL}="):
        raise NotAllowed("it lists containers that are no sandboxes")
    return json.dumps({"label": [str(labels[0])]})


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAllowed("it cannot be read") from None
    if not isinstance(value, dict):
        raise NotAllowed("it cannot be read")
    return value


def _strings(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError
    return value


def _strings_by_name(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise TypeError
    return value


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("engine", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class _Handler(BaseHTTPRequestHandler):
    """One connection. Calls that are refused are written to stderr: nobody of ours makes them."""

    protocol_version = "HTTP/1.1"
    timeout = 600.0
    server: "_Server"

    def _handle(self) -> None:
        size = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not size.isdigit() or int(size) > MAX_BODY:
            self.close_connection = True
            self._answer(_words(http.client.FORBIDDEN, "its body is too long, or its length is not known"))
            return
        body = self.rfile.read(int(size))
        try:
            answer = self.server.proxy.ask(self.command, self.path, body)
        except NotAllowed as reason:
            print(f"refused {self.command} {quote(self.path[:200], safe='/?=&%')}: {reason}", file=sys.stderr, flush=True)
            answer = _words(http.client.FORBIDDEN, f"the engine proxy does not let this call through: {reason}")
        except (OSError, http.client.HTTPException) as error:
            answer = _words(http.client.BAD_GATEWAY, f"the container engine does not answer its proxy: {error}")
        self._answer(answer)

    do_GET = do_POST = do_DELETE = do_PUT = do_HEAD = do_PATCH = do_OPTIONS = _handle  # noqa: N815 - names of the library

    def _answer(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        with contextlib.suppress(ConnectionError):  # a worker that is ended waits for no answer
            self.end_headers()
            self.wfile.write(answer.body)

    def address_string(self) -> str:
        return "worker"  # a Unix socket has no address

    def log_message(self, *_: object) -> None:
        pass


def _words(status: int, words: str) -> Answer:
    return Answer(status, "application/json", json.dumps({"message": words}).encode())


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: Path, proxy: EngineProxy) -> None:
        self.proxy = proxy
        super().__init__(str(path), _Handler)


@contextlib.contextmanager
def listening(path: Path, proxy: EngineProxy) -> Iterator[socketserver.BaseServer]:
    """A server on a socket that only our own user may open; one that is there already belongs to a proxy that is gone."""
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
