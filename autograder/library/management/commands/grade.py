"""`manage.py grade SLUG FILE...`: grades files on warm sandboxes, in order."""

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.judge import pack
from autograder.judge.batch import Submission, grade_all
from autograder.judge.report import Report
from autograder.library import terminal
from autograder.library.command import GradusCommand, bad_usage
from autograder.library.sandboxes import SandboxSettingError, backend
from sandbox.errors import LayerMissing, SandboxError
from sandbox.wire import Limits

MANY = 3
JSON_FIELDS = (
    *("verdict", "reason", "score", "max_score", "seconds", "seed", "checks", "stdout"),
    *("message", "profile", "sandbox", "judge_version", "libraries"),
)


class Command(GradusCommand):
    help = (
        "Grades files against an exercise. Exits with 0 if every file got a verdict, 1 if one is internal, 2 for bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the exercise, as its folder is called")
        parser.add_argument("files", nargs="+", metavar="FILE", help="submissions")
        parser.add_argument("--json", action="store_true", help="one line of JSON per file")
        parser.add_argument("--seed", type=seed, help="the seed of the hidden inputs, to repeat a grading")
        parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="slots that grade at the same time")

    def handle(self, *args: Any, **options: Any) -> None:
        files = [Path(name) for name in options["files"]]
        try:
            chosen = backend()
            folder = pack.find(settings.EXERCISES, options["slug"])
            pack.load(folder) if len(files) > 1 and options["jobs"] > 1 else None
            sources = [read(path) for path in files]
            jobs = [(folder, Submission(source, options["seed"])) for source in sources]
            reports = grade_all(chosen, jobs, min(options["jobs"], len(files)))
            internal = self._print(files, reports, as_json=options["json"])
        except (pack.PackError, SandboxSettingError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
            raise bad_usage(str(error)) from error
        except LayerMissing as error:
            raise CommandError(f"nothing is graded: {error}", returncode=1) from error
        except SandboxError as error:
            raise CommandError(f"the sandbox does not work: {error}", returncode=1) from error
        if internal:
            raise SystemExit(1)

    def _print(self, files: list[Path], reports: Iterator[Report], *, as_json: bool) -> bool:
        """Every report as soon as it is there; True when one of them is internal."""
        console = Console(file=sys.stdout, highlight=False)
        internal = False
        for path, report in zip(files, _with_progress(reports, len(files)), strict=True):
            internal = internal or report.verdict == "internal"
            if as_json:
                self.stdout.write(as_line(str(path), report))
            else:
                terminal.show(console, path.name, report)
        return internal


def as_line(file: str, report: Report) -> str:
    """The report as one line of JSON, in the order of docs/report.md."""
    fields = msgspec.to_builtins(report)
    line = {"file": file, "exercise": fields["exercise"], "version": fields["version"]}
    line |= {name: fields[name] for name in JSON_FIELDS}
    return msgspec.json.encode(line).decode()


def _with_progress(reports: Iterator[Report], count: int) -> Iterator[Report]:
    if count <= MANY:
        yield from reports
        return
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task("grading", total=count)
        for report in reports:
            progress.advance(task)
            yield report


def read(path: Path) -> bytes:
    """The start of a file: one byte more than is graded is enough to say that it is too large."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file")
    with path.open("rb") as file:
        return file.read(Limits().source_bytes + 1)


def positive(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 64:
        raise ArgumentTypeError(f"'{text}' is not a number of slots (1 to 64)")
    return int(text)


def seed(text: str) -> int:
    if not text.isdigit() or int(text) >= 1 << 63:
        raise ArgumentTypeError(f"'{text}' is not a seed (a whole number from 0)")
    return int(text)
