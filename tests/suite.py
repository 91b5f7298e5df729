"""`python -m tests.suite [test|slow] [--busy N]`: runs the parts of the suite one after the other and prints how long each took.

`--busy 4` starts four processes that do nothing but use the processor, to show that no test depends on a quiet machine.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKERS = (os.cpu_count() or 1) + 1  # one more than processors: tests also wait, for a browser or another process
SPREAD = ("-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder", "--durations", "25", "--durations-min", "1")
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "test": {
        "style, types and layers": ("make", "--no-print-directory", "lint"),
        "proofs of the exercises": (sys.executable, "manage.py", "exercise", "lint"),
        "tests": (sys.executable, "-m", "pytest", "-m", "not slow", *SPREAD),
        "tests on PostgreSQL": (sys.executable, "-m", "tests.on_postgres", "-m", "not slow", *SPREAD),
    },
    "slow": {"whole sites, and guides followed word for word": (sys.executable, "-m", "pytest", "-m", "slow", *SPREAD)},
}
# What is kept under the hash of all that it depends on serves every checkout: dictionaries of mistakes, scripts of the pages.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradus-tests"
BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))"


def environment() -> dict[str, str]:
    """Ours, with compiled modules kept: hundreds of processes would each compile the same ones."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"GRADUS_CACHE": str(CACHE), **ours}


def run(parts: dict[str, tuple[str, ...]]) -> int:
    took: list[tuple[str, float, int]] = []
    for name, command in parts.items():
        print(f"== {name}", flush=True)
        start = time.monotonic()
        status = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
        took.append((name, time.monotonic() - start, status))
    print()
    for name, seconds, status in took:
        print(f"{'FAILED' if status else 'passed'}  {seconds:6.0f} s  {name}")
    print(f"{'':6}  {sum(seconds for _, seconds, _ in took):6.0f} s  in all")
    return 1 if any(status for _, _, status in took) else 0


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that use all the processor that they get. They end with us, however we end."""
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
