"""A short run of `tests.chaos` on each stack; `make chaos` is the long one."""

import re
import subprocess
import sys

import pytest

from tests.conftest import EXERCISES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("stack", ["embedded", "servers"])
def test_nothing_is_lost_while_things_are_killed(stack: str) -> None:
    options = ("--submissions", "30", "--every", "2", "--rounds", "2")
    command = [sys.executable, "-m", "tests.chaos", "--stack", stack, *options]
    run = subprocess.run(command, cwd=EXERCISES.parent, capture_output=True, text=True, timeout=1500, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    sent = re.search(r"(\d+) submissions, \d+ faults\n", run.stdout)
    seen = re.search(r"graded once: (\d+), never: (\d+), twice current: 0\n", run.stdout)
    failed = re.search(r"internal after 3 tries: (\d+), earlier: 0; unfinished: 0\n", run.stdout)
    assert sent and seen and failed, run.stdout
    assert seen[2] == failed[1], "three faults may hit one submission; but then it says so"
    assert int(seen[1]) + int(seen[2]) == int(sent[1]) >= 30
    caused = [int(times) for times in re.findall(r"^ +(\d+) x ", run.stdout, re.MULTILINE)]
    assert len(caused) >= 6 and min(caused) >= 2, run.stdout
