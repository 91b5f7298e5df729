"""For any course, all pages and files show the same points and totals, as given by the rules."""

import csv
import io
import os
import re
import zipfile
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.exports.base import above_the_most
from autograder.gradebook.exports.export_service import export
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.imports import score_file
from autograder.gradebook.imports.score_preview import CellStatus, preview_scores
from autograder.gradebook.models import UnitRule
from autograder.submissions.models import Submission
from autograder.web import numbers
from autograder.web.access import ViewedSubmission
from autograder.web.results.status import status_of
from autograder.web.student.assignment_progress import steps_of
from autograder.web.student.history.submissions import submission_rows
from tests.cast import Cast
from tests.gradebook.drawn import (
    DRAWN,
    STUDENTS,
    Drawn,
    Plain,
    due_of,
    laid_out,
    lay_out,
    plainly_all,
    regraded,
    thrown_away,
)
from tests.gradebook.exports import readers
from tests.web.conftest import browser_of, page
from tests.web.test_one_total import TOTAL

pytestmark = pytest.mark.django_db
EXAMPLES = int(
    os.environ.get("GRADUS_DRAWN_COURSES", "15")
)  # `GRADUS_DRAWN_COURSES=2000 pytest tests/web/test_one_number.py` tries more
CENT = Decimal("0.01")
RULES = st.fixed_dictionaries(
    {
        "weights": st.sampled_from([None, (60, 40), (90, 10)]),
        "drop": st.sampled_from([0, 0, 1]),
        "frozen": st.sampled_from([False, False, True]),
        "late_days": st.sampled_from([0, 0, 1, 3]),
        "regrade": st.sampled_from([None, None, "all", "raises", "taken back"]),
    }
)
AFTERWARDS = {"hours": -3, "score": 10.0, "most": 10.0, "verdict": "passed", "current": True, "kind": "submit"}


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(DRAWN, RULES)
def test_every_surface_shows_what_the_rules_say(cast: Cast, drawn: Drawn, rules: dict[str, Any]) -> None:
    """Covers late deductions, late days, grace periods, extensions, overrides, manual points, imports, work graded
    outside, excuses, weights, dropped exercises, freezing, and regrades that are applied, applied without lowering, or
    undone.
    """
    with thrown_away():
        assignments, members = laid_out(cast, drawn, rules["late_days"])
        assignments = in_units(cast, assignments, rules)
        drawn = regraded(cast, drawn, assignments, rules["regrade"], rules["late_days"])
        wanted = [plainly_all(drawn, n, rules["late_days"]) for n in range(len(members))]
        totals = [plain_total(drawn, n, row, rules) for n, row in enumerate(wanted)]
        if rules["frozen"]:
            freezing.freeze(course=cast.course, by=cast.staff)
            for member in members:  # too late to count
                lay_out(assignments[0], member, {"handed_in": [AFTERWARDS], "extended": None, "decided": None})
        for member, row, total in zip(members, wanted, totals, strict=True):
            on_pages(cast, member, assignments, row, total)
            if not rules["frozen"]:
                beside_submissions(cast, member, assignments, row)
        in_gradebook(cast, members, totals)
        in_files(cast, assignments, wanted, drawn)
        if not rules["frozen"]:
            and_back_again(cast)


def in_units(cast: Cast, assignments: list[Assignment], rules: dict[str, Any]) -> list[Assignment]:
    for n, assignment in enumerate(assignments):
        Assignment.objects.filter(pk=assignment.pk).update(unit="AB"[n % 2], position=n, opens_at=None)
    for unit, weight in zip("AB", rules["weights"] or (None, None), strict=True):
        drop = rules["drop"] if unit == "A" else 0
        if weight or drop:
            UnitRule.objects.create(course=cast.course, unit=unit, weight=weight, drop_lowest=drop)
    for number, name in enumerate(STUDENTS, 1):
        Membership.objects.filter(user__username=name).update(lms_id=str(number), sis_id=f"s{number}")
        user = cast.student(name)
        user.email = f"{name}@example.org"
        user.save()
    return list(Assignment.objects.filter(course=cast.course).select_related("course").order_by("position"))


def plain_total(drawn: Drawn, student: int, row: Sequence[Plain], rules: dict[str, Any]) -> tuple[Decimal, Decimal] | None:
    """Return the points and their maximum: the weighted unit shares, or the sum of all points."""
    units: dict[str, list[tuple[Fraction, Fraction]]] = {"A": [], "B": []}
    for n, ((worth, cells), own) in enumerate(zip(drawn, row, strict=True)):
        past_due = due_of(worth, cells[student]) is not None
        if not own.excused and (own.points is not None or past_due):
            units["AB"[n % 2]].append((Fraction(own.points or 0), Fraction(worth["points"])))
    for _ in range(rules["drop"]):
        if len(units["A"]) > 1:
            units["A"].remove(min(units["A"], key=lambda cell: (cell[0] / cell[1], -cell[1])))
    sums = {unit: (sum(c[0] for c in cells), sum(c[1] for c in cells)) for unit, cells in units.items() if cells}
    if not sums:
        return None
    if rules["weights"] is None:
        points, of = (sum(side, Fraction(0)) for side in zip(*sums.values(), strict=True))
        return to_cents(points), to_cents(of)
    weights = dict(zip("AB", map(Fraction, rules["weights"]), strict=True))
    among = sum(weights[unit] for unit in sums)
    points = sum((Fraction(reached, of) * weights[unit] for unit, (reached, of) in sums.items()), Fraction(0))
    return to_cents(points * 100 / among), Decimal(100)


def to_cents(value: Fraction) -> Decimal:
    return Decimal(int(value * 100 + Fraction(1, 2))) / 100


def shown(points: Decimal | None) -> str:
    return numbers.points(points)


# -- pages ----------------------------------------------------------------------------------------------------------------


def on_pages(
    cast: Cast, member: Membership, assignments: list[Assignment], row: list[Plain], total: tuple[Decimal, Decimal] | None
) -> None:
    slug = cast.course.slug
    own, staff = browser_of(member.user), browser_of(cast.owner)
    pages = {
        "home": page(own, reverse("home", args=(slug,))),
        "grades": page(own, reverse("grades", args=(slug,))),
        "student": page(staff, reverse("student", args=(slug, member.pk))),
        "student-grades": page(staff, reverse("student-grades", args=(slug, member.pk))),
    }
    for name, text in pages.items():
        found = TOTAL.search(text)
        assert found, name
        words = "–" if total is None else f"{shown(total[0])} of {shown(total[1])}"
        assert re.sub(r"(\.\d*?)0+\b", r"\1", found[1]).replace(". ", " ").rstrip(".") == words, name
        points = re.findall(r"(?:<b>|<td class=\"num\">)([–\d.]+)(?:</b>)? <span class=\"dim\">/ ", text)
        assert points[: len(assignments)] == [shown(own.points) for own in in_order_of(name, assignments, row)], name


def in_order_of(name: str, assignments: list[Assignment], row: list[Plain]) -> list[Plain]:
    """Reorder results for pages that group them by unit."""
    if name == "student-grades":
        return row
    return [own for unit in ("A", "B") for own, assignment in zip(row, assignments, strict=True) if assignment.unit == unit]


def beside_submissions(cast: Cast, member: Membership, assignments: list[Assignment], row: list[Plain]) -> None:
    """Check the history and the strip of the counting submission."""
    member.course = cast.course
    for step, own in zip(steps_of(member), in_order_of("home", assignments, row), strict=True):
        counted = step.score.counted
        if counted is None or own.excused or step.score.override:
            continue
        words = f"{shown(own.points)} of {shown(step.assignment.points)} points"
        (line,) = (line for line in submission_rows(member, step.assignment, step) if line.counts)
        assert words in line.result
        submission = Submission.objects.select_related("assignment__course", "membership__course").get(
            pk=counted.submission_id
        )
        strip = status_of(ViewedSubmission(submission, member)).summary
        assert f"{strip.points} {strip.of}" == words
        assert ("not marked yet" in strip.line) == own.unmarked == step.score.unmarked
        assert ("not marked yet" in line.result) == own.unmarked
        if own.days:
            assert "late" in strip.line
            assert (f"{own.used} late day" in strip.line) == (own.used > 0)


def in_gradebook(cast: Cast, members: list[Membership], totals: list[tuple[Decimal, Decimal] | None]) -> None:
    text = page(browser_of(cast.owner), reverse("gradebook", args=(cast.course.slug,)))
    rows = dict(re.findall(r"<bdi>(\w+)</bdi></a></th>(.*?)</tr>", text, re.DOTALL))
    for member, total in zip(members, totals, strict=True):
        last = re.sub(r"<span.*?</span>", "", rows[member.user.username].rpartition("<td")[2].partition(">")[2])
        found = last.partition("<")[0].strip()
        assert found == ("–" if total is None else f"{total[0]:.2f}"), member.user.username


# -- files ----------------------------------------------------------------------------------------------------------------


def in_files(cast: Cast, assignments: list[Assignment], wanted: list[list[Plain]], drawn: Drawn) -> None:
    sheet = sheet_of(cast.course)
    template = blackboard_template(assignments)
    options = Options(template=template, class_id="class-7", grading_period="term-1")
    cells = [
        "excused" if own.excused else f"{cents(own.points)}" if own.points is not None else missing(drawn, n, at)
        for n, row in enumerate(wanted)
        for at, own in enumerate(row)
    ]
    for name, read in READERS.items():
        try:
            data = export(EXPORTS[name], sheet, options, course=cast.course, by=cast.staff)
        except Refused:
            assert name == "moodle" and above_the_most(sheet)
            continue
        empty = "excused" if EXPORTS[name].excused and name != "xlsx" else ""
        assert read(data, assignments) == [empty if cell == "excused" else cell for cell in cells], name


def and_back_again(cast: Cast) -> None:
    """Check that importing the exported CSV changes nothing."""
    data = export(EXPORTS["csv"], sheet_of(cast.course), Options(), course=cast.course, by=cast.staff)
    preview = preview_scores(cast.course, score_file.read(data, "autodiff-csv.csv"))
    assert not preview.ignored
    assert {cell.status for row in preview.rows for cell in row.cells} <= {CellStatus.SAME}


def cents(points: Decimal) -> Decimal:
    return points.quantize(CENT, ROUND_HALF_UP)


def missing(drawn: Drawn, student: int, at: int) -> str:
    """Work that is past due and was never graded has 0 points."""
    worth, cells = drawn[at]
    return "0.00" if due_of(worth, cells[student]) is not None else ""


def blackboard_template(assignments: list[Assignment]) -> bytes:
    titles = [f'"{one.title} [Total Pts: {shown(one.points)} Score] |{one.pk}"' for one in assignments]
    people = "".join(f'"{name}","{name}","{name}","s{n}"{"," * len(titles)}\n' for n, name in enumerate(STUDENTS, 1))
    return f'"Last Name","First Name","Username","Student ID",{",".join(titles)}\n{people}'.encode()


def table(data: bytes, first: int, last: int | None = None, skip: int = 1) -> list[str]:
    lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))[skip:]
    return [cell for line in sorted(lines, key=lambda line: line[:first]) for cell in line[first:last]]


def of_canvas(data: bytes, assignments: list[Assignment]) -> list[str]:
    return ["excused" if cell == "EX" else cell for cell in table(data, 5, skip=2)]


def of_moodle(data: bytes, assignments: list[Assignment]) -> list[str]:
    return ["" if cell == "-" else cell for cell in table(data, 4)]


def of_oneroster(data: bytes, assignments: list[Assignment]) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        results = list(csv.DictReader(io.StringIO(archive.read("results.csv").decode())))
    found = {
        (one["studentSourcedId"], one["lineItemSourcedId"].rpartition(".")[2]): (
            "excused" if one["scoreStatus"] == "exempt" else one["score"]
        )
        for one in results
    }
    return [found.get((f"s{n}", one.slug), "") for n in range(1, len(STUDENTS) + 1) for one in assignments]


def of_xlsx(data: bytes, assignments: list[Assignment]) -> list[str]:
    rows = [[*row, *[None] * len(assignments)][5 : 5 + len(assignments)] for row in readers.xlsx(data)["Grades"][2:]]
    return ["" if cell is None else f"{cents(cell)}" for row in rows for cell in row]


READERS = {
    "csv": lambda data, assignments: table(data, 7),
    "xlsx": of_xlsx,
    "canvas": of_canvas,
    "moodle": of_moodle,
    "blackboard": lambda data, assignments: table(data, 4),
    "brightspace": lambda data, assignments: table(data, 1, -1),
    "oneroster": of_oneroster,
}
