"""`manage.py worker`: processes that grade, each a Celery worker of its own.

Not one worker with a pool: with a folder as broker the processes of a pool read their tasks from one pipe under one lock, and
one that is killed while it waits there takes the lock with it, and all the others wait for good.
"""

import logging
import sys
from typing import Any

from django.core.management.base import CommandParser
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections

from autograder.library.command import GradusCommand
from autograder.submissions import doorbell, queue
from autograder.submissions.models import Worker
from autograder.submissions.scratch import queue as scratch_queue
from autograder.submissions.supervisor import Part, supervise

log = logging.getLogger("gradus.worker")
QUEUES = "grading,regrading,grades-out,mail"


class Command(GradusCommand):
    help = "Starts processes that grade, and keeps them. Ctrl-C or SIGTERM lets each finish what it has."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=2, metavar="N", help="how many (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        count = max(1, options["processes"])
        parts = [Part(f"worker {n + 1}", command(n + 1), bound=True, after=take_back) for n in range(count)]
        supervise(parts)


def take_back(pid: int) -> None:
    """Another worker grades at once what a dead one held."""
    close_old_connections()
    try:
        name = Worker.name_of(pid)
        if queue.take_back_from(name) + scratch_queue.take_back_from(name):
            doorbell.ring()
        Worker.objects.filter(name=name).delete()
    except DatabaseTrouble:
        log.warning("what process %s held comes back when its lease runs out", pid, exc_info=True)
    finally:
        close_old_connections()


def command(number: int) -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "autograder.celery", "worker"),
        *("--pool", "solo", "--queues", QUEUES, "--hostname", f"grader{number}@%h"),
        *("--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
    ]
