"""`python -m tests.containers`: everything that needs a container engine.

Starts an engine where none runs (and ends it again), builds the images, and runs against containers: the hostile catalogue,
the tests of sandbox and judge, and a whole site made by `docker-compose.yml`.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import IO

from tests.containers.engine import ROOT, running_engine, stand_ins

CONTAINED = {"GRADUS_SANDBOX": "container"}
SPREAD = ("-n", "2", "--dist", "loadscope", "--no-loadscope-reorder")
HONEST = ("tests/sandbox", "tests/judge/test_grade.py", "tests/judge/test_grade_again.py", "tests/examiner")
HOSTILE = tuple(f"tests/hostile/test_{name}.py" for name in ("authors", "catalogue", "scratch", "source", "syscalls"))


def main() -> int:
    with ExitStack() as opened:
        opened.enter_context(running_engine())
        if run("tools/images.py"):
            return 1
        stand_ins()
        print("$ python -m pytest tests/containers  (beside what follows; shown at its end)", flush=True)
        with tempfile.TemporaryFile("w+") as said:
            beside = start(["-m", "pytest", "tests/containers", *SPREAD], {}, said)
            status = run("-m", "pytest", *HONEST, *HOSTILE, "-m", "not any_sandbox", *SPREAD, **CONTAINED)
            status = beside.wait() or status
            said.seek(0)
            print(said.read(), flush=True)
    return status


def run(*arguments: str, **environment: str) -> int:
    print("$", *(f"{name}={value}" for name, value in environment.items()), "python", *arguments, flush=True)
    return start(arguments, environment).wait()


def start(
    arguments: Sequence[str], environment: Mapping[str, str], stdout: IO[str] | None = None
) -> "subprocess.Popen[bytes]":
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=stdout, stderr=stdout)


if __name__ == "__main__":
    sys.exit(main())
