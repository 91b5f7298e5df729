"""`manage.py reproduce SUBMISSION`: repeats a stored grading with the same file, version and seed, and compares the reports."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from django.core.management.base import CommandError, CommandParser
from rich.console import Console

from autograder.courses.errors import Refused
from autograder.courses.management.course_command import CourseCommand
from autograder.examiner.examiners import ExaminerError, Examiners
from autograder.explain.batch import require_layers
from autograder.judge.pack import PackError
from autograder.judge.report import Report
from autograder.library import terminal
from autograder.library.command import number
from autograder.library.sandboxes import SandboxSettingError, backend
from autograder.library.versions import exercise_of
from autograder.submissions.models import Grading, Kind, Submission
from autograder.submissions.retention import kept_report
from sandbox.errors import Outage, SandboxError
from sandbox.packages import EXAMINER

TIMED = ("seconds",)  # no two gradings take the same time
MADE_WITH = ("judge_version", "libraries", "sandbox")  # possible reasons for a different report


class Command(CourseCommand):
    help = (
        "Grades a stored submission once more, with the version and seed of its grading, and stores nothing. "
        "Exits with 0 if the report is the same, 1 if it differs, 2 for bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("submission", metavar="SUBMISSION", type=number, help="the number of the submission")
        parser.add_argument(
            "--grading", metavar="N", type=number, help="the number of one of its gradings (default: the one that counts)"
        )

    def answer(self, options: dict[str, Any]) -> None:
        grading = _grading(options["submission"], options["grading"])
        stored = msgspec.convert(grading.report, Report)
        report = _again(grading)
        console = Console(file=sys.stdout, highlight=False)
        terminal.show_report(console, f"#{grading.submission_id}", report)
        terminal.show_explanations(console, report, ())
        differences = _differences(stored, report)
        name = f"grading {grading.pk} of {grading.graded_at:%Y-%m-%d %H:%M} UTC"
        if not differences:
            self.stdout.write(f"The report is the same as that of {name}.")
            return
        self.stdout.write(f"The report differs from {name}:")
        for line in differences:
            self.stdout.write(f"  {line}")
        raise SystemExit(1)


def _grading(submission_id: int, wanted: int | None) -> Grading:
    if not Submission.objects.filter(pk=submission_id).exists():
        raise Refused(f"There is no submission #{submission_id}.")
    gradings = Grading.objects.filter(submission=submission_id).select_related("submission")
    found = gradings.filter(current=True).first() if wanted is None else gradings.filter(pk=wanted).first()
    if found is not None:
        return found
    there = ", ".join(map(str, gradings.values_list("pk", flat=True))) or "none"
    missing = "No grading counts" if wanted is None else f"There is no grading {wanted}"
    raise Refused(f"{missing} of submission #{submission_id}. Its gradings: {there}.")


def _again(grading: Grading) -> Report:
    submission = grading.submission
    try:
        exercise, only_public = exercise_of(grading.version_id), submission.kind == Kind.RUN
        with Examiners(backend()) as examiners:
            profiles = [EXAMINER, exercise.content.settings.profile]
            for profile in profiles:
                examiners.sandbox(profile).start()
            require_layers(examiners, profiles)
            with examiners.examination(exercise.content, exercise.checks, only_public=only_public) as examination:
                return kept_report(examination.grade(bytes(submission.source), grading.seed))
    except (PackError, ExaminerError, SandboxSettingError) as error:
        raise Refused(str(error)) from error
    except Outage as error:
        raise CommandError(f"Cannot grade: {error}", returncode=1) from error
    except SandboxError as error:
        raise CommandError(f"The sandbox does not work: {error}", returncode=1) from error


def _differences(stored: Report, now: Report) -> list[str]:
    """List the differences in the verdict, check by check, followed by those of the environment."""
    said = [name for name in Report.__struct_fields__ if name not in (*TIMED, *MADE_WITH, "checks")]
    found = [*_fields(stored, now, said), *_checks(stored, now)]
    return found and [*found, *(f"graded with a different {line}" for line in _fields(stored, now, MADE_WITH))]


def _fields(stored: Report, now: Report, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        before, after = getattr(stored, name), getattr(now, name)
        if before != after:
            yield f"{name}: stored {before!r}, now {after!r}"


def _checks(stored: Report, now: Report) -> Iterator[str]:
    before = {check.id: check for check in stored.checks}
    for check in now.checks:
        was = before.pop(check.id, None)
        if was is None:
            yield f"check {check.id}: not in the stored report, now {check.ending}"
        elif was.ending != check.ending:
            yield f"check {check.id}: stored {was.ending}, now {check.ending}"
        elif was != check:
            yield f"check {check.id}: still {check.ending}, but with different points, numbers or words"
    yield from (f"check {check}: in the stored report, now missing" for check in before)
