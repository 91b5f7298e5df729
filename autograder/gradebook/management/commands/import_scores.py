"""`manage.py import_scores COURSE FILE`: imports scores of work that was graded outside Gradus."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from autograder.courses.errors import Refused
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import course_of
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.gradebook.imports import score_file
from autograder.gradebook.imports.score_import import Choices, import_scores, preview_import
from autograder.gradebook.imports.score_preview import CellStatus, ScorePreview
from autograder.library.command import contents, printable


class Command(CourseCommand):
    help = "Imports scores from a CSV file. Exits with 1 if something was refused, 2 for bad usage."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument(
            "file",
            metavar="FILE",
            help="a CSV file with students in the first column and an assignment in every other column",
        )
        parser.add_argument("--replace", action="store_true", help="replace existing points with those in the file")
        parser.add_argument("--bonus", action="store_true", help="allow more points than an assignment is worth")
        parser.add_argument("--only-good", action="store_true", help="import the valid scores even if others are invalid")
        parser.add_argument("--reason", default="", help="shown to students after the file name and the date")
        parser.add_argument("--dry-run", action="store_true", help="show the changes without storing them")

    def answer(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        file = score_file.read(contents(options["file"], MAX_BYTES + 1), Path(options["file"]).name)
        preview = preview_import(course=course, file=file, by=OPERATOR)
        choices = Choices(options["replace"], options["bonus"], options["only_good"], options["reason"])
        self._tell(preview)
        if options["dry_run"]:
            return self._end(preview, "nothing was imported")
        if not preview.cells(CellStatus.NEW, CellStatus.CONFLICT, CellStatus.BAD) and not preview.bad_rows:
            return self._end(preview, "nothing to import")
        try:
            done = import_scores(course=course, file=file, by=OPERATOR, choices=choices)
        except Refused as refused:
            self._end(preview, "nothing was imported")
            raise refused
        return self._end(preview, f"{done.stored} imported" + (f", {done.kept} kept as before" if done.kept else ""))

    def _tell(self, preview: ScorePreview) -> None:
        """Print the rows and cells that need attention; the others are only counted."""
        for row in preview.bad_rows:
            self.stdout.write(f"line {row.line}: {printable(row.words)}")
        for row, cell in preview.cells(CellStatus.CONFLICT, CellStatus.BAD, CellStatus.EXCUSED):
            said = f"{printable(row.who)}, {cell.assignment.slug}: {printable(cell.said)} {cell.status}"
            self.stdout.write(f"line {row.line}: {said}: {printable(cell.words)}")
        for row, cell in preview.above:
            worth = f"{float(cell.assignment.points):g}"
            self.stdout.write(f"line {row.line}: {printable(row.who)}, {cell.assignment.slug}: {cell.said} of {worth}")
        for column, why in preview.ignored:
            self.stdout.write(f"column {printable(column) or '(no name)'} was ignored: {printable(why)}")

    def _end(self, preview: ScorePreview, outcome: str) -> None:
        counts = preview.counts
        bad = len(preview.bad_rows) + counts[CellStatus.BAD]
        rows = "1 row" if len(preview.rows) == 1 else f"{len(preview.rows)} rows"
        self.stdout.write(
            f"{rows}: {counts[CellStatus.NEW]} new, {counts[CellStatus.CONFLICT]} differ, "
            f"{counts[CellStatus.SAME]} unchanged, {counts[CellStatus.EXCUSED]} excused, {bad} bad; {outcome}"
        )
