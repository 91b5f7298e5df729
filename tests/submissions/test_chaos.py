"""A short run of `tests.chaos` on each stack; `make chaos` is the long one."""

import subprocess
import sys

import pytest

from tests.conftest import EXERCISES


@pytest.mark.parametrize("stack", ["embedded", "servers"])
def test_nothing_is_lost_while_things_are_killed(stack: str) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--stack", stack, "--submissions", "40", "--every", "2"]
    run = subprocess.run(command, cwd=EXERCISES.parent, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "graded once: 40, never: 0, twice current: 0" in run.stdout, run.stdout
    assert "killed" in run.stdout
