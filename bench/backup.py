"""`python -m bench.backup [sqlite|postgres]...`: a course of 1,000 students by 60 assignments, saved and restored.

Seconds, bytes and the most memory that a process ever had; and that a tenth of the rows needs no less of it.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.engine import row
from tests.backup.sites import Site, new_site
from tests.servers import postgres_server

STUDENTS, ASSIGNMENTS = 1000, 60
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
GROWTH = 1.3  # of memory, for ten times the rows


@dataclass(frozen=True)
class Took:
    seconds: float
    megabytes: float  # of memory, at most


def took(site: Site, *arguments: str) -> Took:
    began = time.perf_counter()
    process = site.begin("manage.py", *arguments)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr and process.stderr.read()
    return Took(time.perf_counter() - began, used.ru_maxrss / 1024)


def main(kinds: Sequence[str]) -> None:
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="gradus-backup-")))
        server = opened.enter_context(postgres_server()) if "postgres" in kinds else None
        print(f"{f'backup of {STUDENTS:,} x {ASSIGNMENTS}, each with its report':<66} {'measured':>18} {'must reach':>16}")
        for kind in kinds:
            on = server if kind == "postgres" else None
            small = measured(folder, f"{kind}_small", on, STUDENTS // 10)
            large = measured(folder, f"{kind}_large", on, STUDENTS)
            for what, some, many in zip(("backup", "restore"), small, large, strict=True):
                row(f"{NAMES[kind]}: {what}", f"{many.seconds:.1f} s", "", True)
                times = many.megabytes / some.megabytes
                row(f"{NAMES[kind]}: memory of it, against a tenth of the rows",
                    f"{many.megabytes:.0f} MB, {times:.2f} x", f"at most {GROWTH} x", times <= GROWTH)  # fmt: skip


def measured(folder: Path, name: str, server: object, students: int) -> tuple[Took, Took]:
    """How long a backup and a restore take."""
    old, new = (new_site(folder, f"{name}_{end}", server) for end in ("old", "new"))  # type: ignore[arg-type]
    old.ask("migrate")
    rows = old.ask("large_course", students, ASSIGNMENTS)
    new.ask("migrate")
    file = folder / f"{name}.zip"
    saving = took(old, "backup", str(file))
    if students == STUDENTS:
        kind = "PostgreSQL" if server else "SQLite"
        row(f"{kind}: rows, and bytes of the file", f"{rows:,}, {file.stat().st_size / 1e6:.0f} MB", "", True)
        each = old.ask("size") / (students * ASSIGNMENTS)
        row(f"{kind}: stored for each submission", f"{each / 1000:.1f} kB", "", True)
    return saving, took(new, "restore", str(file))


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
