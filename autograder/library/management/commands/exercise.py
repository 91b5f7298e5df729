"""`manage.py exercise show|lint|learn`: previews and proves exercises, and learns the mistakes that can be made in them."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from autograder.judge import pack
from autograder.judge.diagnosis import prediction
from autograder.judge.grade import Judge
from autograder.judge.lint.findings import Proof
from autograder.judge.lint.prove import prove
from autograder.library.command import GradusCommand, bad_usage
from autograder.library.sandboxes import SandboxSettingError, backend
from sandbox.errors import SandboxError


class Command(GradusCommand):
    help = "Previews and proves exercises."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=type(parser))
        show = actions.add_parser("show", help="what a student will read, and what is checked")
        show.add_argument("slug")
        lint = actions.add_parser("lint", help="prove exercises: all, or those named")
        lint.add_argument("slugs", nargs="*", metavar="SLUG")
        lint.add_argument("--json", action="store_true", help="one line of JSON per exercise")
        lint.add_argument("--jobs", type=int, default=2, metavar="N", help="slots that work at the same time")
        learn = actions.add_parser("learn", help="run every likely mistake ahead of time, so that it can be explained")
        learn.add_argument("slugs", nargs="*", metavar="SLUG")
        lint.add_argument("--no-cache", action="store_true", help="prove again what was proved before")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except (pack.PackError, SandboxSettingError) as error:
            raise bad_usage(str(error)) from error
        except SandboxError as error:
            raise CommandError(str(error), returncode=1) from error

    def _show(self, options: dict[str, Any]) -> None:
        exercise = pack.load(pack.find(settings.EXERCISES, options["slug"]))
        console = Console(file=sys.stdout)
        about = exercise.settings
        console.print(f"[bold]{about.title}[/bold]  {about.unit} · {about.points:g} points · difficulty {about.difficulty}")
        console.print(Markdown(exercise.statement))
        for check in exercise.checks:
            console.print(f"  {'hidden' if check.hidden else 'public'}  {check.points:g}  {check.title}", markup=False)
        console.print(
            f"  {len(exercise.wrong)} wrong and {len(exercise.right)} right solutions · version {exercise.version}"
        )

    def _lint(self, options: dict[str, Any]) -> None:
        folders = chosen(options["slugs"])
        cache = None if options["no_cache"] else settings.CACHE / "lint"
        with bar("proving") as progress:
            task = progress.add_task("proving", total=None)
            proofs = prove(
                backend(),
                folders,
                max(2, options["jobs"]),
                cache,
                partial(_advance, progress, task),
            )
        for proof in proofs:
            self.stdout.write(msgspec.json.encode(proof).decode() if options["json"] else words(proof))
        if any(proof.findings for proof in proofs):
            raise SystemExit(1)

    def _learn(self, options: dict[str, Any]) -> None:
        folders = chosen(options["slugs"])
        with Judge(backend()) as judge, bar("learning") as progress:
            task = progress.add_task("learning", total=None)
            for folder in folders:
                exercise = pack.load(folder)
                progress.reset(task, total=None)
                advance = partial(_advance, progress, task)
                known = prediction.learn(judge, exercise, settings.CACHE / "diagnosis", advance)
                self.stdout.write(f"{exercise.slug}: {len(known.entries)} mistakes are known")


def bar(doing: str) -> Progress:
    """On standard error: standard output is for results."""
    return Progress(TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True))


def _advance(progress: Progress, task: TaskID, done: int, of: int) -> None:
    progress.update(task, completed=done, total=of)


def chosen(slugs: Sequence[str]) -> list[Path]:
    """The folders of these exercises, or all."""
    return [pack.find(settings.EXERCISES, slug) for slug in slugs] or every_folder(settings.EXERCISES)


def words(proof: Proof) -> str:
    """A proof for people: a line of figures, then a line per finding with the diff of a survivor below."""
    rest = proof.mutants - proof.equivalent
    figures = f"{proof.killed} of {rest} mutants killed" + (f", {proof.allowed} allowed" if proof.allowed else "")
    head = (
        f"{'✗' if proof.findings else '✓'} {proof.slug}: {figures}, {proof.equivalent} equivalent, score {proof.score:.0%}"
    )
    lines = [head]
    for finding in proof.findings:
        lines.append(f"  {relative(finding.path)}:{finding.line}: {finding.rule}: {finding.message}")
        lines += ["    " + line for line in finding.detail.splitlines()]
    if proof.redundant:
        lines.append(f"  note: never the only one to notice something: {', '.join(proof.redundant)}")
    return "\n".join(lines)


def relative(path: str) -> str:
    base = str(settings.BASE_DIR) + "/"
    return path.removeprefix(base)


def every_folder(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("*/*/exercise.toml"))
