"""The overview of a course: the state of every student, who needs help, and live activity."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership, Section
from autograder.courses.rights import Right, is_bound_to_a_section, students_of
from autograder.gradebook.decisions.marking_queue import marking_queue
from autograder.gradebook.grades.matrix import STUCK_AFTER, MatrixRow, ProgressMatrix, TileState, matrix_of
from autograder.gradebook.insights.attention import RECENT, StudentNeed, needs_of, needs_you_first, streaks_of, waiting_for
from autograder.submissions import recent_activity
from autograder.web.access import SignedIn, number_in
from autograder.web.results.explanation import Explanation
from autograder.web.staff.access import staff_only
from autograder.web.staff.grading.regrade_requests import NO_CHECK
from autograder.web.staff.overview.first_steps import first_steps
from autograder.web.staff.overview.live_activity import live_part, workers
from autograder.web.staff.overview.matrix_tiles import matrix_columns, matrix_rows, units_of

PAGE = 50
TOLD = 8  # students to list as needing help; the matrix shows all of them
SORTS = {"needs": "needs attention first", "name": "name"}
FILTERS = {
    "": "all",
    "needs": "needs attention",
    "stuck": "stuck",
    "silent": "inactive",
    "wait": "being graded",
    "intern": "internal error",
    "fail": "no points yet",
    "part": "partly",
    "none": "nothing submitted",
}


@dataclass(frozen=True)
class MatrixFilter:
    """The filters of the matrix from the query string. Invalid values fall back to the defaults."""

    section: Section | None
    state: str
    sort: str
    page: int

    def address(self, page: int) -> str:
        section = str(self.section.pk) if self.section else ""
        given = {"section": section, "state": self.state, "sort": self.sort, "page": str(page)}
        return "?" + urlencode({name: value for name, value in given.items() if value})


@dataclass(frozen=True)
class StudentNeedingHelp:
    """A student who needs help, formatted for the page."""

    name: str
    where: str
    slug: str
    attempts: int
    stuck: bool
    mistake: str
    in_a_row: int
    seen_at: datetime | None


@dataclass(frozen=True)
class InternalErrors:
    """Internal errors: submissions that could not be graded, and those that were graded after a retry."""

    failed: tuple[tuple[str, str], ...]  # student and exercise
    retried: int  # within LATELY

    @property
    def count(self) -> int:
        return len(self.failed) + self.retried

    @property
    def others(self) -> int:
        """Number of failed submissions after the first."""
        return len(self.failed) - 1


@dataclass(frozen=True)
class CourseFigures:
    active: int
    of: int
    stuck: int
    wait: float | None
    waiting: int
    errors: InternalErrors


@staff_only(Right.SEE)
@require_safe
def overview(request: SignedIn, staff: Membership) -> HttpResponse:
    return render(request, "web/staff/overview/overview.html", _page(request, staff, timezone.now()))


def _page(request: SignedIn, staff: Membership, now: datetime) -> dict[str, object]:
    sections = [] if is_bound_to_a_section(staff) else list(staff.course.sections.order_by("name"))
    choice = _filter(request, sections)
    everybody = matrix_of(staff)
    needs = needs_of(everybody, streaks_of(staff, now), now)
    matrix = everybody.of_section(choice.section)
    within = {row.student.pk for row in matrix.rows}
    these = [need for need in needs if need.row.student.pk in within]
    of = {need.row.student.pk: need for need in these}
    rows = [row for row in _sorted(matrix, these, choice.sort) if _fits(row, choice.state, of.get(row.student.pk))]
    pages = max(1, -(-len(rows) // PAGE))
    choice = replace(choice, page=min(choice.page, pages))
    columns = matrix_columns(matrix)
    first = (choice.page - 1) * PAGE
    shown = rows[first : first + PAGE]
    return {
        "course": staff.course,
        "here": "overview",
        "now": now,
        "many": STUCK_AFTER,
        "facts": _figures(everybody, staff, now),
        "workers": workers(),
        "sections": sections,
        "choice": choice,
        "filters": FILTERS,
        "sorts": SORTS,
        "columns": columns,
        "units": units_of(columns),
        "lines": list(matrix_rows(shown, columns, staff.course.slug)),
        "students": len(matrix.rows),
        "found": len(rows),
        "from": first + 1,
        "to": first + len(shown),
        "before": choice.address(choice.page - 1) if choice.page > 1 else "",
        "after": choice.address(choice.page + 1) if choice.page < pages else "",
        "needs": [_described(need, staff.course.slug) for need in these[:TOLD]],
        "more_needs": max(0, len(these) - TOLD),
        "waiting": waiting_for(staff),
        "no_check": NO_CHECK,
        "all_needs": replace(choice, state="needs").address(1),
        "first_steps": first_steps(everybody, staff),
        "live": live_part(staff),
        "to_mark": len(marking_queue(staff, everybody.assignments).waiting),
    }


def _filter(request: SignedIn, sections: Sequence[Section]) -> MatrixFilter:
    query = request.GET
    section = next((section for section in sections if str(section.pk) == query.get("section")), None)
    state, sort = query.get("state", ""), query.get("sort", "")
    return MatrixFilter(
        section,
        state if state in FILTERS else "",
        sort if sort in SORTS else "needs",
        max(1, number_in(query.get("page", "")) or 1),
    )


def _sorted(matrix: ProgressMatrix, needs: Sequence[StudentNeed], sort: str) -> Sequence[MatrixRow]:
    return matrix.rows if sort == "name" else needs_you_first(matrix, needs)


def _fits(row: MatrixRow, state: str, need: StudentNeed | None) -> bool:
    match state:
        case "":
            return True
        case "needs":
            return need is not None
        case "silent":
            return need is not None and need.tile is None
        case "stuck":
            return row.stuck
        case "none":
            return not row.tiles
    return TileState(state) in row.states


def _figures(matrix: ProgressMatrix, staff: Membership, now: datetime) -> CourseFigures:
    students = students_of(staff)
    titles = {assignment.pk: assignment.title for assignment in matrix.assignments}
    return CourseFigures(
        active=sum(row.seen_at is not None and row.seen_at > now - RECENT for row in matrix.rows),
        of=len(matrix.rows),
        stuck=sum(row.stuck for row in matrix.rows),
        wait=recent_activity.usual_wait(students, now - RECENT),
        waiting=recent_activity.waiting_of(students),
        errors=InternalErrors(
            tuple(
                (row.student.user.display_name, titles[pk])
                for row in matrix.rows
                if TileState.INTERNAL in row.states
                for pk, tile in row.tiles.items()
                if tile.state is TileState.INTERNAL
            ),
            recent_activity.retried_of(students, now - RECENT),
        ),
    )


def _described(need: StudentNeed, course: str) -> StudentNeedingHelp:
    streak = need.streak
    return StudentNeedingHelp(
        name=need.row.student.user.display_name,
        where=reverse("student", args=(course, need.row.student.pk)),
        slug=need.assignment.slug if need.assignment else "",
        attempts=need.tile.attempts if need.tile else 0,
        stuck=need.tile is not None and need.tile.stuck,
        mistake=Explanation(streak.key, "", title=streak.title).heading if streak and streak.key else "",
        in_a_row=streak.length if streak and streak.length > 1 else 0,
        seen_at=need.row.seen_at,
    )
