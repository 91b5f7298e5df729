"""A deployment on each stack, see `tests.deploy`: old and new workers together, then only new ones."""

import subprocess
import sys

import pytest

from tests.conftest import EXERCISES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("stack", ["embedded", "servers"])
def test_a_new_version_takes_over_and_nothing_is_lost_or_done_twice(stack: str) -> None:
    command = [sys.executable, "-m", "tests.deploy", "--stack", stack]
    run = subprocess.run(command, cwd=EXERCISES.parent, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "tried more than once: 0" in run.stdout
    assert "value-deep by the new version" in run.stdout
