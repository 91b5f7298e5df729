"""`python -m tests.suite [check|test|slow] [--busy N]`: runs the parts of the suite and prints how long each took.

The parts run one after the other, except for single-threaded ones, which run in parallel with the others.

`--busy 4` starts four processes that use all CPU time they can get, to show that no test depends on an idle machine.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT

ROOT = Path(__file__).resolve().parent.parent
WORKERS = (os.cpu_count() or 1) + 1  # one more than CPUs, because tests also wait for a browser or another process
SPREAD = ("-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder", "--durations", "25", "--durations-min", "1")
# Tests that take long, because they start browsers, servers or many processes, or ask whole exercises: not in `check`.
THOROUGH = (
    "tests/authoring",
    "tests/backup",
    "tests/courses/accounts/test_access.py",
    "tests/courses/accounts/test_first_passwords_at_once.py",
    "tests/courses/test_joining_at_once.py",
    "tests/docs",
    "tests/e2e",
    "tests/exercises",
    "tests/explain/diagnosis",
    "tests/explain/test_advice.py",
    "tests/explain/test_misconceptions.py",
    "tests/explain/test_mutants.py",
    "tests/gradebook/test_demo_command.py",
    "tests/gradebook/test_demo_course.py",
    "tests/gradebook/test_regrade_command.py",
    "tests/gradebook/test_requests_at_once.py",
    "tests/gradebook/test_scores_of_many.py",
    "tests/hostile",
    "tests/judge/test_functions.py",
    "tests/judge/test_grade.py",
    "tests/library/test_database_gone.py",
    "tests/library/test_grade_command.py",
    "tests/lti/test_existing_platform.py",
    "tests/lti/test_platform_in_browser.py",
    "tests/lti/test_registration_in_browser.py",
    "tests/observability/test_spans.py",
    "tests/ops",
    "tests/prove",
    "tests/sandbox",
    "tests/settings/test_hardening.py",
    "tests/submissions",
    "tests/test_admin.py",
    "tests/tools",
    "tests/trace",
    "tests/web/monitoring",
    "tests/web/player/test_page.py",
    "tests/web/results/test_heavy_files.py",
    "tests/web/results/test_visible.py",
    "tests/web/student/exercise/test_submitting.py",
    "tests/web/test_addresses.py",
    "tests/web/test_asked_at_once.py",
    "tests/web/test_headers.py",
    "tests/web/test_links.py",
    "tests/web/test_one_number.py",
    "tests/web/test_weight.py",
)
LINT = ("make", "--no-print-directory", "lint")
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "check": {
        "style, types and layers": LINT,
        "fast tests": (
            sys.executable,
            "-m",
            "pytest",
            "-m",
            "not slow",
            *(f"--ignore={path}" for path in THOROUGH),
            *SPREAD,
        ),
    },
    "test": {
        "style, types and layers": LINT,
        "proofs of the exercises": (sys.executable, "manage.py", "exercise", "lint"),
        "tests": (sys.executable, "-m", "pytest", "-m", "not slow", *SPREAD),
        "tests on PostgreSQL": (sys.executable, "-m", "tests.on_postgres", "-m", "not slow", *SPREAD),
    },
    "slow": {"whole sites, and guides followed word for word": (sys.executable, "-m", "pytest", "-m", "slow", *SPREAD)},
}
BESIDE = ("style, types and layers",)
# Shared by all checkouts: cached files are stored under a hash of their inputs, for example learned mistakes and built
# scripts.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradus-tests"
BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))"


def environment() -> dict[str, str]:
    """The current environment with bytecode caching enabled: otherwise hundreds of processes would compile the same
    modules.
    """
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"GRADUS_CACHE": str(CACHE), **ours}


def run(parts: dict[str, tuple[str, ...]]) -> int:
    start = time.monotonic()
    with ThreadPoolExecutor() as threads:
        beside = [threads.submit(_run_beside, name, parts[name]) for name in parts if name in BESIDE]
        took = [_run(name, parts[name]) for name in parts if name not in BESIDE]
        took = [*(each.result() for each in beside), *took]
    print()
    for name, seconds, status in took:
        print(f"{_verdict(status)}  {seconds:6.0f} s  {name}")
    failed = any(status for _, _, status in took)
    print(f"{_verdict(failed)}  {time.monotonic() - start:6.0f} s  in all, commit {commit()}", flush=True)
    return int(failed)


def _verdict(status: int) -> str:
    return "FAILED" if status else "passed"


def commit() -> str:
    """The commit that is tested, and whether files differ from it. A copy without history has none."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=False, text=True, stdout=PIPE, stderr=STDOUT)
    if head.returncode:
        return "unknown"
    changed = subprocess.run([*git, "status", "--porcelain"], check=False, text=True, stdout=PIPE).stdout
    return head.stdout.strip() + (" with changes" if changed else "")


Took = tuple[str, float, int]  # name, seconds and exit status of a part


def _run(name: str, command: tuple[str, ...]) -> Took:
    print(f"== {name}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    return name, time.monotonic() - start, status


def _run_beside(name: str, command: tuple[str, ...]) -> Took:
    """Run a command in the background and print its output when it ends."""
    start = time.monotonic()
    ran = subprocess.run(command, cwd=ROOT, env=environment(), check=False, text=True, stdout=PIPE, stderr=STDOUT)
    print(f"\n== {name}\n{ran.stdout}", end="", flush=True)
    return name, time.monotonic() - start, ran.returncode


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run processes that use all CPU time they can get. They end with the parent process, however that ends."""
    burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="?", choices=PARTS, default="test")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="beside N processes that keep the machine busy")
    options = parser.parse_args()
    with busy(options.busy):
        return run(PARTS[options.parts])


if __name__ == "__main__":
    sys.exit(main())
