"""`manage.py exercise new|import|show|lint|court|learn|load|sync`: creates, imports, previews and validates exercises, puts tests
of other graders on trial, precomputes mistakes for explanations, loads exercises into the database, and keeps folders in step
with drafts.

Only `load` and `sync` need the database.
"""

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from autograder.authoring import exchange
from autograder.authoring.exchange import Sync
from autograder.courses.errors import Refused
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import course_of
from autograder.explain.diagnosis import prediction
from autograder.judge import pack
from autograder.judge.files import FilesError
from autograder.judge.grade import Judge
from autograder.library import statements, trials, versions
from autograder.library.command import ActionParser, GradusCommand, as_typed, bad_usage, printable, the_database
from autograder.library.notebooks.assignment import ImportRefused
from autograder.library.notebooks.exercise_folder import import_notebook
from autograder.library.sandboxes import SandboxSettingError, backend
from autograder.prove import adopt, court, scaffold, stored_proofs
from autograder.prove.findings import Proof
from autograder.prove.linter import prove
from autograder.prove.suite import SuiteError
from sandbox.errors import SandboxError

NEXT = (
    ("exercise show {slug}", "what students will read"),
    ("exercise lint {slug}", "what is unfinished, and which mistakes no check catches"),
    ("grade {slug} FILE", "grade a file of your own"),
)


class Command(GradusCommand):
    help = "Creates, previews and verifies exercises, and loads them into the database."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=ActionParser)
        new = actions.add_parser(
            "new", help="create an exercise: a working folder with placeholders for what you have to write"
        )
        new.add_argument(
            "slug", type=name, metavar="SLUG", help="the name of the exercise: lower-case letters, digits and dashes"
        )
        new.add_argument("--kind", required=True, choices=scaffold.NAMES, help="the template")
        new.add_argument(
            "--unit",
            type=name,
            default=scaffold.DRAFTS,
            help="the folder for the exercise, which is its unit (default: %(default)s)",
        )
        imported = actions.add_parser(
            "import", help="create an exercise from a source notebook of nbgrader or a master notebook of Otter"
        )
        imported.add_argument("path", metavar="PATH", help="the notebook")
        imported.add_argument("--slug", type=name, help="the name of the exercise (default: that of the file)")
        imported.add_argument("--unit", type=name, default=scaffold.DRAFTS, help="as for new (default: %(default)s)")
        show = actions.add_parser("show", help="show what students will read, and what is checked")
        show.add_argument("slug")
        lint = actions.add_parser("lint", help="verify the named exercises (default: all except drafts)")
        lint.add_argument("slugs", nargs="*", metavar="SLUG")
        lint.add_argument("--json", action="store_true", help="print one line of JSON per exercise")
        lint.add_argument("--jobs", type=int, default=2, metavar="N", help="number of parallel jobs")
        lint.add_argument("--again", action="store_true", help="verify again, even if nothing changed")
        trial = actions.add_parser(
            "court", help="run tests of another grader on wrong solutions, and report which ones pass them all"
        )
        trial.add_argument("tests", metavar="PATH", help="a pytest file, a file of asserts, or a notebook")
        trial.add_argument("slug", nargs="?", metavar="SLUG", help="the exercise with the solution that the tests are for")
        trial.add_argument("--solution", metavar="PATH", help="instead of an exercise: the module or the package under test")
        trial.add_argument("--json", action="store_true", help="print the result as one line of JSON")
        trial.add_argument("--show", type=int, default=5, metavar="N", help="survivors to show (default: %(default)s)")
        trial.add_argument(
            "--into",
            type=name,
            metavar="NEW-SLUG",
            help="make an exercise of SLUG in which the tests are the public checks",
        )
        learn = actions.add_parser(
            "learn", help="precompute the results of likely mistakes, so that they can be explained to students"
        )
        learn.add_argument("slugs", nargs="*", metavar="SLUG")
        learn.add_argument("--quick", action="store_true", help="only the named wrong solutions")
        load = actions.add_parser("load", help="load the exercise folders as versions that courses can assign")
        load.add_argument("slugs", nargs="*", metavar="SLUG")
        sync = actions.add_parser("sync", help="bring the folder of an exercise, or a folder of such, into step with drafts")
        sync.add_argument("path", metavar="PATH", help="the folder; its name is that of the draft")
        sync.add_argument("--course", required=True, metavar="COURSE", help="the course that the drafts belong to")
        sync.add_argument(
            "--prefer", choices=("folder", "draft"), default="", help="which side wins where both have changed a file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except (pack.PackError, scaffold.ScaffoldError, SuiteError, SandboxSettingError) as error:
            raise bad_usage(str(error)) from error
        except Refused as refused:
            raise CommandError(refused.message, returncode=1) from refused
        except SandboxError as error:
            raise CommandError(str(error), returncode=1) from error

    def _new(self, options: dict[str, Any]) -> None:
        slug = options["slug"]
        folder = scaffold.create(settings.EXERCISES, slug, options["kind"], options["unit"])
        self.stdout.write(
            f"Created {relative(str(folder))}. It already works. Parts that you have to write are marked {scaffold.MARK}:"
        )
        self._next_steps(slug)

    def _next_steps(self, slug: str) -> None:
        commands = [(as_typed(order.format(slug=slug)), purpose) for order, purpose in NEXT]
        width = max(len(command) for command, _ in commands)
        for command, purpose in commands:
            self.stdout.write(f"  {command:<{width}}  {purpose}")

    def _import(self, options: dict[str, Any]) -> None:
        path = Path(options["path"])
        if not path.is_file():
            raise bad_usage(f"the file {path} does not exist")
        try:
            imported = import_notebook(path, settings.EXERCISES, options["slug"] or "", options["unit"])
        except (ImportRefused, FilesError, OSError) as error:
            raise bad_usage(str(error)) from error
        self.stdout.write(
            f"Created {relative(str(imported.folder))}. Its checks.py is code of the notebook and runs in the judge: read it first."
        )
        if imported.left_out:
            self.stdout.write("Not carried, or not as it was in the notebook:")
        for line in imported.left_out:
            self.stdout.write(f"  {printable(line)}")
        self._next_steps(imported.folder.name)

    def _show(self, options: dict[str, Any]) -> None:
        exercise = pack.load(pack.find(settings.EXERCISES, options["slug"]))
        console = Console(file=sys.stdout)
        about = exercise.settings
        effort = f"difficulty {about.difficulty}" + (f" · about {about.minutes} min" if about.minutes else "")
        console.print(f"[bold]{about.title}[/bold]  {about.unit} · {about.points:g} points · {effort}")
        console.print(Markdown(statements.without_keys(exercise.statement)))
        for check in exercise.checks:
            console.print(f"  {'hidden' if check.hidden else 'public'}  {check.points:g}  {check.title}", markup=False)
        console.print(
            f"  {len(exercise.wrong)} wrong and {len(exercise.right)} right solutions · version {exercise.version}"
        )

    def _lint(self, options: dict[str, Any]) -> None:
        folders = chosen(options["slugs"])
        keep = proofs_folder()
        if not os.access(keep.parent, os.W_OK):
            self.stderr.write(f"{keep.parent} is not writable, so these results will not be saved.")
        refused = False
        with bar("verifying") as progress:
            task = progress.add_task("verifying", total=None)
            for proof in prove(
                backend(),
                folders,
                max(2, options["jobs"]),
                keep if os.access(keep.parent, os.W_OK) else None,
                partial(_advance, progress, task),
                again=options["again"],
            ):
                progress.stop()  # the line replaces the bar
                self.stdout.write(msgspec.json.encode(proof).decode() if options["json"] else words(proof))
                self.stdout.flush()
                progress.start()
                refused = refused or bool(proof.findings)
        if refused:
            raise SystemExit(1)

    def _court(self, options: dict[str, Any]) -> None:
        if bool(options["slug"]) == bool(options["solution"]):
            raise bad_usage("name the exercise that the tests are for, or its solution with --solution")
        if options["into"] and not options["slug"]:
            raise bad_usage("--into needs an exercise, whose checks become the hidden ones")
        tests = trials.suite_at(Path(options["tests"]))
        exercise = pack.load(pack.find(settings.EXERCISES, options["slug"])) if options["slug"] else None
        reference = court.Reference.of_exercise(exercise) if exercise else court.reference_at(Path(options["solution"]))
        with Judge(backend()) as judge, bar("on trial") as progress:
            task = progress.add_task("on trial", total=None)
            trial = court.hold(judge, tests, reference, partial(_advance, progress, task), court.same_as(judge, exercise))
            caught_by = court.caught_by_checks(judge, exercise, trial.survivors[: options["show"]])
        name = tests.path.name
        result = trials.as_json(name, trial) if options["json"] else trials.words(name, trial, caught_by, options["show"])
        self.stdout.write(result)
        if options["into"] and exercise:
            folder = adopt.adopt(Path(settings.EXERCISES), exercise, tests, trial.tests, options["into"])
            self.stdout.write(
                f"Created {relative(str(folder))}: the tests are its public checks, and the checks of {exercise.slug} hidden "
                f"ones. Read its title and its checks.py, then verify it: {as_typed(f'exercise lint {folder.name}')}"
            )

    def _learn(self, options: dict[str, Any]) -> None:
        folders = chosen(options["slugs"])
        with Judge(backend()) as judge, bar("learning") as progress:
            task = progress.add_task("learning", total=None)
            for number, folder in enumerate(folders, 1):
                exercise = pack.load(folder)
                progress.reset(task, total=None)
                advance = partial(_advance, progress, task)
                cache = settings.CACHE / "diagnosis"
                quick = options["quick"]
                proved = stored_proofs.wrong_endings
                known = (
                    prediction.load(judge, exercise, cache, proved=proved)
                    if quick
                    else prediction.learn(judge, exercise, cache, advance, proved=proved)
                )
                which = f"{number} of {len(folders)}  " if len(folders) > 1 else ""
                self.stdout.write(f"{which}{exercise.slug}: {len(known.entries)} known mistakes")

    def _load(self, options: dict[str, Any]) -> None:
        with the_database():
            loaded = versions.load_folders(chosen(options["slugs"]))
        for one in loaded:
            self.stdout.write(f"{'new' if one.new else 'unchanged':<10} {one.version}")
        self.stdout.write(f"{sum(one.new for one in loaded)} of {len(loaded)} versions are new")

    def _sync(self, options: dict[str, Any]) -> None:
        path, conflicts = Path(options["path"]).resolve(), 0
        folders = [path] if (path / "exercise.toml").is_file() or not path.is_dir() else _exercises_in(path)
        if not folders:
            raise bad_usage(f"there is no exercise.toml in {path} or in the folders below it")
        with the_database():
            course = course_of(options["course"])
            for folder in folders:
                found = exchange.sync(folder, course, options["prefer"], by=OPERATOR)
                for line in _synced(folder.name, found):
                    self.stdout.write(printable(line))
                conflicts += len(found.conflicts)
        if conflicts:
            raise CommandError(
                "What has changed on both sides was left as it is. Decide with --prefer folder or --prefer draft.",
                returncode=1,
            )


def _exercises_in(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("**/exercise.toml") if not path.parent.name.startswith("."))


def _synced(slug: str, found: Sync) -> Iterator[str]:
    for side, texts in (("folder", found.to_folder), ("draft", found.to_draft)):
        for path, text in texts.items():
            yield f"{'removed from' if text is None else 'written to'} the {side:<6}  {slug}/{path}"
    for path in found.conflicts:
        yield f"changed on both sides  {slug}/{path}"
    if not (found.to_folder or found.to_draft or found.conflicts):
        yield f"in step                {slug}"


def proofs_folder() -> Path:
    """The folder of stored proofs, next to the exercises and committed with them."""
    return Path(settings.EXERCISES) / stored_proofs.FOLDER


def bar(doing: str) -> Progress:
    """Return a progress bar on standard error, shown only in a terminal, because standard output is for results."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _advance(progress: Progress, task: TaskID, done: int, of: int) -> None:
    progress.update(task, completed=done, total=of)


def chosen(slugs: Sequence[str]) -> list[Path]:
    """Return the folders of these exercises, or of all except drafts."""
    return [pack.find(settings.EXERCISES, slug) for slug in slugs] or versions.every_folder(settings.EXERCISES)


def words(proof: Proof) -> str:
    """Format a proof: a line of figures, then a line per finding, followed by the diff of a surviving mutant."""
    rest = proof.mutants - proof.equivalent
    figures = f"{proof.killed} of {rest} mutants killed" + (f", {proof.allowed} allowed" if proof.allowed else "")
    head = (
        f"{'✗' if proof.findings else '✓'} {proof.slug}: {figures}, {proof.equivalent} equivalent, score {proof.score:.0%}"
    )
    lines = [head]
    for finding in proof.findings:
        lines.append(f"  {relative(finding.path)}:{finding.line}: {finding.rule}: {finding.message}")
        lines += ["    " + line for line in finding.detail.splitlines()]
    return "\n".join(lines)


def relative(path: str) -> str:
    """Return a path relative to the current folder."""
    return path.removeprefix(f"{Path.cwd()}/")


def name(text: str) -> str:
    """An argparse type: a slug or a unit."""
    try:
        return scaffold.valid_name(text)
    except scaffold.BadName as error:
        raise ArgumentTypeError(str(error)) from error
