"""`manage.py restore FILE`: restores a backup into an empty database."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.backup.archive import Held, Manifest
from autograder.backup.loading import check, restore
from autograder.courses.management.course_command import CourseCommand
from autograder.library.command import bad_usage


class Command(CourseCommand):
    help = "Restores a backup into an empty database, completely or not at all. It never overwrites an existing site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a file that manage.py backup created")
        parser.add_argument(
            "--check", action="store_true", help="only check that the file is complete and readable; restore nothing"
        )

    def answer(self, options: dict[str, Any]) -> None:
        path = Path(options["file"])
        if not path.is_file():
            raise bad_usage(f"{path} is not a file")

        def say(held: Held) -> None:
            if options["verbosity"] > 1:
                self.stdout.write(f"{held.rows:>12,} {held.name}")
                self.stdout.flush()

        try:
            if options["check"]:
                self.stdout.write(f"{_what(check(path))}: complete; this version can restore it")
                return
            restored = restore(path, say)
        except OSError as error:
            raise CommandError(f"{path} cannot be read ({error.strerror or error}). Nothing was restored.") from error
        self.stdout.write(f"{_what(restored.manifest)}: restored")
        again = f"{restored.again} submission{'' if restored.again == 1 else 's'}"
        self.stdout.write(
            f"Back in the queue: {again} that were being graded during the backup. Everyone has to sign in again."
        )


def _what(manifest: Manifest) -> str:
    made = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    return f"{manifest.rows:,} rows from {len(manifest.tables)} tables, saved on {made} by Gradus {manifest.gradus}"
