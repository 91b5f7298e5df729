"""A short run of `tests.chaos` on each stack; `make chaos` is the long one."""

import re
import subprocess
import sys

import pytest

from tests.conftest import EXERCISES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("stack", ["embedded", "servers"])
def test_nothing_is_lost_while_things_are_killed(stack: str) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--stack", stack, "--submissions", "40", "--every", "2"]
    run = subprocess.run(command, cwd=EXERCISES.parent, capture_output=True, text=True, timeout=1500, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    seen = re.search(r"graded once: (\d+), never: (\d+), twice current: 0\n", run.stdout)
    failed = re.search(r"internal after 3 tries: (\d+), earlier: 0; unfinished: 0\n", run.stdout)
    assert seen and failed, run.stdout
    assert seen[2] == failed[1], "three faults may hit one submission; but then it says so"
    assert int(seen[1]) + int(seen[2]) == 40
    assert "killed" in run.stdout
