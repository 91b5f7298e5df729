"""`python -m tests.on_postgres [pytest's arguments]`: the service's tests on PostgreSQL instead of SQLite.

Starts a cluster that is thrown away, runs pytest in its environment, and ends with pytest's exit status.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgres_server

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("tests/submissions", "tests/gradebook", "tests/courses", "tests/library/test_versions.py")
WITH_SITES = (  # start databases of their own
    *("tests/submissions/test_chaos.py", "tests/submissions/test_deploy.py", "tests/submissions/test_up.py"),
)


def main(arguments: list[str]) -> int:
    with postgres_server() as server:
        command = [sys.executable, "-m", "pytest", *TESTS, *(f"--ignore={test}" for test in WITH_SITES), *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": server.url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
