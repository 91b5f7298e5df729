"""Reads workbooks in a process of their own, with limits for its CPU time and memory.

A few kilobytes can ask for minutes of work in ways that no list of limits foresees, and the web process has other readers.
"""

import json
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.courses.errors import Refused
from autograder.courses.tables.xlsx_reader import Unreadable, Workbook

CPU_SECONDS = 10
WALL_SECONDS = 120.0
MEMORY_BYTES = 1 << 30
MAX_ROWS_READ = 6_000  # of a sheet; more than a table may have
MAX_CELL = 1_000  # characters that are kept of a cell; no value that is stored is longer
MAX_CHARACTERS = 20_000_000  # in all cells, in which one stored text can occur many times
ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class SheetContent:
    """The numbered rows of a sheet, without blank ones, and its merged ranges such as B2:B9."""

    name: str
    rows: list[tuple[int, list[str]]]
    merged: list[str]


def read_workbook(data: bytes, what: str) -> list[SheetContent]:
    """The visible sheets of a workbook. `what` begins the sentences that say why it is refused."""
    command = [sys.executable, "-m", __name__, what, str(CPU_SECONDS), str(MEMORY_BYTES)]
    try:
        ran = subprocess.run(command, input=data, cwd=ROOT, env={}, capture_output=True, timeout=WALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _too_much(what) from None
    if ran.returncode < 0 or b"MemoryError" in ran.stderr:
        raise _too_much(what)
    if ran.returncode:
        raise RuntimeError(f"a workbook could not be read:\n{ran.stderr.decode(errors='replace')[-4000:]}")
    found = json.loads(ran.stdout)
    if "refused" in found:
        raise Refused(found["refused"])
    return [
        SheetContent(name, [(number, list(map(_cell, cells))) for number, cells in rows], merged)
        for name, rows, merged in found["sheets"]
    ]


def _too_much(what: str) -> Refused:
    return Refused(f"{what} takes too long to read. Copy only the list into a new workbook, or save it as CSV UTF-8.")


def _cell(stored: Any) -> str:
    return stored if isinstance(stored, str) else Unreadable(stored[0])


# -- inside the process ---------------------------------------------------------------------------------------------------


def main() -> None:
    what, cpu_seconds, memory_bytes = sys.argv[1:]
    signal.setitimer(signal.ITIMER_PROF, float(cpu_seconds))  # SIGPROF has no handler here, so it ends the process
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_bytes), int(memory_bytes)))
    try:
        found: dict[str, Any] = {"sheets": _sheets(Workbook(sys.stdin.buffer.read(), what), what)}
    except Refused as refused:
        found = {"refused": refused.message}
    json.dump(found, sys.stdout)


def _sheets(workbook: Workbook, what: str) -> list[tuple[str, list[tuple[int, list[Any]]], list[str]]]:
    found, left = [], MAX_CHARACTERS
    for sheet in workbook.sheets:
        rows: list[tuple[int, list[Any]]] = []
        for number, cells in workbook.rows(sheet):
            if len(rows) < MAX_ROWS_READ:
                kept = [[cell] if isinstance(cell, Unreadable) else cell[:MAX_CELL] for cell in cells]
                left -= sum(map(len, kept))
                rows.append((number, kept))
            if left < 0:
                raise Refused(f"{what} has too much text. Copy only the list into a new workbook, or save it as CSV UTF-8.")
        found.append((sheet.name, rows, workbook.merged[sheet.name]))
    return found


if __name__ == "__main__":
    main()
