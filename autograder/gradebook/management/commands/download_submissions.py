"""`manage.py download_submissions COURSE ASSIGNMENT -o FILE`: writes all submissions of an assignment to a zip file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import CommandError, CommandParser

from autograder.courses.errors import Refused
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import assignment_of, course_of
from autograder.gradebook.exports.submission_archive import Which, submissions_download


class Command(CourseCommand):
    help = "Writes the submissions of an assignment to a new zip file that only you can read. It contains personal data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument("assignment", metavar="ASSIGNMENT")
        which = "which submissions of each student: the one that counts, the last one, or all (default: %(default)s)"
        parser.add_argument("--which", choices=[str(choice) for choice in Which], default=str(Which.COUNTING), help=which)
        parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the zip file to create")

    def answer(self, options: dict[str, Any]) -> None:
        path = Path(options["output"])
        assignment = assignment_of(course_of(options["course"]), options["assignment"])
        with _new_file(path) as file:
            made = submissions_download(assignment=assignment, by=OPERATOR, which=Which(options["which"]))
            for part in made.parts:
                file.write(part)
        self.stdout.write(f"{path}: {_count(made.submissions, 'submission')} from {_count(made.students, 'student')}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a file that is either complete or removed. Never overwrites an existing one."""
    try:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except FileExistsError:
        raise Refused(f"{path} already exists and will not be overwritten. Choose another name.") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with file:
            yield file
    except OSError as error:
        path.unlink(missing_ok=True)
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise
