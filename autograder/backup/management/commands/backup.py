"""`manage.py backup FILE`: saves all data of the site in one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.backup.archive import PERSONAL, Held
from autograder.backup.saving import save
from autograder.courses.management.course_command import CourseCommand


class Command(CourseCommand):
    help = "Saves a consistent snapshot of the whole site to a new file. The site stays available during the backup."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the file to create; only you can read it")

    def answer(self, options: dict[str, Any]) -> None:
        path = Path(options["file"])

        def say(held: Held) -> None:
            if options["verbosity"] > 1:
                self.stdout.write(f"{held.rows:>12,} {held.name}")
                self.stdout.flush()

        try:
            manifest = save(path, say)
        except OSError as error:
            raise CommandError(f"{path} cannot be written ({error.strerror or error}). No backup was made.") from error
        self.stdout.write(f"Saved {manifest.rows:,} rows from {len(manifest.tables)} tables ({_size(path)}) to {path}")
        self.stdout.write(PERSONAL)


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
