"""`manage.py up`: one command, one Ctrl-C, no server needed."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos import below, children, kill
from tests.conftest import EXERCISES
from tests.servers import free_port, wait_for

ROOT = EXERCISES.parent
SOLUTION = next(EXERCISES.glob("*/value-engine")) / "solution.py"


class Site:
    """The site as an operator starts it, with its data in a folder of its own."""

    def __init__(self, data: Path) -> None:
        self.port = free_port()
        self.environment = {
            **os.environ, "GRADUS_DATA": str(data), "GRADUS_BROKER_URL": "filesystem://",
            "DATABASE_URL": f"sqlite:///{data / 'gradus.sqlite3'}",
        }  # fmt: skip
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), "--workers", "2"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/admin/login/", timeout=5) as page:
                return bool(page.status == 200)
        except urllib.error.URLError:
            return False

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        run = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=180, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def parts(self) -> dict[str, int]:
        """Pids of the web, worker and scheduler processes."""
        found = {}
        for pid in children(self.process.pid):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            for name, word in (("web", b"uvicorn"), ("worker", b"worker"), ("scheduler", b"beat")):
                if word in words:
                    found[name] = pid
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    started = Site(tmp_path_factory.mktemp("site"))
    try:
        wait_for(started.answers, "the site does not answer", 90)
        started.manage("createsuperuser", "--noinput", "--username", "grace", "--email", "grace@example.org")
        started.manage("course", "create", "autodiff", "--title", "Autodiff", "--owner", "grace")
        started.manage("course", "assign", "autodiff", "value-engine")
        yield started
    finally:
        for pid in below(started.process.pid):
            kill(pid, signal.SIGKILL)


def test_a_submission_is_graded_by_the_site(site: Site) -> None:
    printed = site.manage("submit", "autodiff", "value-engine", "grace", str(SOLUTION), "--wait", "120")
    assert "All checks passed" in printed


def test_a_part_that_is_killed_is_started_again(site: Site) -> None:
    before = site.parts()
    for name in ("web", "scheduler"):
        kill(before[name], signal.SIGKILL)
    wait_for(lambda: set(site.parts()) == set(before) and site.parts() != before, "they are not started again", 60)
    wait_for(site.answers, "the site does not answer", 60)
    assert site.parts()["worker"] == before["worker"]


def test_a_worker_killed_while_it_waits_for_work_leaves_the_others_working(site: Site) -> None:
    graders = children(site.parts()["worker"])
    assert len(graders) == 2
    kill(graders[0], signal.SIGKILL)
    for _ in range(3):
        printed = site.manage("submit", "autodiff", "value-engine", "grace", str(SOLUTION), "--wait", "120")
        assert "All checks passed" in printed
    wait_for(lambda: len(children(site.parts()["worker"])) == 2, "it is not started again", 60)


def test_one_interrupt_ends_everything(site: Site) -> None:
    everything = below(site.process.pid)
    assert len(everything) > 4
    site.process.send_signal(signal.SIGINT)
    assert site.process.wait(60) == 0
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in everything), "something is left over", 30)
