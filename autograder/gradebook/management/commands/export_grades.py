"""`manage.py export_grades COURSE --format F -o FILE`: exports grades for an LMS, a school system or a spreadsheet."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import course_of, section_of
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.gradebook.exports import EXPORTS, Export, Identity, Options, export
from autograder.gradebook.exports.base import Missing
from autograder.gradebook.exports.export_service import refuse_at_once, remarks_on
from autograder.gradebook.grades.sheet import GradeSheet, sheet_of
from autograder.library.command import contents, printable


class Command(CourseCommand):
    help = "Writes grades to a file. Exits with 1 if students cannot be matched or something was refused, 2 for bad usage."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument("--format", required=True, choices=list(EXPORTS))
        parser.add_argument(
            "--assignment", nargs="+", action="extend", default=[], metavar="A", help="only these assignments (default: all)"
        )
        parser.add_argument("--section", metavar="S", help="only the students of this section (default: all)")
        by = "how the LMS identifies students (default: the one recommended for the format)"
        parser.add_argument("--identity", choices=[str(identity) for identity in Identity], help=by)
        parser.add_argument("--template", metavar="FILE", help="for Blackboard: the gradebook file downloaded there")
        parser.add_argument("--class-id", default="", metavar="ID", help="for OneRoster: the sourcedId of the class")
        parser.add_argument(
            "--grading-period", default="", metavar="ID", help="for OneRoster: the sourcedId of the grading period"
        )
        missing = "what is written for work that is past due and missing: 0 points or an empty cell (default: %(default)s)"
        parser.add_argument(
            "--missing", choices=[str(choice) for choice in Missing], default=str(Missing.ZERO), help=missing
        )
        parser.add_argument("--skip-unmatched", action="store_true", help="leave out students who cannot be matched")
        parser.add_argument("-o", "--output", required=True, metavar="FILE")

    def answer(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        section = section_of(course, options["section"]) if options["section"] else None
        sheet = sheet_of(course, assignments=options["assignment"], section=section)
        to, chosen = EXPORTS[options["format"]], _options(options)
        leaving = self._matched(to, sheet, chosen, skip=options["skip_unmatched"])
        data = export(to, sheet, chosen, course=course, by=OPERATOR, skip_unmatched=options["skip_unmatched"])
        for remark in remarks_on(to, leaving, chosen):
            self.stdout.write(f"note: {printable(remark)}")
        _store(Path(options["output"]), data)
        counted = f"{len(leaving.students)} students, {len(sheet.columns)} assignments"
        self.stdout.write(f"{options['output']}: {counted}, for {to.label}")

    def _matched(self, to: Export, sheet: GradeSheet, options: Options, *, skip: bool) -> GradeSheet:
        """Report students who cannot be matched, and return the sheet without them."""
        refuse_at_once(to, sheet, options)
        unmatched = to.unmatched(sheet, options)
        for left_out in unmatched:
            self.stdout.write(f"unmatched: {printable(f'{left_out.student.login} {left_out.reason}')}")
        if unmatched and not skip:
            raise CommandError(
                f"{len(unmatched)} of {len(sheet.students)} students cannot be matched. Nothing was written. "
                "To fix this, import IDs with manage.py import_ids, choose another identifier with --identity, "
                "or leave these students out with --skip-unmatched."
            )
        return sheet.without([left_out.student for left_out in unmatched])


def _options(options: dict[str, Any]) -> Options:
    return Options(
        identity=Identity(options["identity"]) if options["identity"] else None,
        template=contents(options["template"], MAX_BYTES + 1) if options["template"] else None,
        class_id=options["class_id"],
        grading_period=options["grading_period"],
        missing=Missing(options["missing"]),
    )


def _store(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
