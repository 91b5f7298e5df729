"""`manage.py submit COURSE ASSIGNMENT USER FILE`: submits a file on behalf of a user, and optionally waits for the verdict."""

import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.status import Status

from autograder.courses.management.course_command import CourseCommand
from autograder.courses.models import Assignment
from autograder.courses.selectors import assignment_of, course_of, user_of
from autograder.explain.diagnosis import Explanation
from autograder.judge.files import FilesError
from autograder.judge.report import Report
from autograder.library import terminal
from autograder.library.command import bad_usage, contents, seconds
from autograder.library.pages import page_of
from autograder.library.uploads import from_path, is_notebook, source_of
from autograder.submissions.handing_in import intake
from autograder.submissions.messages import events
from autograder.submissions.models import Grading, Kind, Submission, Work
from autograder.submissions.selectors import grading_of, live_work_of, living_workers, place_of
from autograder.submissions.work import queue
from autograder.trace.model import Trace

DEFAULT_WAIT = 60.0  # default number of seconds to wait for a verdict
EXPLANATION_SECONDS = 10.0  # seconds to wait for the explanation after it; the first one of an exercise takes longest


class Command(CourseCommand):
    help = "Submits a file for a user. Exits with 0 if it was accepted (with --wait: graded), 1 if not, 2 for bad usage."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE")
        parser.add_argument("assignment", metavar="ASSIGNMENT")
        parser.add_argument("user", metavar="USER", help="the login of the student")
        parser.add_argument(
            "file", metavar="PATH", help="a file or notebook or, for an exercise of several files, a folder or zip archive"
        )
        parser.add_argument("--run", action="store_true", help="run only the public checks, without submitting")
        parser.add_argument(
            "--wait",
            nargs="?",
            type=seconds,
            const=DEFAULT_WAIT,
            metavar="SECONDS",
            help=f"wait for the verdict (default: {DEFAULT_WAIT:g} seconds)",
        )

    def answer(self, options: dict[str, Any]) -> None:
        if not Path(options["file"]).exists():
            raise bad_usage(f"the file {options['file']} does not exist")
        course = course_of(options["course"])
        submission = intake.submit(
            user=user_of(options["user"]),
            course=course,
            assignment=options["assignment"],
            source=self._source(options["file"], assignment_of(course, options["assignment"])),
            kind=Kind.RUN if options["run"] else Kind.SUBMIT,
        )
        self.stdout.write(f"Submitted as #{submission.pk}")
        if options["wait"] is not None:
            work = _followed(submission, options["wait"])
            _show(Path(options["file"]).name, _graded(work))

    def _source(self, name: str, assignment: Assignment) -> bytes:
        version = assignment.exercise_version
        page = page_of(version)
        if page.files is None and not is_notebook(name):
            return contents(name, intake.MAX_SOURCE_BYTES + 1)
        try:
            slug = version.exercise.slug
            upload = source_of(from_path(Path(name)), page.files, page.file_of(slug), exercise=slug)
        except (FilesError, OSError) as error:
            raise bad_usage(str(error)) from error
        for note in upload.notes:
            self.stderr.write(note)
        return upload.source


def _followed(submission: Submission, patience: float) -> Work:
    """Wait until the work has ended or the time is over."""
    deadline = time.monotonic() + patience
    with Status("submitted", console=Console(stderr=True)) as status:
        while (work := live_work_of(submission)).state in queue.WAITING and (left := deadline - time.monotonic()) > 0:
            status.update(_words(work))
            time.sleep(min(left, events.POLL_SECONDS))
    return work


def _words(work: Work) -> str:
    if work.state == Work.State.RUNNING:
        return "running"
    place = place_of(work)
    return f"waiting: {place.before} ahead of it, about {place.seconds:.0f} s"


def _graded(work: Work) -> Grading:
    name = f"#{work.submission_id}"
    if work.state in queue.WAITING:
        nobody = "" if living_workers().exists() else ", and no worker is running"
        raise CommandError(f"{name} is not graded yet: {_words(work)}{nobody}. It remains in the queue.")
    if work.state == Work.State.SUPERSEDED:
        raise CommandError(f"{name} was not graded: a newer submission took its place.")
    grading = grading_of(work.submission)
    if grading is None:
        raise CommandError(f"{name} could not be graded in {work.tries} tries because of an internal error: {work.trouble}")
    return grading


def _show(name: str, grading: Grading) -> None:
    console = Console(file=sys.stdout, highlight=False)
    report = msgspec.convert(grading.report, Report)
    terminal.show_report(console, name, report)
    deadline = time.monotonic() + EXPLANATION_SECONDS
    while grading.explained_at is None and time.monotonic() < deadline:
        time.sleep(events.POLL_SECONDS)
        grading.refresh_from_db(fields=("diagnosis", "traces", "explained_at"))
    explanations = msgspec.convert(grading.diagnosis, tuple[Explanation, ...])
    terminal.show_explanations(console, report, explanations, msgspec.convert(grading.traces, tuple[Trace, ...]))
