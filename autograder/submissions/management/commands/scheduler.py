"""`manage.py scheduler`: periodically notifies workers of work that a dead worker held or whose notification was lost.

One scheduler is enough; a second one does no harm.
"""

import os
import sys
from typing import Any, NoReturn

from django.conf import settings

from autograder.library.command import GradusCommand


class Command(GradusCommand):
    help = "Starts the scheduler, which requeues lost jobs and repeats lost notifications."

    def handle(self, *args: Any, **options: Any) -> NoReturn:
        settings.DATA.mkdir(parents=True, exist_ok=True)
        os.execv(sys.executable, command())


def command() -> list[str]:
    return [
        sys.executable,
        "-m",
        "celery",
        "--quiet",
        "-A",
        "autograder.celery",
        "beat",
        "--pidfile=",
        "--schedule",
        str(settings.DATA / "schedule"),
        "--loglevel",
        "WARNING",
    ]
