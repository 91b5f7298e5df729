"""A site as an operator starts it: `manage.py up` with its own data folder and a free port."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos import below, children, kill
from tests.conftest import EXERCISES
from tests.processes import run
from tests.servers import free_port, wait_for

ROOT = EXERCISES.parent


class Site:
    """Creating a Site starts it. `running_site` waits until it is ready, and stops it."""

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        self.port = free_port()
        self.environment = {
            **os.environ, "GRADUS_DATA": str(data), "GRADUS_BROKER_URL": "filesystem://",
            "GRADUS_STATIC": str(data / "static"), "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}", **environment,
        }  # fmt: skip
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), "--workers", "1", *options]
        self.log = data / "site.log"  # written only with GRADUS_LOG=json; otherwise the log goes to the terminal
        said = self.log.open("ab") if environment.get("GRADUS_LOG") == "json" else None
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=said)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(f"the site ended with {self.process.returncode}; what it said stands above")
        try:
            with urllib.request.urlopen(f"{self.url}/sign-in/", timeout=5) as page:
                return bool(page.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def manage(self, *arguments: str) -> str:
        return self.python("manage.py", *arguments)

    def python(self, *arguments: str) -> str:
        """Run a Python program with the settings of this site and return its output."""
        ran = run(*arguments, environment=self.environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def learn(self, *slugs: str) -> None:
        self.manage("exercise", "learn", "--quick", *slugs)

    def end_learner(self) -> None:
        """So that the mistakes of all exercises are not learned in the background."""
        for learner in children(self.process.pid):
            if b"learn" in _words(learner):
                for pid in below(learner):
                    kill(pid, signal.SIGKILL)

    def parts(self) -> dict[str, int]:
        """Pids of the web, worker, scheduler and LMS sender processes."""
        found = {}
        for pid in children(self.process.pid):
            words = _words(pid)
            for name, word in (
                ("web", b"uvicorn"),
                ("worker", b"worker"),
                ("scheduler", b"beat"),
                ("lms sender", b"lms_sender"),
            ):
                if word in words:
                    found[name] = pid
        return found


def _words(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return []


@contextmanager
def running_site(data: Path, *options: str, **environment: str) -> Iterator[Site]:
    """A site that answers. It learns the mistakes of exercises in the background only if it is a demo."""
    site = Site(data, *options, **environment)
    try:
        wait_for(site.answers, "the site does not answer")
        if "--demo" not in options:
            site.end_learner()
        yield site
    finally:
        for pid in below(site.process.pid):
            kill(pid, signal.SIGKILL)
        site.process.wait()
