"""A small real night beside its simulation. The benchmark asks for 20 %; here a machine may do other things, too."""

import json
import subprocess
import sys

import pytest

from tests.conftest import EXERCISES

pytestmark = pytest.mark.slow


def test_what_is_simulated_is_what_happens() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.capacity",
        "embedded",
        "--submissions",
        "60",
        "--seconds",
        "12",
        "--json",
    ]
    run = subprocess.run(command, cwd=EXERCISES.parent, capture_output=True, text=True, timeout=400, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    for name in ("median", "p95", "throughput"):
        assert 0.5 < found["simulated"][name] / found["real"][name] < 2, (name, found)
