"""`manage.py queue`: shows what is waiting and for how long, the throughput, and the workers."""

import sys
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.core.management.base import CommandParser
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from autograder.courses.management.course_command import CourseCommand
from autograder.submissions import selectors
from autograder.submissions.models import Work, Worker

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


class Command(CourseCommand):
    help = "Shows the queue: lanes, states, rates, workers and their sandboxes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one line of JSON")

    def answer(self, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(as_line())
            return
        console = Console(file=sys.stdout, highlight=False)
        console.print(_lanes())
        console.print()
        states = selectors.states()
        console.print(", ".join(f"{states.get(state, 0)} {state}" for state in Work.State.values), markup=False)
        rates = f"{selectors.graded_in(MINUTE)} graded in the last minute, {selectors.graded_in(HOUR)} in the last hour"
        console.print(rates)
        console.print()
        console.print(_workers() if selectors.workers().exists() else "No workers found.")


def as_line() -> str:
    """Return everything as one line of JSON, for monitoring programs."""
    return msgspec.json.encode(
        {
            "lanes": selectors.depths(),
            "states": {state: selectors.states().get(state, 0) for state in Work.State.values},
            "graded": {"minute": selectors.graded_in(MINUTE), "hour": selectors.graded_in(HOUR)},
            "workers": [_told(worker) for worker in selectors.workers()],
        }
    ).decode()


def _told(worker: Worker) -> dict[str, Any]:
    fields = ("name", "version", "started_at", "seen_at", "graded", "sandboxes", "trouble")
    return {name: getattr(worker, name) for name in fields} | {"alive": selectors.is_alive(worker)}


def _lanes() -> Table:
    table = _table("lane", "waiting", "running", "oldest")
    for depth in selectors.depths():
        table.add_row(depth.lane, str(depth.waiting), str(depth.running), _since(depth.oldest))
    return table


def _workers() -> Table:
    table = _table("worker", "graded", "last seen", "sandboxes (zygotes started)", "version")
    for worker in selectors.workers():
        seen = f"{_since(worker.seen_at)} ago" + ("" if selectors.is_alive(worker) else ", not responding")
        sandboxes = ", ".join(f"{profile} ({starts})" for profile, starts in worker.sandboxes.items()) or "none yet"
        if worker.trouble:
            sandboxes = f"not grading: {worker.trouble}"
        table.add_row(worker.name, str(worker.graded), seen, sandboxes, worker.version)
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(
            heading, justify="right" if heading in ("waiting", "running", "graded") else "left", overflow="fold"
        )
    return table


def _since(at: datetime | None) -> str:
    if at is None:
        return ""
    seconds = max(0, round((timezone.now() - at).total_seconds()))
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
