"""`manage.py restore FILE`: restores a backup into an empty database."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.backup.archive import Held, Manifest
from autograder.backup.loading import check, restore
from autograder.courses.command import CourseCommand
from autograder.library.command import bad_usage


class Command(CourseCommand):
    help = "Restores a backup into an empty database, all of it or nothing. Nothing is ever restored over a site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="what manage.py backup made")
        parser.add_argument(
            "--check", action="store_true", help="read all of it and say whether it is whole; restore nothing"
        )

    def answer(self, options: dict[str, Any]) -> None:
        path = Path(options["file"])
        if not path.is_file():
            raise bad_usage(f"there is no file {path}")

        def say(held: Held) -> None:
            if options["verbosity"] > 1:
                self.stdout.write(f"{held.rows:>12,} {held.name}")
                self.stdout.flush()

        try:
            if options["check"]:
                self.stdout.write(f"{_what(check(path))}: whole; this version can restore it")
                return
            restored = restore(path, say)
        except OSError as error:
            raise CommandError(f"{path} cannot be read ({error.strerror or error}); nothing was restored.") from error
        self.stdout.write(f"{_what(restored.manifest)}: restored")
        self.stdout.write(f"{restored.again} that were being graded then wait again. Everybody signs in again.")


def _what(manifest: Manifest) -> str:
    made = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    return f"{manifest.rows:,} rows of {len(manifest.tables)} tables, of {made} by Gradus {manifest.gradus}"
