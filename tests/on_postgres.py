"""`python -m tests.on_postgres [pytest arguments]`: the service tests on PostgreSQL instead of SQLite.

Starts a temporary cluster, runs pytest with it, and exits with the status of pytest.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgres_server

ROOT = Path(__file__).resolve().parent.parent
# Tests of row locks and of queries that differ between databases. `tests/backup` and the concurrency tests start both
# databases themselves.
TESTS = (
    *(f"tests/submissions/test_{name}.py" for name in (
        "comments", "events", "faults", "event_stream", "grader", "intake", "queue", "queue_command", "queue_plans", "regrades",
        "counters", "tasks",
    )),
    *(f"tests/gradebook/test_{name}.py" for name in (
        "course_command", "disputed_checks", "freezing", "import_ids_command", "marking", "regrade_command", "regrade_requests",
        "regrading", "unit_rules", "score_import", "scores", "scores_of_many", "sheet", "submission_archive",
        "regrade_undo", "totals",
    )),
    *(f"tests/courses/test_{name}.py" for name in (
        "account_correction", "accounts", "course_assignments", "audit", "bulk_extensions", "joining", "uploaded_table", "lms_ids",
        "mail", "members", "reset_links", "roster", "selectors", "services",
    )),
    *(f"tests/submissions/scratch/test_{name}.py" for name in ("intake", "queue", "worker")),
    "tests/library/test_versions.py",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    with postgres_server() as server:
        command = [sys.executable, "-m", "pytest", *TESTS, *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": server.url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
