"""`python -m tests.on_postgres [pytest arguments]`: the service tests on PostgreSQL instead of SQLite.

Starts a temporary cluster, runs pytest with it, and exits with the status of pytest.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgres_server

ROOT = Path(__file__).resolve().parent.parent
# Services that lock rows, write SQL, rely on constraints or migrate; everything else is the same on both databases, such as
# what is sent to an LMS, the event stream, or what a scratch run prints.
# `tests/backup` and the concurrency tests start both databases themselves.
TESTS = {
    "authoring": ("test_drafts", "test_proofs", "test_publishing"),
    "courses": (
        "accounts/test_access",
        "accounts/test_names_in_order",
        "accounts/test_reset_links",
        "accounts/test_services",
        "importers/test_lms_ids",
        "importers/test_roster",
        "test_assignments",
        "test_courses",
        "test_extensions",
        "test_joining",
        "test_members",
    ),
    "gradebook": (
        "test_freezing",
        "test_marking",
        "test_overrides",
        "test_regrade_commit",
        "test_regrade_requests",
        "test_regrade_undo",
        "test_regrading",
        "test_scores",
        "test_sheet",
    ),
    "library": ("test_versions",),
    "lti": ("test_launch", "test_registrations", "test_roster", "test_scores"),
    "submissions": (
        "scratch/test_intake",
        "scratch/test_queue",
        "test_answers",
        "test_comments",
        "test_counters",
        "test_events",
        "test_faults",
        "test_grader",
        "test_intake",
        "test_numbering",
        "test_queue",
        "test_queue_plans",
        "test_regrades",
        "test_tasks",
    ),
}


def main(arguments: list[str]) -> int:
    with postgres_server() as server:
        tests = [f"tests/{package}/{name}.py" for package, names in TESTS.items() for name in names]
        command = [sys.executable, "-m", "pytest", *tests, *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": server.url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
