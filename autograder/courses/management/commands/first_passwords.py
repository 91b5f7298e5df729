"""`manage.py first_passwords COURSE -o FILE`: creates passwords for members who have none, to be handed out."""

import os
from typing import Any

from django.core.management.base import CommandError, CommandParser

from autograder.courses.accounts.first_passwords import first_passwords_create, first_passwords_csv
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import course_of


class Command(CourseCommand):
    help = (
        "Sets a first password for every member of a course who has none, and writes them to a file that only you can read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            metavar="FILE",
            help="the CSV file to create, with section, login, name and password",
        )

    def answer(self, options: dict[str, Any]) -> None:
        course, path = course_of(options["course"]), options["output"]
        try:  # create the file first: a password that cannot be written would be lost
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"Cannot create {path} ({error.strerror}). No passwords were set.") from error
        with open(descriptor, "wb") as file:
            handed = first_passwords_create(course=course, by=OPERATOR)
            file.write(first_passwords_csv(handed))
        self.stdout.write(f"Wrote {len(handed)} first passwords to {path}. Hand them out, then delete the file.")
