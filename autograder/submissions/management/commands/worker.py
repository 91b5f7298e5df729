"""`manage.py worker`: processes that grade, each a Celery worker of its own.

Not one worker with a pool: with a folder as broker the processes of a pool read their tasks from one pipe under one lock, and
one that is killed while it waits there takes the lock with it, and all the others wait for good.
"""

import sys
from typing import Any

from django.core.management.base import CommandParser

from autograder.library.command import GradusCommand
from autograder.submissions.supervisor import Part, supervise

QUEUES = "grading,regrading,grades-out"


class Command(GradusCommand):
    help = "Starts processes that grade, and keeps them. Ctrl-C or SIGTERM lets each finish what it has."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, default=2, metavar="N", help="how many (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        parts = [Part(f"worker {n + 1}", command(n + 1), bound=True) for n in range(max(1, options["processes"]))]
        supervise(parts)


def command(number: int) -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "autograder.celery", "worker"),
        *("--pool", "solo", "--queues", QUEUES, "--hostname", f"grader{number}@%h"),
        *("--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
    ]
