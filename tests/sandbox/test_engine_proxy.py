"""What gets past the proxy of a container engine: what workers ask for, as it stands in `Container`, and nothing else."""

import contextlib
import http.client
import json
import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from autograder.examiner.examiners import WHOLE_LIMITS
from sandbox.backends.container import PARTS, Container
from sandbox.backends.container_engine import Engine
from sandbox.backends.ownership import OWNER_LABEL, RUN_LABEL
from sandbox.engine_proxy import EngineProxy, _UnixConnection, listening
from sandbox.errors import EngineTrouble
from sandbox.packages import EXAMINER
from sandbox.wire import Limits

LABELS = {RUN_LABEL: "0123456789abcdef", OWNER_LABEL: "a1b2c3d4e5f6"}
IMAGE_ID = "sha256:" + "1" * 64
DATABASE = "d" * 64  # a container that is none of ours
NAME = "gradus-python-a1b2c3d4e5f6-1"


class StandIn(BaseHTTPRequestHandler):
    """Answers as an engine does, and does whatever it is told."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def _handle(self) -> None:
        engine = self.server.engine
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        path, _, query = self.path.partition("?")
        version = re.match(r"/v1\.\d+(?=/)|", path)
        assert version is not None
        engine.versions.add(version[0])
        path = path.removeprefix(version[0])
        engine.calls.append((self.command, path, query, body))
        identity = path.split("/")[2] if path.startswith("/containers/") and len(path.split("/")) > 2 else ""
        value: Any = {}
        status = 200
        if path == "/version":
            value = {"ApiVersion": "1.41"}
        elif path.startswith("/images/"):
            value = {"Id": IMAGE_ID}
        elif path == "/containers/create":
            identity = f"{len(engine.containers):064x}"
            engine.containers[identity] = json.loads(body)["Labels"]
            status, value = 201, {"Id": identity, "Warnings": []}
        elif path == "/containers/json":
            value = [{"Id": one, "Labels": labels} for one, labels in engine.containers.items()]
        elif engine.hidden and path.endswith("/json"):
            status, value = 500, {"message": "context deadline exceeded"}
        elif identity not in engine.containers:
            status, value = 404, {"message": f"No such container: {identity}"}
        elif path.endswith("/json"):
            tty = {"Config": {"Labels": engine.containers[identity], "Tty": True}}
            value = {"State": {"Running": True, "Pid": 42}, **tty}
        elif self.command == "DELETE":
            del engine.containers[identity]
            status = 204
        elif path.endswith("/start"):
            status = 204
        content = b"its last words\n" if path.endswith("/logs") else json.dumps(value).encode()
        content = b"" if status == 204 else content
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = do_PUT = _handle

    def address_string(self) -> str:
        return ""

    def log_message(self, *_: object) -> None:
        pass


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: Path, engine: "Behind") -> None:
        self.engine = engine
        super().__init__(str(path), StandIn)


@dataclass
class Behind:
    """The engine behind the proxy, and both their sockets."""

    folder: Path
    calls: list[tuple[str, str, str, bytes]] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)
    hidden: bool = False  # it cannot say anything of its containers
    containers: dict[str, dict[str, str]] = field(default_factory=lambda: {DATABASE: {"com.example": "database"}})

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def container(self) -> Container:
        return Container("gradus-sandbox", 61234, self.run)

    @property
    def door(self) -> Path:
        return self.run / LABELS[OWNER_LABEL] / "1"

    @property
    def client(self) -> Engine:
        return Engine(f"unix://{self.folder / 'proxy'}")

    def configuration(self, profile: str = "python", pool: int = 0) -> dict[str, Any]:
        container = Container("gradus-sandbox", 61234, self.run, pool=pool)
        limits = WHOLE_LIMITS if profile == EXAMINER else Limits()
        return container.configuration(profile, limits, self.door, LABELS)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        connection = _UnixConnection(self.folder / "proxy")
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def create(self, configuration: object) -> tuple[int, str]:
        return self.ask("POST", f"/v1.41/containers/create?name={NAME}", json.dumps(configuration).encode())


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    engine = Behind(tmp_path)
    engine.door.mkdir(parents=True)
    with (
        Server(tmp_path / "engine", engine) as server,
        listening(tmp_path / "proxy", EngineProxy(engine.container, tmp_path / "engine")) as proxy,
    ):
        for one in (server, proxy):
            threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield engine
        proxy.shutdown()
        server.shutdown()


# -- what workers do ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PARTS)
@pytest.mark.parametrize("pool", [0, 2])
def test_a_worker_does_all_that_it_needs(behind: Behind, profile: str, pool: int) -> None:
    client = behind.client
    assert client.require("gradus-sandbox") == IMAGE_ID
    identity = client.start(behind.configuration(profile, pool), f"gradus-{profile}-a1b2c3d4e5f6-1")
    assert client.runs(identity) and client.pid_of(identity) == 42
    assert client.last_words(identity) == "its last words"
    assert identity in client.with_label(RUN_LABEL, LABELS[RUN_LABEL])
    client.remove(identity)
    assert identity not in behind.containers
    assert not client.runs(identity)


def test_a_worker_of_another_version_has_its_own_image(behind: Behind) -> None:
    assert behind.client.require("gradus-sandbox:2") == IMAGE_ID
    assert behind.create(behind.configuration() | {"Image": "gradus-sandbox:2"})[0] == 201
    (sent,) = (body for method, path, _, body in behind.calls if path == "/containers/create")
    assert json.loads(sent)["Image"] == "gradus-sandbox:2"


def test_the_engine_receives_what_the_proxy_would_ask_for_itself(behind: Behind) -> None:
    assert behind.create(behind.configuration())[0] == 201
    (sent,) = (body for method, path, _, body in behind.calls if path == "/containers/create")
    assert json.loads(sent) == behind.configuration()


def test_a_list_is_of_sandboxes_alone(behind: Behind) -> None:
    behind.client.with_label(RUN_LABEL, "x")
    (query,) = (query for _, path, query, _ in behind.calls if path == "/containers/json")
    assert "gradus.run%3Dx" in query
    with pytest.raises(EngineTrouble, match="lists containers that are no sandboxes"):
        behind.client.with_label("com.example", "database")
    for filters in ("", "?filters=%7B%7D", '?filters={"label":["gradus.run=x","y"]}', '?filters={"id":["d"]}'):
        assert behind.ask("GET", f"/containers/json{filters}")[0] == 403


# -- what nobody of ours does ------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any], Behind], None]


def host(**settings: Any) -> Change:
    return lambda given, behind: given["HostConfig"].update(settings)


def top(**settings: Any) -> Change:
    return lambda given, behind: given.update(settings)


def mounts(make: Callable[[Behind], Any]) -> Change:
    def change(given: dict[str, Any], behind: Behind) -> None:
        given["HostConfig"]["Mounts"][0]["Source"] = make(behind)

    return change


def link_at(part: str) -> Callable[[Behind], str]:
    def make(behind: Behind) -> str:
        door = behind.door if part == "door" else behind.door.parent
        behind.door.rmdir()
        if part == "owner":
            door.rmdir()
        door.symlink_to("/etc")
        return str(behind.door)

    return make


ESCAPES: dict[str, Change] = {
    "privileged": host(Privileged=True),
    "privileged in other letters": host(privileged=True),
    "a folder of the machine": host(Binds=["/:/host"]),
    "a second mount": lambda given, behind: given["HostConfig"]["Mounts"].append(
        {"Type": "bind", "Source": "/", "Target": "/host"}
    ),
    "a mount that may be written": lambda given, behind: given["HostConfig"]["Mounts"][0].update(ReadOnly=False),
    "a mount somewhere else": mounts(lambda behind: "/etc"),
    "the run folder itself": mounts(lambda behind: str(behind.run)),
    "out of the run folder": mounts(lambda behind: f"{behind.run}/a1b2c3d4e5f6/../../../etc"),
    "a door that is a link": mounts(link_at("door")),
    "an owner that is a link": mounts(link_at("owner")),
    "a mount that is no path": mounts(lambda behind: ["/etc"]),
    "a capability": host(CapAdd=["SYS_ADMIN"]),
    "all capabilities kept": host(CapDrop=[]),
    "no filter of calls": host(SecurityOpt=["no-new-privileges:true", "seccomp=unconfined"]),
    "the machine's network": host(NetworkMode="host"),
    "a network": top(NetworkDisabled=False),
    "the machine's processes": host(PidMode="host"),
    "a device": host(Devices=[{"PathOnHost": "/dev/sda", "PathInContainer": "/dev/sda", "CgroupPermissions": "rwm"}]),
    "another runtime": host(Runtime="runc"),
    "a root that may be written": host(ReadonlyRootfs=False),
    "nothing masked": host(MaskedPaths=[]),
    "no limit of memory": host(Memory=0, MemorySwap=0),
    "swap": host(MemorySwap=-1),
    "too much memory": host(Memory=1 << 40, MemorySwap=1 << 40),
    "no limit of processes": host(PidsLimit=0),
    "root": top(User="0:0"),
    "another image": top(Image="gradus-worker"),
    "another image of nearly that name": top(Image="elsewhere/gradus-sandbox"),
    "another program before it": top(Entrypoint=["/bin/sh"]),
    "variables": top(Env=["LD_PRELOAD=/x"]),
    "labels of another": top(Labels={"com.docker.compose.project": "gradus"}),
    "a host configuration that is none": top(HostConfig=[]),
    "a program that is none": top(Cmd="sh"),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_no_other_container_is_created(name: str, behind: Behind, capfd: pytest.CaptureFixture[str]) -> None:
    configuration = behind.configuration()
    ESCAPES[name](configuration, behind)
    status, words = behind.create(configuration)
    assert status == 403 and "the engine proxy does not let this call through" in words
    assert not [call for call in behind.calls if call[0] == "POST"]
    assert "refused POST /v1.41/containers/create" in capfd.readouterr().err


def test_the_engine_is_asked_in_its_newest_version_alone(behind: Behind) -> None:
    """In an old one it leaves out what it had not learned by then, such as a limit of processes."""
    assert behind.ask("POST", f"/v1.12/containers/create?name={NAME}", json.dumps(behind.configuration()).encode())[0] == 201
    assert behind.versions == {""}


def test_what_the_engine_does_not_show_is_not_touched(behind: Behind) -> None:
    behind.hidden = True
    assert behind.ask("DELETE", f"/containers/{DATABASE}?force=1")[0] == 500
    assert DATABASE in behind.containers


def test_a_key_that_stands_twice_reaches_nobody(behind: Behind) -> None:
    """Python keeps the last of two equal keys; an engine joins what is in both."""
    text = json.dumps(behind.configuration())
    twice = '{"HostConfig": {"Binds": ["/:/host"]}, ' + text[1:]
    assert behind.ask("POST", f"/containers/create?name={NAME}", twice.encode())[0] == 201
    (sent,) = (body for method, path, _, body in behind.calls if path == "/containers/create")
    assert b"Binds" not in sent


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000], ids=repr)
def test_what_is_no_configuration_is_refused(body: bytes, behind: Behind) -> None:
    assert behind.ask("POST", f"/containers/create?name={NAME}", body)[0] == 403


@pytest.mark.parametrize(
    "call",
    [
        f"GET /containers/{DATABASE}/json",
        f"GET /containers/{DATABASE}/logs?stdout=1",
        f"POST /containers/{DATABASE}/start",
        f"DELETE /containers/{DATABASE}?force=1",
        "GET /containers/database/json",
        f"POST /containers/{DATABASE}/exec",
        f"POST /containers/{DATABASE}/kill",
        f"POST /containers/{DATABASE}/update",
        f"GET /containers/{DATABASE}/archive?path=/",
        f"PUT /containers/{DATABASE}/archive?path=/",
        "POST /containers/create",
        f"POST /containers/create?name={NAME}&platform=x",
        "POST /containers/create?name=gradus-web-1",
        "POST /exec/1/start",
        "POST /build",
        "POST /images/create?fromImage=x",
        "GET /images/gradus-worker/json",
        "GET /images/gradus-sandbox/get",
        "GET /images/json",
        "GET /info",
        "GET /events",
        "GET /secrets",
        "POST /volumes/create",
        "POST /swarm/init",
        "GET /v1.41/../version",
        "HEAD /version",
    ],
)
def test_every_other_call_is_refused(call: str, behind: Behind) -> None:
    method, path = call.split(" ", 1)
    assert behind.ask(method, path, b"{}" if method == "POST" else None)[0] == 403
    assert DATABASE in behind.containers
    assert not [call for call in behind.calls if call[0] != "GET" or "/logs" in call[1]]


def test_a_log_is_not_followed(behind: Behind) -> None:
    identity = behind.client.start(behind.configuration(), NAME)
    assert behind.ask("GET", f"/containers/{identity}/logs?stdout=1&follow=1")[0] == 403


def test_a_start_takes_no_settings_along(behind: Behind) -> None:
    """Old engines took a configuration there."""
    assert behind.create(behind.configuration())[0] == 201
    identity = next(one for one in behind.containers if one != DATABASE)
    assert behind.ask("POST", f"/v1.20/containers/{identity}/start", b'{"Privileged": true}')[0] == 204
    assert [body for _, path, _, body in behind.calls if path.endswith("/start")] == [b""]


def test_a_body_that_does_not_end_is_not_waited_for(behind: Behind) -> None:
    path = f"/containers/create?name={NAME}"
    assert behind.ask("POST", path, None, **{"Transfer-Encoding": "chunked"})[0] == 403
    assert behind.ask("POST", path, None, **{"Content-Length": str(1 << 40)})[0] == 403


def test_only_our_own_user_may_ask(behind: Behind) -> None:
    assert (behind.folder / "proxy").stat().st_mode & 0o777 == 0o600


def test_an_engine_that_is_away_is_said(tmp_path: Path) -> None:
    behind = Behind(tmp_path)
    with listening(tmp_path / "proxy", EngineProxy(behind.container, tmp_path / "nobody")) as proxy:
        threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        status, words = behind.ask("GET", "/version")
        assert status == http.client.BAD_GATEWAY and "the container engine does not answer its proxy" in words
        with pytest.raises(EngineTrouble, match="the container engine does not run"):
            behind.client.require("gradus-sandbox")
        proxy.shutdown()
