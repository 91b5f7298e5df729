"""`manage.py import_ids COURSE FILE`: imports the ids of students in Canvas or Moodle from a downloaded gradebook."""

from typing import Any

from django.core.management.base import CommandParser

from autograder.courses.importers.lms_ids import lms_ids_import, lms_ids_preview
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import course_of
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.library.command import contents, printable


class Command(CourseCommand):
    help = (
        "Imports LMS and SIS IDs from a Canvas or Moodle gradebook. Exits with 1 if something was refused, 2 for bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument("file", metavar="FILE", help="the gradebook downloaded from the LMS")
        parser.add_argument("--only-good", action="store_true", help="import the valid rows even if others are invalid")
        parser.add_argument("--dry-run", action="store_true", help="show the changes without storing them")

    def answer(self, options: dict[str, Any]) -> None:
        ids = lms_ids_preview(contents(options["file"], MAX_BYTES + 1), course_of(options["course"]))
        refused = bool(ids.bad) and not options["only_good"]
        if not refused and not options["dry_run"]:
            ids = lms_ids_import(preview=ids, by=OPERATOR, only_good=options["only_good"])
        for row in ids.rows:
            if row.message:
                self.stdout.write(
                    f"line {row.line}: {row.status:<8} {printable(row.person) or '(no name)'}: {printable(row.message)}"
                )
        if ids.absent:
            self.stdout.write(f"not in the file: {printable(', '.join(ids.absent))}")
        counts = ", ".join(f"{count} {status}" for status, count in ids.counts.items())
        outcome = "nothing was imported" if refused or options["dry_run"] else "imported"
        self.stdout.write(f"{ids.source}, {len(ids.rows)} rows: {counts}; {outcome}")
        if refused:
            raise SystemExit(1)
