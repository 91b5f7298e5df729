"""Redis and PostgreSQL for tests: Debian's packages, started on free ports in a temporary folder.

A missing package is an error with the command to install it, never a skipped test.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

PATIENCE = 600.0  # seconds; generous, because it is no performance limit
ROOT_RUNS_AS = "postgres"


def need(package: str, *places: str) -> str:
    """Return the path of a program. Raises an error with the installation command if it is missing."""
    for place in places:
        found = shutil.which(place) or next((str(p) for p in sorted(Path("/").glob(place.lstrip("/")), reverse=True)), None)
        if found:
            return found
    raise RuntimeError(f"{package} is not installed. Type: sudo apt-get install -y {package}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Redis:
    """A server that keeps its port over `stop` and `start`, so that clients can reconnect."""

    port: int
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def client(self) -> "redis.Redis":
        return redis.Redis(port=self.port)

    def start(self) -> None:
        command = [need("redis-server", "redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen([*command, "--dir", str(self.folder)], stdout=subprocess.DEVNULL)
        wait_for(self._answers, "redis-server does not answer")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False


@contextmanager
def redis_server() -> Iterator[Redis]:
    with tempfile.TemporaryDirectory(prefix="gradus-redis-") as folder:
        server = Redis(free_port(), Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()


@dataclass
class Postgres:
    """A cluster with one empty database."""

    port: int
    folder: Path
    bin: Path

    @property
    def url(self) -> str:
        return f"postgres://gradus@127.0.0.1:{self.port}/gradus"

    def run(self, program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [str(self.bin / program), *arguments]
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            command = ["setpriv", "--reuid", ROOT_RUNS_AS, "--regid", ROOT_RUNS_AS, "--clear-groups", *command]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False, timeout=PATIENCE)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr or done.stdout}")
        return done

    def sql(self, statement: str) -> str:
        options = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "gradus", "-d", "postgres", "-tAc")
        return self.run("psql", *options, statement).stdout


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    initdb = Path(need("postgresql", "/usr/lib/postgresql/*/bin/initdb"))
    with tempfile.TemporaryDirectory(prefix="gradus-postgres-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, ROOT_RUNS_AS, ROOT_RUNS_AS)
        server = Postgres(free_port(), folder, initdb.parent)
        server.run("initdb", "-D", f"{name}/data", "-U", "gradus", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {server.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={name} -c fsync=off"
        server.run("pg_ctl", "-D", f"{name}/data", "-l", f"{name}/log", "-w", "-o", options, "start")
        try:
            server.run("createdb", "-h", "127.0.0.1", "-p", str(server.port), "-U", "gradus", "gradus")
            yield server
        finally:
            server.run("pg_ctl", "-D", f"{name}/data", "-m", "immediate", "stop")


def wait_for(condition: Callable[[], bool], trouble: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{trouble} after {PATIENCE:g} s")
        time.sleep(0.05)
