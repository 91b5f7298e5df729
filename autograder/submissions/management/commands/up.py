"""`manage.py up`: runs the whole site with one command: database setup, exercises, web server, workers, scheduler and
LMS sender.

A process that dies is restarted; the work that it held is recovered through its lease. Ctrl-C ends everything.
"""

import io
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from autograder.courses.models import Assignment, User
from autograder.library.command import GradusCommand, as_typed
from autograder.library.models import VersionPage
from autograder.library.versions import every_folder, load_all
from autograder.submissions.management.commands import scheduler
from autograder.submissions.work.supervisor import SupervisedProcess, supervise

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEARN = [sys.executable, "manage.py", "exercise", "learn", "--quick"]


class Command(GradusCommand):
    help = "Starts the whole site: database, exercises, web, worker, scheduler, LMS sender. Press Ctrl-C to stop it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--workers", type=int, default=2, metavar="N", help="number of grading processes (default: %(default)s)"
        )
        parser.add_argument(
            "--demo", action="store_true", help="create the demo course, which visitors can enter with one click"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["demo"] and (settings.PRODUCTION or options["host"] not in LOOPBACK):
            limit = (
                "cannot be used with GRADUS_PRODUCTION"
                if settings.PRODUCTION
                else f"can only be used with a loopback address, not {options['host']}"
            )
            raise CommandError(f"--demo shows the demo password to everyone who can reach the site, so it {limit}.")
        settings.DATA.mkdir(parents=True, exist_ok=True)
        self._say("Preparing the database")
        call_command("migrate", verbosity=0, interactive=False, skip_checks=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        self._say("Loading the exercises")
        new = sum(loaded.new for loaded in load_all())
        if options["demo"]:
            self._say("Preparing the demo course")
            self._demo()
        elif not User.objects.exists():
            self.stdout.write(f"There are no accounts yet. Create yours: {as_typed('createsuperuser')}")
        self.stdout.write(
            f"{new} new exercise versions. Running at http://{options['host']}:{options['port']}/ (press Ctrl-C to stop)"
        )
        self.stdout.flush()
        parts = [SupervisedProcess(name, command) for name, command in commands(**options).items()]
        supervise([*parts, SupervisedProcess("learner", [*LEARN, *_to_learn()], once=True, niceness=15)])

    def _say(self, doing: str) -> None:
        """At once: on a busy machine each step takes a while."""
        self.stdout.write(doing)
        self.stdout.flush()

    def _demo(self) -> None:
        """Create the demo course; the workers grade it once they are up. The site's demo password is stored next to the database."""
        path: Path = settings.DATA / "demo-password"
        if not path.is_file():
            path.write_text(secrets.token_urlsafe(9))
        os.environ["GRADUS_DEMO_PASSWORD"] = password = path.read_text()
        call_command("demo", grade=False, password=password, stdout=io.StringIO())
        self.stdout.write(f"The front page has a demo button. All demo accounts use the password {password}")


def _to_learn() -> list[str]:
    """Return all exercises to learn: first those of assignments, in their order, then the others, easiest first."""
    published = {folder.name for folder in every_folder(settings.EXERCISES)}
    assigned = Assignment.objects.filter(removed_at=None).order_by("position", "due_at")
    easiest = VersionPage.objects.order_by("difficulty", "version__exercise__slug")
    slugs = [
        *assigned.values_list("version__exercise__slug", flat=True),
        *easiest.values_list("version__exercise__slug", flat=True),
    ]
    return [slug for slug in dict.fromkeys(slugs) if slug in published]


def commands(*, host: str, port: int, workers: int, **_: object) -> dict[str, list[str]]:
    return {
        "web": [
            sys.executable,
            "-m",
            "uvicorn",
            "autograder.asgi:application",
            "--host",
            host,
            "--port",
            str(port),
            "--log-level",
            "warning",
            "--no-proxy-headers",
            "--no-server-header",  # GRADUS_BEHIND_PROXY alone decides which proxies are trusted
        ],
        "worker": [sys.executable, "manage.py", "worker", "--processes", str(workers)],
        "scheduler": scheduler.command(),
        "lms sender": [sys.executable, "manage.py", "lms_sender"],
    }
