"""`manage.py worker`: runs processes that grade, each of them a separate Celery worker.

This is not one worker with a process pool: with a folder as broker, the processes of a pool read their tasks from one pipe
under one lock. A process that is killed while it waits there keeps the lock forever, and all the others hang.
"""

import logging
import sys
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections

from autograder.library.command import GradusCommand
from autograder.submissions import selectors
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Worker
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.work import queue
from autograder.submissions.work.supervisor import SupervisedProcess, supervise

log = logging.getLogger("gradus.worker")
QUEUES = "grading,regrading,mail"


class Command(GradusCommand):
    help = "Starts grading processes and restarts those that fail. On Ctrl-C or SIGTERM, each finishes its job first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--processes", type=int, default=2, metavar="N", help="number of processes (default: %(default)s)"
        )
        parser.add_argument(
            "--healthy",
            action="store_true",
            help="only check: exit with 1 unless all workers on this machine are making progress",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["healthy"]:
            self._say_whether_healthy()
            return
        count = max(1, options["processes"])
        parts = [
            SupervisedProcess(f"worker {n + 1}", command(n + 1), bound=True, after=take_back, stuck=Silence().is_too_long)
            for n in range(count)
        ]
        supervise(parts)

    def _say_whether_healthy(self) -> None:
        """The health check of a container."""
        here = [worker for worker in selectors.workers_here() if _runs(worker.pid)]
        silent = [worker.name for worker in here if not selectors.is_alive(worker)]
        if silent or not here:
            raise CommandError(f"no progress: {', '.join(silent)}" if silent else "no worker is running on this machine")
        self.stdout.write(f"{len(here)} worker{' is' if len(here) == 1 else 's are'} making progress")


class Silence:
    """Measures by our own clock how long a process has sent no new heartbeat.

    Neither an unavailable database nor a clock that jumps is mistaken for silence.
    """

    def __init__(self) -> None:
        self._last: tuple[int, datetime] | None = None
        self._since = 0.0

    def is_too_long(self, pid: int) -> bool:
        close_old_connections()
        try:
            seen_at = Worker.objects.filter(name=Worker.name_of(pid)).values_list("seen_at", flat=True).first()
        except DatabaseTrouble:
            seen_at = None
        finally:
            close_old_connections()
        last = None if seen_at is None else (pid, seen_at)  # a process that is warming up has sent none yet
        if last is None or last != self._last:
            self._last, self._since = last, monotonic()
        return monotonic() - self._since > 2 * selectors.ALIVE_WITHIN.total_seconds()


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def take_back(pid: int, over_its_work: bool) -> None:
    """Take back the work of a dead process, so that another worker grades it at once."""
    close_old_connections()
    try:
        name = Worker.name_of(pid)
        if sum(leases.take_back_from(name, held=over_its_work) for leases in (queue.gradings, scratch_queue.runs)):
            doorbell.ring()
        Worker.objects.filter(name=name).delete()
    except DatabaseTrouble:
        log.warning("the job of process %s returns to the queue when its lease expires", pid, exc_info=True)
    finally:
        close_old_connections()


def command(number: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "celery",
        "--quiet",
        "-A",
        "autograder.celery",
        "worker",
        "--pool",
        "solo",
        "--queues",
        QUEUES,
        "--hostname",
        f"grader{number}@%h",
        "--without-gossip",
        "--without-mingle",
        "--loglevel",
        "WARNING",
    ]
