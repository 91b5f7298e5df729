"""`manage.py course create|roster|assign|show`: sets up courses."""

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import CommandParser
from django.db.models import Count, Q
from rich.console import Console
from rich.text import Text

from autograder.courses import roster, services
from autograder.courses.command import CourseCommand
from autograder.courses.models import Course, Role, ShowHidden
from autograder.courses.selectors import course_of, user_of, version_of_exercise
from autograder.courses.table import MOST_BYTES, decoded
from autograder.gradebook.policies import POLICIES
from autograder.library.command import ActionParser, contents, number, printable
from autograder.submissions.models import Kind


class Command(CourseCommand):
    help = "Sets up courses: people, assignments, dates. Exits with 1 if something was refused, 2 for bad usage."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=ActionParser)
        create = actions.add_parser("create", help="begin a course")
        create.add_argument("slug", metavar="SLUG", help="its name in addresses")
        create.add_argument("--title", required=True)
        create.add_argument("--owner", metavar="LOGIN", help="who answers for it")
        create.add_argument("--time-zone", default="UTC", metavar="ZONE", help="for example Europe/Berlin (%(default)s)")
        create.add_argument("--supersedes", action="store_true", help="a newer submission replaces one that still waits")
        people = actions.add_parser("roster", help="import people from a CSV file: login, email, name, section, role, ...")
        people.add_argument("course", metavar="COURSE")
        people.add_argument("file", metavar="FILE")
        people.add_argument("--only-good", action="store_true", help="import the good rows although there are bad ones")
        people.add_argument("--dry-run", action="store_true", help="say what would happen, and store nothing")
        assign = actions.add_parser("assign", help="make an exercise, in its latest version, a task of a course")
        _assign_arguments(assign)
        show = actions.add_parser("show", help="people, assignments and dates of a course")
        show.add_argument("course", metavar="COURSE")

    def answer(self, options: dict[str, Any]) -> None:
        getattr(self, f"_{options['action']}")(options)

    def _create(self, options: dict[str, Any]) -> None:
        course = services.course_create(
            slug=options["slug"],
            title=options["title"],
            by=None,
            owner=user_of(options["owner"]) if options["owner"] else None,
            time_zone=options["time_zone"],
            supersedes=options["supersedes"],
        )
        self.stdout.write(f"{course.title} ({course.slug}) is there")

    def _roster(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        read = roster.read(decoded(contents(options["file"], MOST_BYTES + 1)), course)
        refused = bool(read.bad) and not options["only_good"]
        if not refused and not options["dry_run"]:
            read = roster.apply(read, by=None, only_good=options["only_good"])
        for row in read.rows:
            if row.words:
                self.stdout.write(f"line {row.line}: {row.fate:<8} {printable(row.login) or '(no login)'}: {row.words}")
        if read.ignored:
            self.stdout.write(f"ignored columns: {printable(', '.join(read.ignored))}")
        counts = ", ".join(f"{count} {fate}" for fate, count in read.counts.items())
        outcome = "nothing was imported" if refused or options["dry_run"] else "imported"
        self.stdout.write(f"{len(read.rows)} rows: {counts}; {outcome}")
        if refused:
            raise SystemExit(1)

    def _assign(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        minutes = options["cool_down"]
        assignment = services.assignment_create(
            course=course,
            version=version_of_exercise(options["exercise"]),
            by=None,
            policies=POLICIES,
            slug=options["slug"] or "",
            title=options["title"] or "",
            points=options["points"],
            opens_at=_at(course, options["opens"], time.min),
            due_at=_at(course, options["due"], LATEST),
            closes_at=_at(course, options["closes"], LATEST),
            policy=options["policy"],
            late_share=options["late_share"],
            attempt_limit=options["attempts"],
            cool_down=timedelta(minutes=minutes),
            show_hidden=options["show_hidden"],
        )
        due = f", due {_local(course, assignment.due_at)}" if assignment.due_at else ""
        self.stdout.write(f"{course.slug}/{assignment.slug}: {assignment.title}, {float(assignment.points):g} points{due}")

    def _show(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        console = Console(file=sys.stdout, highlight=False)
        console.print(Text.assemble((course.title, "bold"), f"  {course.slug} · {course.time_zone}"), soft_wrap=True)
        roles = dict(course.memberships.filter(removed_at=None).values_list("role").annotate(Count("id")))
        console.print("  " + (", ".join(_people(roles)) or "nobody yet"))
        for section in course.sections.annotate(people=Count("memberships", filter=Q(memberships__removed_at=None))):
            console.print(f"  section {section.name}: {section.people}", markup=False)
        for line in _assignments(course):
            console.print(line, markup=False, soft_wrap=True)


LATEST = time(23, 59)  # of a date without a time: whoever writes "due on Friday" means its evening


def _assign_arguments(assign: CommandParser) -> None:
    assign.add_argument("course", metavar="COURSE")
    assign.add_argument("exercise", metavar="EXERCISE", help="as its folder is called; manage.py exercise load comes first")
    assign.add_argument("--slug", help="its name in addresses (that of the exercise)")
    assign.add_argument("--title", help="(that of the exercise)")
    assign.add_argument("--points", type=_decimal, metavar="P", help="what it is worth (what the exercise says)")
    for name, about in (("opens", "00:00"), ("due", "23:59"), ("closes", "23:59")):
        words = f"ISO 8601; in the course's time zone if none is given, at {about} if no time is"
        assign.add_argument(f"--{name}", type=_moment, metavar="TIME", help=words)
    assign.add_argument("--policy", default="best", help=f"what counts of several submissions: {', '.join(POLICIES)}")
    assign.add_argument(
        "--late-share", type=_decimal, default=Decimal(1), metavar="S", help="what late ones are worth, 0 to 1"
    )
    assign.add_argument("--attempts", type=number, metavar="N", help="how many submissions are allowed (any number)")
    assign.add_argument("--cool-down", type=_minutes, default=0, metavar="MIN", help="minutes between two submissions")
    assign.add_argument(
        "--show-hidden", choices=ShowHidden.values, default=ShowHidden.AFTER_DUE, help="hidden results (%(default)s)"
    )


def _people(roles: dict[str, int]) -> list[str]:
    return [f"{roles[role]} {role.label.lower()}{'s' if roles[role] > 1 else ''}" for role in Role if role in roles]


def _assignments(course: Course) -> Iterator[str]:
    handed_in = Count("submissions", filter=Q(submissions__kind=Kind.SUBMIT))
    for one in course.assignments.filter(removed_at=None).select_related("version").annotate(handed_in=handed_in):
        dates = (("opens", one.opens_at), ("due", one.due_at), ("closes", one.closes_at))
        terms = [f"{word} {_local(course, at)}" for word, at in dates if at]
        terms.append(one.policy if one.late_share == 1 else f"{one.policy}, late ones {float(one.late_share):.0%}")
        terms += [f"{one.attempt_limit} attempts"] if one.attempt_limit else []
        yield f"  {one.slug}: {one.title}, {float(one.points):g} points, version {one.version.hash}, {one.handed_in} handed in"
        yield f"    {'; '.join(terms)}"


def _local(course: Course, at: datetime | None) -> str:
    return "" if at is None else at.astimezone(ZoneInfo(course.time_zone)).strftime("%Y-%m-%d %H:%M")


def _at(course: Course, given: date | None, of_a_date: time) -> datetime | None:
    if given is None:
        return None
    at = given if isinstance(given, datetime) else datetime.combine(given, of_a_date)
    return at if at.tzinfo else at.replace(tzinfo=ZoneInfo(course.time_zone))


def _moment(text: str) -> date:
    """A date, or a date with its time."""
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    raise ArgumentTypeError(f"'{text}' is no time as in 2027-01-31T18:00 or 2027-01-31")


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite():
        raise ArgumentTypeError(f"'{text}' is not a number")
    return value


def _minutes(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > 100_000:
        raise ArgumentTypeError(f"'{text}' is not a number of minutes")
    return int(text)
