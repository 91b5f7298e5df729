"""`manage.py regrade`: regrades submissions, first as a preview of the effect on grades, which is then committed or discarded."""

import sys
import time
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.courses.errors import Refused
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.models import Course, Membership
from autograder.courses.selectors import assignment_of, course_of, member_of, owner_of, user_of
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrading import GradeChange
from autograder.library.command import as_typed, bad_usage, number, seconds
from autograder.library.models import ExerciseVersion
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Submission
from autograder.submissions.selectors import living_workers

DEFAULT_WAIT = 600.0
POLL_SECONDS = 0.2
PREVIEW_OPTIONS = ("course", "assignment", "submission", "version", "reason")


class Command(CourseCommand):
    help = (
        "Regrades submissions. --preview grades them without changing any grade; "
        "then show, commit or discard the result by its number."
    )

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        """Allow `--version`, which here is the version of an exercise, to replace Django's option."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **options)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", metavar="COURSE", nargs="?")
        deed = parser.add_mutually_exclusive_group(required=True)
        deed.add_argument("--preview", action="store_true", help="grade again without changing any grade")
        deed.add_argument("--show", action="store_true", help="show the changes")
        deed.add_argument("--commit", action="store_true", help="make the result count")
        deed.add_argument("--discard", action="store_true", help="discard the result")
        parser.add_argument("--assignment", metavar="A", help="only this assignment (default: all)")
        parser.add_argument(
            "--submission", metavar="ID", type=number, nargs="+", help="only these submissions (default: all)"
        )
        parser.add_argument(
            "--version", metavar="HASH", help="with this version of the exercise (default: that of the assignment)"
        )
        parser.add_argument("--reason", metavar="R", help="shown next to every grade that changes")
        parser.add_argument("--may-lower", action="store_true", help="allow grades to be lowered")
        parser.add_argument("--batch", metavar="N", type=number, help="the number printed by --preview")
        parser.add_argument("--by", metavar="LOGIN", help="the acting member (default: the owner of the course)")
        parser.add_argument(
            "--wait",
            nargs="?",
            type=seconds,
            const=DEFAULT_WAIT,
            metavar="SECONDS",
            help=f"wait until it has finished (default: {DEFAULT_WAIT:g} seconds)",
        )

    def answer(self, options: dict[str, Any]) -> None:
        if options["preview"]:
            self._preview(options)
            return
        meant = [f"--{name}" if name != "course" else "COURSE" for name in PREVIEW_OPTIONS if options[name]]
        if options["batch"] is None or meant or options["may_lower"]:
            raise bad_usage(f"--show, --commit and --discard take only --batch N{', not ' + meant[0] if meant else ''}")
        batch = Batch.objects.filter(pk=options["batch"]).select_related("course").first()
        if batch is None:
            raise Refused(f"There is no regrade {options['batch']}.")
        if options["wait"] is not None:
            _followed(batch, options["wait"])
        if options["show"]:
            self._show(batch)
        elif options["commit"]:
            would = _changes(batch)
            made = regrading.commit(batch, by=_who(batch.course, options["by"]), lower=batch.may_lower)
            unchanged = f"; {len(would) - len(made)} would go down and were not changed" if len(would) > len(made) else ""
            self.stdout.write(f"Regrade {batch.pk} was applied: {_up_and_down(made)}{unchanged}.")
        else:
            regrades.discard(batch, by=_who(batch.course, options["by"]))
            self.stdout.write(f"Regrade {batch.pk} was discarded. No grade changed.")

    def _preview(self, options: dict[str, Any]) -> None:
        if not options["course"] or not options["reason"] or options["batch"] is not None:
            raise bad_usage("--preview needs COURSE and --reason R, and does not take --batch")
        course = course_of(options["course"])
        batch = regrades.start(
            course=course,
            by=_who(course, options["by"]),
            reason=options["reason"],
            submissions=_chosen(course, options["submission"]),
            assignment=assignment_of(course, options["assignment"]) if options["assignment"] else None,
            version=_version(options["version"]) if options["version"] else None,
            may_lower=options["may_lower"],
        )
        wanted = regrades.progress(batch).wanted
        self.stdout.write(f"Regrade {batch.pk}: {wanted} submission{'s' if wanted > 1 else ''} to grade again")
        if options["wait"] is not None:
            _followed(batch, options["wait"])
            self._show(batch)

    def _show(self, batch: Batch) -> None:
        console = Console(file=sys.stdout, highlight=False)
        progress, changes = regrades.progress(batch), _changes(batch)
        if batch.state == Batch.State.PREVIEW and changes:
            console.print(_table(changes))
            console.print()
        words = [f"{progress.done} of {progress.wanted} graded again"]
        words += [f"{progress.failed} could not be graded because of an internal error"] if progress.failed else []
        words += [_up_and_down(changes)] if batch.state == Batch.State.PREVIEW else []
        console.print(f"Regrade {batch.pk} of {batch.course}, {batch.state}: {', '.join(words)}", markup=False)
        if batch.state == Batch.State.PREVIEW and not batch.may_lower and any(change.lowers for change in changes):
            console.print("Scores that would go down stay as they are, because this regrade does not lower scores.")


def _chosen(course: Course, ids: list[int] | None) -> "QuerySet[Submission] | None":
    if ids is None:
        return None
    chosen = Submission.objects.filter(pk__in=ids, assignment__course=course)
    missing = sorted(set(ids) - set(chosen.values_list("pk", flat=True)))
    if missing:
        raise Refused(f"There is no submission #{missing[0]} in {course.title}.")
    return chosen


def _version(begin: str) -> ExerciseVersion:
    found: list[ExerciseVersion] = list(
        ExerciseVersion.objects.filter(hash__startswith=begin).select_related("exercise")[:2]
    )
    if not found:
        raise Refused(f"There is no version {begin}. All versions are in the output of: {as_typed('exercise load')}")
    if len(found) > 1:
        raise Refused(f"Several versions begin with {begin}. Give more of the hash.")
    return found[0]


def _who(course: Course, login: str | None) -> Membership:
    return member_of(user_of(login), course) if login else owner_of(course)


def _followed(batch: Batch, patience: float) -> None:
    deadline = time.monotonic() + patience
    columns = (TextColumn("grading again"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("grading again", total=None)
        while not (now := regrades.progress(batch)).ready:
            bar.update(task, completed=now.done + now.failed, total=now.wanted)
            if time.monotonic() > deadline:
                nobody = "" if living_workers().exists() else ", and no worker is running"
                done = f"{now.done + now.failed} of {now.wanted}"
                raise CommandError(f"regrade {batch.pk} is not finished: {done}{nobody}. It continues in the background.")
            time.sleep(POLL_SECONDS)
        bar.update(task, completed=now.wanted, total=now.wanted)


def _changes(batch: Batch) -> list[GradeChange]:
    return [change for change in regrading.preview(batch) if change.changed]


def _table(changes: list[GradeChange]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("who", "assignment", "before", "after", "difference", ""):
        table.add_column(heading, justify="left" if heading in ("who", "assignment", "") else "right")
    for change in changes:
        of = change.assignment.points
        difference = f"{change.difference / of:+.0%}".replace("-", "−")
        stays = f"stays at {_plain(change.override.points)}, set by hand" if change.override else ""
        table.add_row(
            str(change.membership.user),
            change.assignment.slug,
            _points(change.before, of),
            _points(change.after, of),
            difference,
            stays,
        )
    return table


def _points(points: Decimal | None, of: Decimal) -> str:
    return "none" if points is None else f"{_plain(points)} of {_plain(of)}"


def _plain(points: Decimal) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _up_and_down(changes: Sequence[GradeChange]) -> str:
    return f"{sum(change.raises for change in changes)} up, {sum(change.lowers for change in changes)} down"
