"""`manage.py up`: the whole site with one command and one Ctrl-C: database, exercises, web, worker, scheduler.

A part that dies is started again, a little later each time; whatever it held comes back through its lease.
"""

import io
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from autograder.library.command import GradusCommand
from autograder.library.versions import load_all

GRACE = 20.0  # seconds to finish what is being graded
SLOWEST = 30.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEARN = [["nice", "-n", "15", sys.executable, "manage.py", "exercise", "learn", "--quick"]]
QUEUES = "grading,regrading,grades-out"


@dataclass
class Part:
    """One process of the site."""

    name: str
    command: list[str]
    process: "subprocess.Popen[bytes] | None" = None
    starts: int = 0
    not_before: float = field(default=0.0)
    once: bool = False

    def start(self) -> None:
        self.starts += 1
        self.process = subprocess.Popen(self.command, cwd=settings.BASE_DIR, start_new_session=True)


class Command(GradusCommand):
    help = "Starts the whole site: database, exercises, web, worker, scheduler. Ctrl-C ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes that grade")
        parser.add_argument(
            "--demo", action="store_true", help="with the demo course, whose accounts and password the sign-in page shows"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        settings.DATA.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        new = sum(loaded.new for loaded in load_all())
        if options["demo"]:
            self._demo(options["host"])
        self.stdout.write(f"{new} new versions of exercises. http://{options['host']}:{options['port']}/  (Ctrl-C ends)")
        self.stdout.flush()
        parts = [Part(name, command) for name, command in commands(**options).items()]
        parts += [Part("learner", command, once=True) for command in LEARN]
        stopping = Stopping()
        try:
            while not stopping.asked:
                for part in parts:
                    self._keep_alive(part)
                time.sleep(0.2)
        finally:
            stop(parts)

    def _demo(self, host: str) -> None:
        """The workers grade its week as soon as they are up. Its password is this site's own, kept beside the database."""
        if host not in LOOPBACK:
            raise CommandError(
                f"--demo shows its password to everybody who reaches the site; {host} is more than this machine"
            )
        path: Path = settings.DATA / "demo-password"
        if not path.is_file():
            path.write_text(secrets.token_urlsafe(9))
        os.environ["GRADUS_DEMO_PASSWORD"] = password = path.read_text()
        call_command("demo", grade=False, password=password, stdout=io.StringIO())
        self.stdout.write(f"Sign in as demo-01 (a student) or demo-grace (the owner) with the password {password}")

    def _keep_alive(self, part: Part) -> None:
        if part.process is not None and (part.once or part.process.poll() is None):
            return
        if part.process is not None and part.not_before == 0.0:
            wait = min(SLOWEST, 0.5 * 2 ** min(part.starts, 8))
            part.not_before = time.monotonic() + wait
            self.stderr.write(f"{part.name} ended with {part.process.returncode}; it is started again in {wait:g} s")
        if time.monotonic() >= part.not_before:
            part.not_before = 0.0
            part.start()


class Stopping:
    """Ctrl-C and SIGTERM ask to stop, once; the parts are told by us, in their order."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True


def commands(*, host: str, port: int, workers: int, **_: object) -> dict[str, list[str]]:
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "autograder.celery"]
    quiet = ["--loglevel", "WARNING"]
    return {
        "web": [
            *(sys.executable, "-m", "uvicorn", "autograder.asgi:application"),
            *("--host", host, "--port", str(port), "--log-level", "warning"),
        ],
        "worker": [
            *(*celery, "worker", "--queues", QUEUES, "--concurrency", str(workers)),
            *("--without-gossip", "--without-mingle", *quiet),
        ],
        "scheduler": [*celery, "beat", "--schedule", str(settings.DATA / "schedule"), "--pidfile=", *quiet],
    }


def stop(parts: list[Part]) -> None:
    """Ask all to end, the web first; kill the groups of those that do not."""
    running = [part.process for part in parts if part.process is not None and part.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + GRACE
    for process in running:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
