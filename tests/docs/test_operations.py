"""docs/operations.md is followed from top to bottom by an operator with a fresh database, while a worker is running."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from autograder.submissions.models import Work
from tests.docs.pages import ROOT, Block, first_column, read
from tests.docs.test_commands import commands, says
from tests.processes import shell

OURS = ("GRADUS_", "DEBUG", "DJANGO_", "DATABASE_URL")
WORKER = """
import time, django
django.setup()
from autograder.submissions.grader import Grader
from autograder.submissions.models import Work
grader = Grader()
print("ready", flush=True)
while True:
    grader.work()
    time.sleep(0.05)
"""


@dataclass
class Site:
    """A folder with a database of its own; everything else is linked. `told` is what went otherwise than the page says."""

    home: Path
    told: list[str] = field(default_factory=list)
    worker: "subprocess.Popen[str] | None" = None

    @property
    def environment(self) -> dict[str, str]:
        rest = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        return rest | {
            "GRADUS_DATA": str(self.home / "data"),
            "COLUMNS": "100",
            "DJANGO_SETTINGS_MODULE": "autograder.settings",
        }

    def take(self, block: Block) -> None:
        if "file" in block.marks:
            (self.home / block.marks["file"]).write_text(block.text)
        elif block.marks.get("run") == "service":
            for command, wanted in commands(block):
                given = self.run(command)
                if not says(wanted, given):
                    self.told.append(f"{block}: {command}\nprinted\n{given}\ninstead of\n{wanted}")
                if " migrate " in command:
                    self.start_worker()

    def run(self, command: str) -> str:
        """What it prints, and its errors; progress is of the moment, and not on the page."""
        result = shell(command, cwd=self.home, environment=self.environment)
        errors = [line for line in result.stderr.splitlines(keepends=True) if line.startswith("CommandError")]
        return result.stdout + "".join(errors)

    def start_worker(self) -> None:
        """As `make run` has it: a process that grades whatever waits."""
        self.worker = subprocess.Popen(
            [sys.executable, "-c", WORKER], cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        assert self.worker.stdout and self.worker.stdout.readline() == "ready\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("site")
    (home / "data").mkdir()
    for name in ("manage.py", "autograder", "sandbox", "exercises", "tools", ".venv"):
        (home / name).symlink_to(ROOT / name)
    site = Site(home)
    try:
        for block in read("operations").blocks:
            site.take(block)
        yield site
    finally:
        if site.worker is not None:
            site.worker.terminate()
            site.worker.wait(20)


@pytest.mark.slow
def test_everything_happens_as_the_page_says(site: Site) -> None:
    assert not site.told, "\n\n".join(site.told)


def test_the_states_are_those_that_there_are() -> None:
    assert first_column(read("operations").section("States of work")) == list(Work.State.values)


def test_the_variables_of_production_are_those_that_are_read() -> None:
    told = set(first_column(read("operations").section("Production settings")))
    sources = "".join(
        (ROOT / "autograder" / "settings" / f"{name}.py").read_text() for name in ("hardening", "secret_files")
    )
    known = set(re.findall(r'"((?:GRADUS|DATABASE)_\w+)"', sources))
    besides = {
        "GRADUS_SECRET_KEY",
        "DATABASE_URL",
        "GRADUS_BROKER_URL",
        "GRADUS_MAIL_URL",
        "GRADUS_METRICS_TOKEN",
        "GRADUS_DATABASE_PASSWORD_FILE",
    }
    assert told == known - besides
