"""A judge that stands still for seconds, as on a busy or suspended machine, grades as one that does not."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.judge.test_grade import CHECKS, TOML

LOOPS_AT_SECOND = b"def echo(x):\n    while x not in (1, 'three'): pass\n    return x\n"
GRADER = """
import json, os, subprocess, sys
from pathlib import Path
import msgspec
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.library.sandboxes import backend

folder, source, freeze = sys.argv[1:]
helpers = []

def freeze_after_the_first(result):
    if result.id == "first" and freeze:
        helpers.append(subprocess.Popen(["sh", "-c", freeze.format(pid=os.getpid())]))
        if freeze.startswith("kill"):
            os.waitid(os.P_PID, helpers[0].pid, os.WEXITED | os.WNOWAIT)
    return False

with Judge(backend()) as judge:
    report = judge.grade(pack.load(Path(folder)), Path(source).read_bytes(), 7, enough=freeze_after_the_first)
print(json.dumps(msgspec.to_builtins(report) | {"seconds": 0}))
for helper in helpers:
    helper.wait()
"""


def report_of(folder: Path, source: Path, freeze: str = "") -> dict[str, Any]:
    """Graded by another process, which is frozen with these commands of the shell once the first check has passed."""
    command = [sys.executable, "-c", GRADER, str(folder), str(source), freeze]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    report: dict[str, Any] = json.loads(run.stdout)
    return report


@pytest.mark.parametrize(
    "freeze",
    [
        pytest.param("kill -STOP {pid}; sleep 3; kill -CONT {pid}", id="between-two-checks"),
        pytest.param("sleep 0.2; kill -STOP {pid}; sleep 4; kill -CONT {pid}", id="while-the-code-computes"),
    ],
)
def test_time_in_which_the_judge_stood_still_changes_no_ending(
    write_exercise: Callable[..., Path], tmp_path: Path, freeze: str
) -> None:
    folder = write_exercise({"exercise.toml": TOML.format(wall=60.0), "checks.py": CHECKS})
    source = tmp_path / "submission.py"
    source.write_bytes(LOOPS_AT_SECOND)
    calm = report_of(folder, source)
    assert [check["ending"] for check in calm["checks"]] == ["passed", "late", "passed"]
    assert report_of(folder, source, freeze) == calm
