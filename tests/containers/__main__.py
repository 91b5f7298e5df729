"""`python -m tests.containers`: everything that needs a container engine.

Starts an engine where none runs (and ends it again), builds the images, and runs against containers: the hostile catalogue,
the tests of sandbox and judge, and a whole site made by `docker-compose.yml`.
"""

import os
import subprocess
import sys
from contextlib import ExitStack

from tests.containers.engine import ROOT, running_engine, stand_ins

CONTAINED = {"GRADUS_SANDBOX": "container"}
HONEST = ("tests/sandbox", "tests/judge/test_grade.py", "tests/judge/test_grade_again.py")


def main() -> int:
    with ExitStack() as opened:
        opened.enter_context(running_engine())
        run("tools/images.py")
        stand_ins()
        run("-m", "pytest", "tests/containers")
        run("-m", "pytest", *HONEST, "tests/hostile", **CONTAINED)
    return 0


def run(*arguments: str, **environment: str) -> None:
    print("$", *(f"{name}={value}" for name, value in environment.items()), "python", *arguments, flush=True)
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=os.environ | environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
