"""`manage.py demo`: creates the demo course, with people and a week of submissions that are actually graded."""

import time
from argparse import ArgumentTypeError, BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.courses.management.course_command import CourseCommand
from autograder.courses.models import Course
from autograder.gradebook.demo import course as demo
from autograder.gradebook.demo.people import MAX_STUDENTS
from autograder.library.sandboxes import SandboxSettingError
from autograder.submissions.models import Grading, Submission
from sandbox.errors import SandboxError


class Command(CourseCommand):
    help = "Creates the course 'demo' with people, assignments and a week of submissions, or adds what is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--students", type=_students, default=20, metavar="N", help="number of students (default: %(default)s)"
        )
        parser.add_argument(
            "--grade",
            action=BooleanOptionalAction,
            default=True,
            help="grade in this process instead of the workers (default: %(default)s)",
        )
        parser.add_argument(
            "--password",
            default="",
            help="one password for all demo accounts; use it only on a machine that nobody else can reach",
        )

    def answer(self, options: dict[str, Any]) -> None:
        begun = time.monotonic()
        course = demo.build(options["students"], options["password"])
        if options["grade"]:
            try:
                _grade(course)
            except (SandboxSettingError, SandboxError) as error:
                raise CommandError(f"The course was created, but nothing was graded: {error}") from error
        handed_in = Submission.objects.filter(assignment__course=course)
        people = course.memberships.filter(removed_at=None).count()
        graded = Grading.objects.filter(submission__in=handed_in, current=True).count()
        self.stdout.write(
            f"{course.title} ({course.slug}): {people} people, {course.assignments.count()} assignments, "
            f"{handed_in.count()} submissions, {graded} graded; {time.monotonic() - begun:.0f} s"
        )
        if options["password"]:
            self.stdout.write(
                "All demo accounts, including the owner demo-grace, now use the password that you gave. "
                "Do not use it for anything else."
            )


def _grade(course: Course) -> None:
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        total = demo.waiting(course)
        task = progress.add_task("grading", total=total)
        demo.grade(course, lambda left: progress.update(task, completed=total - left))
        progress.update(task, completed=total - demo.waiting(course))


def _students(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MAX_STUDENTS:
        raise ArgumentTypeError(f"'{text}' is not a number of students (1 to {MAX_STUDENTS})")
    return int(text)
