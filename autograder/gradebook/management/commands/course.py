"""`manage.py course create|roster|assign|outside|change|extend|role|remove|show`: creates courses and changes them."""

import sys
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import CommandParser
from django.db.models import Count, Q
from rich.console import Console
from rich.text import Text

from autograder.courses.importers.roster import roster_import, roster_preview, with_owners_of_emails
from autograder.courses.management.course_command import CourseCommand
from autograder.courses.models import Assignment, Course, Role, ShowHidden
from autograder.courses.people.extensions import extension_grant, extension_withdraw
from autograder.courses.people.members import member_remove, member_role_update
from autograder.courses.policies import POLICIES
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import assignment_of, course_of, member_of, owner_of, user_of, version_of_exercise
from autograder.courses.setup.assignments import assignment_create, assignment_update, outside_assignment_create
from autograder.courses.setup.courses import course_create
from autograder.courses.setup.timezones import END_OF_DAY, in_zone, moment_of_day
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.library.command import ActionParser, contents, number, printable
from autograder.submissions.models import Kind


class Command(CourseCommand):
    help = "Sets up courses: people, assignments, dates. Exits with 1 if something was refused, 2 for bad usage."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=ActionParser)
        create = actions.add_parser("create", help="create a course")
        create.add_argument("slug", metavar="SLUG", help="the name of the course in URLs")
        create.add_argument("--title", required=True)
        create.add_argument("--owner", metavar="LOGIN", help="the login of the owner")
        create.add_argument(
            "--time-zone", default="UTC", metavar="ZONE", help="for example Europe/Berlin (default: %(default)s)"
        )
        create.add_argument(
            "--supersedes", action="store_true", help="a new submission replaces an earlier one that is still waiting"
        )
        create.add_argument(
            "--late-days", type=number, default=0, metavar="N", help="late days per student (default: %(default)s)"
        )
        people = actions.add_parser(
            "roster", help="import people from a CSV file or an Excel workbook: login, email, name, section, role, ..."
        )
        people.add_argument("course", metavar="COURSE")
        people.add_argument("file", metavar="FILE")
        people.add_argument("--only-good", action="store_true", help="import the valid rows even if others are invalid")
        by_email = "if a new login has the email address of an existing account, add that account"
        people.add_argument("--by-email", action="store_true", help=by_email)
        people.add_argument("--dry-run", action="store_true", help="show the changes without storing them")
        assign = actions.add_parser("assign", help="assign the latest version of an exercise")
        _assign_arguments(assign)
        _outside_arguments(actions.add_parser("outside", help="add work graded outside Gradus, such as an exam or a talk"))
        _change_arguments(actions)
        show = actions.add_parser("show", help="people, assignments and dates of a course")
        show.add_argument("course", metavar="COURSE")

    def answer(self, options: dict[str, Any]) -> None:
        getattr(self, f"_{options['action']}")(options)

    def _create(self, options: dict[str, Any]) -> None:
        course = course_create(
            slug=options["slug"],
            title=options["title"],
            by=OPERATOR,
            owner=user_of(options["owner"]) if options["owner"] else None,
            time_zone=options["time_zone"],
            supersedes=options["supersedes"],
            late_days=options["late_days"],
        )
        self.stdout.write(f"Created {course.title} ({course.slug})")

    def _roster(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        preview = roster_preview(contents(options["file"], MAX_BYTES + 1), course)
        if options["by_email"]:
            preview = with_owners_of_emails(preview)
        refused = bool(preview.bad) and not options["only_good"]
        if not refused and not options["dry_run"]:
            preview = roster_import(preview=preview, by=OPERATOR, only_good=options["only_good"])
        if preview.sheet:
            also = f"; not read: {printable(', '.join(preview.other_sheets))}" if preview.other_sheets else ""
            self.stdout.write(f"sheet read: {printable(preview.sheet)}{also}")
        for row in preview.rows:
            if row.message:
                self.stdout.write(f"line {row.line}: {row.status:<8} {printable(row.login) or '(no login)'}: {row.message}")
        if preview.ignored:
            self.stdout.write(f"ignored columns: {printable(', '.join(preview.ignored))}")
        counts = ", ".join(f"{count} {status}" for status, count in preview.counts.items())
        outcome = "nothing was imported" if refused or options["dry_run"] else "imported"
        self.stdout.write(f"{len(preview.rows)} rows: {counts}; {outcome}")
        if refused:
            raise SystemExit(1)

    def _assign(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        minutes = options["cool_down"]
        assignment = assignment_create(
            course=course,
            version=version_of_exercise(options["exercise"]),
            by=OPERATOR,
            slug=options["slug"] or "",
            title=options["title"] or "",
            points=options["points"],
            opens_at=_at(course, options["opens"], time.min),
            due_at=_at(course, options["due"], END_OF_DAY),
            closes_at=_at(course, options["closes"], END_OF_DAY),
            policy=options["policy"],
            attempt_limit=options["attempts"],
            cool_down=timedelta(minutes=minutes),
            show_hidden=options["show_hidden"],
            explain_hidden=options["explain_hidden"],
            **_late_work(course, options),
        )
        due = f", due {_local(course, assignment.due_at)}" if assignment.due_at else ""
        self.stdout.write(f"{course.slug}/{assignment.slug}: {assignment.title}, {float(assignment.points):g} points{due}")

    def _outside(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        made = outside_assignment_create(
            course=course,
            by=OPERATOR,
            title=options["title"],
            points=options["points"],
            unit=options["unit"],
            due_at=_at(course, options["due"], END_OF_DAY),
            slug=options["slug"] or "",
        )
        due = f", due {_local(course, made.due_at)}" if made.due_at else ""
        self.stdout.write(f"{course.slug}/{made.slug}: {made.title}, {float(made.points):g} points{due}, graded outside")

    def _change(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        wanted: dict[str, Any] = {name: options[name] for name in PLAIN if options[name] is not None}
        for name, of_a_date in (("opens", time.min), ("due", END_OF_DAY), ("closes", END_OF_DAY)):
            if options[name] is not None:
                wanted[f"{name}_at"] = _at(course, options[name], of_a_date)
        if options["attempts"] is not None:
            wanted["attempt_limit"] = options["attempts"]
        if options["cool_down"] is not None:
            wanted["cool_down"] = timedelta(minutes=options["cool_down"])
        wanted |= _late_work(course, options)
        wanted |= {WITHOUT[word]: None for word in options["without"]}
        assignment = assignment_of(course, options["assignment"])
        assignment_update(assignment=assignment, by=OPERATOR, **wanted)
        self.stdout.write(f"{course.slug}/{assignment.slug}: {', '.join(sorted(wanted)) or 'nothing'} set")

    def _extend(self, options: dict[str, Any]) -> None:
        course, user = course_of(options["course"]), user_of(options["login"])
        assignment, membership = assignment_of(course, options["assignment"]), member_of(user, course)
        by = member_of(user_of(options["by"]), course) if options["by"] else owner_of(course)
        if options["withdraw"]:
            extension_withdraw(assignment=assignment, membership=membership, by=by, reason=options["reason"])
            self.stdout.write(f"{user} no longer has an extension for {assignment.title}")
            return
        extension_grant(
            assignment=assignment,
            membership=membership,
            by=by,
            reason=options["reason"],
            due_at=_at(course, options["due"], END_OF_DAY),
            closes_at=_at(course, options["closes"], END_OF_DAY),
            extra_attempts=options["attempts"] or 0,
        )
        self.stdout.write(f"{user} now has an extension for {assignment.title}")

    def _role(self, options: dict[str, Any]) -> None:
        course, user = course_of(options["course"]), user_of(options["login"])
        changed = member_role_update(membership=member_of(user, course), role=options["role"], by=OPERATOR)
        self.stdout.write(f"The role of {user} in {course.slug} is now {changed.get_role_display().lower()}")

    def _remove(self, options: dict[str, Any]) -> None:
        course, user = course_of(options["course"]), user_of(options["login"])
        member_remove(membership=member_of(user, course), by=OPERATOR)
        self.stdout.write(f"{user} is no longer a member of {course.slug}; all work is kept")

    def _show(self, options: dict[str, Any]) -> None:
        course = course_of(options["course"])
        console = Console(file=sys.stdout, highlight=False)
        console.print(Text.assemble((course.title, "bold"), f"  {course.slug} · {course.time_zone}"), soft_wrap=True)
        roles = dict(course.memberships.filter(removed_at=None).values_list("role").annotate(Count("id")))
        console.print("  " + (", ".join(_people(roles)) or "no members yet"))
        for section in course.sections.annotate(people=Count("memberships", filter=Q(memberships__removed_at=None))):
            console.print(f"  section {section.name}: {section.people}", markup=False)
        for line in _assignments(course):
            console.print(line, markup=False, soft_wrap=True)


def _late_work(course: Course, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options about late work that were given."""
    said = {name: options[name] for name in ("late_share", "late_per_day", "late_floor") if options[name] is not None}
    if options["late_grace"] is not None:
        said["late_grace"] = timedelta(minutes=options["late_grace"])
    if options["no_credit_after"] is not None:
        said["no_credit_after"] = _at(course, options["no_credit_after"], END_OF_DAY)
    if options["late_days"] is not None:
        said["late_days_limit"] = options["late_days"]
    return said


PLAIN = ("title", "points", "policy", "show_hidden", "explain_hidden")
WITHOUT = {
    "opens": "opens_at",
    "due": "due_at",
    "closes": "closes_at",
    "attempts": "attempt_limit",
    "no-credit-after": "no_credit_after",
    "late-days": "late_days_limit",
}


def _assign_arguments(assign: CommandParser) -> None:
    assign.add_argument("course", metavar="COURSE")
    assign.add_argument(
        "exercise", metavar="EXERCISE", help="the name of its folder; load it first with manage.py exercise load"
    )
    assign.add_argument("--slug", help="the name in URLs (default: that of the exercise)")
    defaults = {"policy": "best", "cool_down": 0, "show_hidden": ShowHidden.AFTER_DUE}
    _terms_arguments(assign, **defaults, explain_hidden=True)


def _outside_arguments(outside: CommandParser) -> None:
    outside.add_argument("course", metavar="COURSE")
    outside.add_argument("title", metavar="TITLE")
    outside.add_argument("--points", type=_decimal, metavar="P", required=True, help="maximum points")
    outside.add_argument("--unit", default="")
    outside.add_argument("--slug", help="the name in exported files (default: derived from the title)")
    _date_arguments(outside, "due")


def _terms_arguments(parser: CommandParser, **defaults: Any) -> None:
    """Add the options for an assignment's terms. Without defaults, options that are not given leave the value unchanged."""
    parser.add_argument("--title", help="the title (default: that of the exercise)")
    parser.add_argument("--points", type=_decimal, metavar="P", help="maximum points (default: those of the exercise)")
    _date_arguments(parser, "opens", "due", "closes")
    parser.add_argument("--policy", help=f"which submission counts: {', '.join(POLICIES)} (default: best)")
    parser.add_argument(
        "--late-share", type=_decimal, metavar="S", help="share of the points that late work keeps, 0 to 1 (default: 1)"
    )
    parser.add_argument(
        "--late-per-day", type=_decimal, metavar="S", help="deduction from this share for each started day (default: 0)"
    )
    parser.add_argument("--late-floor", type=_decimal, metavar="S", help="minimum share for late work (default: 0)")
    parser.add_argument(
        "--late-grace", type=_minutes, metavar="MIN", help="grace period after the due date in minutes (default: 0)"
    )
    parser.add_argument(
        "--late-days", type=number, metavar="N", help="maximum number of late days for this assignment (default: unlimited)"
    )
    _date_arguments(parser, "no-credit-after")
    parser.add_argument("--attempts", type=number, metavar="N", help="maximum number of submissions (default: unlimited)")
    parser.add_argument("--cool-down", type=_minutes, metavar="MIN", help="minutes between two submissions (default: 0)")
    parser.add_argument(
        "--show-hidden",
        choices=ShowHidden.values,
        help=f"when results of hidden checks are shown (default: {ShowHidden.AFTER_DUE.value})",
    )
    words = "whether failed hidden checks are explained, without their values (default: yes)"
    parser.add_argument("--explain-hidden", action=BooleanOptionalAction, help=words)
    parser.set_defaults(**defaults)


def _date_arguments(parser: CommandParser, *names: str) -> None:
    for name in names:
        words = f"ISO 8601; by default in the course's time zone, at {'00:00' if name == 'opens' else '23:59'}"
        parser.add_argument(f"--{name}", type=_moment, metavar="TIME", help=words)


def _change_arguments(actions: Any) -> None:
    """Add the actions that change existing objects."""
    change = actions.add_parser("change", help="change dates and rules of an assignment; everything else stays the same")
    extend = actions.add_parser(
        "extend", help="grant a student a later date or more attempts, replacing an earlier extension"
    )
    role = actions.add_parser("role", help="change the role of a member")
    remove = actions.add_parser("remove", help="remove a member; their work is kept in case they are restored")
    for parser in (change, extend, role, remove):
        parser.add_argument("course", metavar="COURSE")
    for parser in (change, extend):
        parser.add_argument("assignment", metavar="ASSIGNMENT")
    for parser in (extend, role, remove):
        parser.add_argument("login", metavar="LOGIN")
    _terms_arguments(change)
    change.add_argument("--without", action="append", default=[], choices=WITHOUT, help="remove this date or limit")
    _date_arguments(extend, "due", "closes")
    extend.add_argument("--attempts", type=number, metavar="N", help="number of extra submissions")
    extend.add_argument("--reason", required=True, help="shown in the history")
    extend.add_argument("--withdraw", action="store_true", help="withdraw the extension")
    extend.add_argument("--by", metavar="LOGIN", help="the acting member (default: the owner of the course)")
    role.add_argument("role", choices=Role.values)


def _people(roles: dict[str, int]) -> list[str]:
    return [f"{roles[role]} {role.label.lower()}{'s' if roles[role] > 1 else ''}" for role in Role if role in roles]


def _assignments(course: Course) -> Iterator[str]:
    handed_in = Count("submissions", filter=Q(submissions__kind=Kind.SUBMIT))
    found = course.assignments.filter(removed_at=None).select_related("version").annotate(handed_in=handed_in)
    for assignment in found.order_by("position", "id"):
        dates = (("opens", assignment.opens_at), ("due", assignment.due_at), ("closes", assignment.closes_at))
        terms = [f"{word} {_local(course, at)}" for word, at in dates if at]
        about = f"  {assignment.slug}: {assignment.title}, {float(assignment.points):g} points"
        if assignment.version is None:
            yield f"{about}, graded outside" + "".join(f", {term}" for term in terms)
            continue
        terms.append(", ".join([assignment.policy, *_late_terms(course, assignment)]))
        terms += [f"{assignment.attempt_limit} attempts"] if assignment.attempt_limit else []
        submissions = f"{assignment.handed_in} submission{'' if assignment.handed_in == 1 else 's'}"
        yield f"{about}, version {assignment.version.hash}, {submissions}"
        yield f"    {'; '.join(terms)}"
        if criteria := criteria_of(assignment):
            by_hand = ", ".join(f"{criterion.title} {float(criterion.points):g}" for criterion in criteria)
            yield f"    {float(assignment.points_by_hand):g} points given by hand: {by_hand}"


def _late_terms(course: Course, assignment: Assignment) -> Iterator[str]:
    if assignment.late_share < 1 or assignment.late_per_day:
        words = f"late work {float(assignment.late_share):.0%}"
        words += f" less {float(assignment.late_per_day):.0%} a day" if assignment.late_per_day else ""
        yield f"{words}, at least {float(assignment.late_floor):.0%}" if assignment.late_floor else words
    if assignment.late_grace:
        yield f"grace period of {assignment.late_grace.total_seconds() / 60:g} minutes"
    if assignment.no_credit_after:
        yield f"no credit after {_local(course, assignment.no_credit_after)}"
    if assignment.late_days_limit is not None:
        yield f"at most {assignment.late_days_limit} late days"


def _local(course: Course, at: datetime | None) -> str:
    return "" if at is None else at.astimezone(ZoneInfo(course.time_zone)).strftime("%Y-%m-%d %H:%M")


def _at(course: Course, given: date | None, of_a_date: time) -> datetime | None:
    if given is None:
        return None
    zone = ZoneInfo(course.time_zone)
    return in_zone(given, zone) if isinstance(given, datetime) else moment_of_day(given, zone, of_a_date)


def _moment(text: str) -> date:
    """An argparse type: a date, optionally with a time."""
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    raise ArgumentTypeError(f"'{text}' is not a date or time such as 2027-01-31 or 2027-01-31T18:00")


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
