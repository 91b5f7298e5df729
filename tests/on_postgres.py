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
        "regrading", "regrade_commit", "unit_rules", "score_import", "scores", "scores_of_many", "sheet", "submission_archive",
        "regrade_undo", "totals", "overrides",
    )),
    *(f"tests/courses/{name}.py" for name in (
        "accounts/test_access", "accounts/test_reset_links", "accounts/test_services", "importers/test_lms_ids",
        "importers/test_roster", "mail/test_delivery", "tables/test_uploaded_table", "test_assignments", "test_audit",
        "test_courses", "test_extensions", "test_joining", "test_members", "test_student_terms",
    )),
    *(f"tests/lti/test_{name}.py" for name in ("ags", "delivery", "launch", "registrations", "roster", "scores")),
    *(f"tests/submissions/scratch/test_{name}.py" for name in ("intake", "queue", "worker")),
    "tests/library/test_versions.py",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    with postgres_server() as server:
        command = [sys.executable, "-m", "pytest", *TESTS, *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": server.url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
