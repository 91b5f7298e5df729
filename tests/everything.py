"""`python -m tests.everything`: the whole suite in two lanes beside each other, because half of it waits: for browsers, servers,
workers that were killed. What a lane prints is shown when a part of it is done; exits with 1 if any part failed."""

import subprocess
import sys
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
# Each lane runs its parts one after the other. The first has what starts whole sites, the second whatever else there is.
SITES = ("tests/e2e", "tests/submissions", "tests/watch", "tests/backup")
APART = ("benchmarks", "containers", "frontend.py")
Part = tuple[str, ...]


def lanes() -> tuple[list[Part], list[Part]]:
    named = {f"tests/{path.name}" for path in TESTS.iterdir() if path.name not in APART and _has_tests(path)}
    rest = sorted(named - set(SITES))
    return [("-m", "pytest", part) for part in SITES], [("-m", "pytest", *rest), ("-m", "tests.on_postgres")]


def _has_tests(path: Path) -> bool:
    return path.name.startswith("test_") if path.is_file() else any(path.rglob("test_*.py"))


class Lane(threading.Thread):
    def __init__(self, parts: list[Part]) -> None:
        super().__init__()
        self.parts, self.failed = parts, list[str]()

    def run(self) -> None:
        for part in self.parts:
            start = time.monotonic()
            command = [sys.executable, *part]
            done = subprocess.run(
                command, cwd=TESTS.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
            )
            said = f"$ python {' '.join(part)}\n{done.stdout}({time.monotonic() - start:.0f} s)\n"
            sys.stdout.write(said)
            sys.stdout.flush()
            if done.returncode:
                self.failed.append(" ".join(part))


def main() -> int:
    running = [Lane(parts) for parts in lanes()]
    for lane in running:
        lane.start()
    for lane in running:
        lane.join()
    failed = [part for lane in running for part in lane.failed]
    for part in failed:
        print(f"FAILED  python {part}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
