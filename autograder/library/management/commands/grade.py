"""`manage.py grade SLUG PATH...`: grades submissions in warm sandboxes, in order. A path is a file, a notebook, a
folder or a zip archive.
"""

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.explain import batch
from autograder.explain.batch import GradedSource, GradingRequest, Slots
from autograder.explain.diagnosis import Explanation, can_be_explained
from autograder.judge import pack
from autograder.judge.files import FilesError
from autograder.judge.report import Report
from autograder.library import public_checks, terminal, uploads
from autograder.library.command import GradusCommand, bad_usage, contents
from autograder.library.sandboxes import SandboxSettingError, backend
from autograder.prove import stored_proofs
from autograder.trace.model import Trace
from sandbox.errors import Outage, SandboxError
from sandbox.wire import Limits

MANY = 3
PACKED = (".zip", ".ipynb")  # files that are not the source itself
LARGEST = Limits().source_bytes + 1  # one byte more than the limit is enough to detect a file that is too large
JSON_FIELDS = (
    "verdict",
    "reason",
    "score",
    "max_score",
    "seconds",
    "seed",
    "checks",
    "stdout",
    "message",
    "stopped",
    "starter",
    "profile",
    "sandbox",
    "judge_version",
    "libraries",
    "diagnosis",
)


class Command(GradusCommand):
    help = (
        "Grades files against an exercise. "
        "Exits with 0 if every file was graded, 1 if an internal error occurred, 2 for bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the folder name of the exercise")
        parser.add_argument(
            "paths",
            nargs="+",
            metavar="PATH",
            help="submissions: files, notebooks, folders or zip archives; the files of an exercise of several are one submission",
        )
        parser.add_argument("--json", action="store_true", help="print one line of JSON per file")
        parser.add_argument("--public", action="store_true", help="run the public checks only, as *Run* does on the site")
        parser.add_argument("--seed", type=seed, help="the seed of the hidden inputs, for repeating a grading")
        parser.add_argument("--no-diagnosis", action="store_true", help="verdicts only, without explanations")
        parser.add_argument("--trace", action="store_true", help="print the inspected backward passes step by step")
        parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="number of parallel graders")

    def handle(self, *args: Any, **options: Any) -> None:
        paths = [Path(name) for name in options["paths"]]
        try:
            chosen = backend()
            folder = pack.find(settings.EXERCISES, options["slug"])
            several = pack.has_several_files(folder)
            plain = not several and all(path.suffix not in PACKED and not path.is_dir() for path in paths)
            pack.load(folder) if plain and len(paths) > 1 and options["jobs"] > 1 else None
            sent = [(path, contents(str(path), LARGEST)) for path in paths] if plain else self._read(folder, paths, several)
            submissions = [(path, GradingRequest(source, options["seed"])) for path, source in sent]
            with Slots(chosen, [folder], min(options["jobs"], len(submissions))) as pool:
                internal = self._grade(pool, folder, submissions, options)
        except (pack.PackError, SandboxSettingError, FilesError) as error:
            raise bad_usage(str(error)) from error
        except Outage as error:
            raise CommandError(f"Cannot grade: {error}", returncode=1) from error
        except SandboxError as error:
            raise CommandError(f"The sandbox does not work: {error}", returncode=1) from error
        if internal:
            raise SystemExit(1)

    def _read(self, folder: Path, paths: Sequence[Path], several: bool) -> list[tuple[Path, bytes]]:
        """The sources in folders, archives and files. All single files for an exercise of several files are one submission."""
        exercise = pack.load(folder)
        missing = next((path for path in paths if not path.exists()), None)
        if missing is not None:
            raise bad_usage(f"the file {missing} does not exist")
        single = [path for path in paths if several and path.suffix != ".zip" and not path.is_dir()]
        groups = [[path] for path in paths if path not in single] + ([single] if single else [])
        found = []
        for group in groups:
            try:
                sent = [file for path in group for file in uploads.from_path(path)]
            except OSError as error:
                raise bad_usage(str(error)) from error
            if len(group) > 1:
                sent = [replace(file, name=path.as_posix()) for path, file in zip(group, sent, strict=True)]
            try:
                upload = uploads.source_of(sent, exercise.files, exercise.file_name, exercise=exercise.slug)
            except FilesError as error:
                raise FilesError(f"{group[0]}: {error}") from error
            for note in upload.notes:
                self.stderr.write(f"{group[0]}: {note}")
            found.append((group[0] if len(group) == 1 else group[0].parent, upload.source))
        return found

    def _grade(self, pool: Slots, folder: Path, files: list[tuple[Path, GradingRequest]], options: dict[str, Any]) -> bool:
        """Print every report as soon as it is available, followed by its explanation. Returns True if one of them is internal."""
        console = Console(file=sys.stdout, highlight=False)
        internal = False
        grading = public_checks if options["public"] else batch
        reports = pool.map(grading.grade, [(folder, submission) for _, submission in files])
        for (path, submission), report in zip(files, _with_progress(reports, len(files)), strict=True):
            internal = internal or report.verdict == "internal"
            if not options["json"]:
                terminal.show_report(console, path.name, report, pack.kind_of(folder))
            diagnosis = not options["no_diagnosis"]
            # the explanations for people include numbers from the traces
            trace = options["trace"] or (diagnosis and not options["json"] and can_be_explained(report))
            graded = GradedSource(
                submission.source, report, settings.CACHE / "diagnosis", trace, diagnosis, stored_proofs.wrong_endings
            )
            traces, explanations = pool.call(grading.explained, folder, graded)
            if options["json"]:
                self.stdout.write(as_line(str(path), report, explanations, traces if options["trace"] else None))
            else:
                terminal.show_traces(console, report, traces if options["trace"] else ())
                terminal.show_explanations(console, report, explanations, traces, pack.kind_of(folder))
        return internal


def as_line(file: str, report: Report, told: Sequence[Explanation] = (), traced: Sequence[Trace] | None = None) -> str:
    """Return the report and its explanation as one line of JSON, in the order of docs/report.md. `trace` is included if given."""
    fields = {**msgspec.to_builtins(report), "diagnosis": msgspec.to_builtins(told)}
    line = {"file": file, "exercise": fields["exercise"], "version": fields["version"]}
    line |= {name: fields[name] for name in JSON_FIELDS}
    if traced is not None:
        line["trace"] = msgspec.to_builtins(traced)
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


def positive(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 64:
        raise ArgumentTypeError(f"'{text}' is not a valid number of graders (1 to 64)")
    return int(text)


def seed(text: str) -> int:
    if not text.isdigit() or int(text) >= 1 << 63:
        raise ArgumentTypeError(f"'{text}' is not a seed (a whole number, 0 or greater)")
    return int(text)
