"""The gradebook: students by units, with totals and the calculation of a selected one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from autograder.courses import rights
from autograder.courses.models import Membership, Section
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.grades.sheet import GradeSheet, StudentRow, in_order, sheet_for
from autograder.gradebook.grades.totals import (
    Total,
    TotalExplanation,
    TotalPlan,
    UnitResult,
    how_of,
    plan_of_course,
    to_two_places,
    totals_of,
)
from autograder.lti.sending.sent_scores import is_connected
from autograder.web import timestamps
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.access import staff_only
from autograder.web.staff.grading.grade_changes import GradebookChange, changes_of, last_change_in
from autograder.web.streaming import head_first

Shown = tuple[Page[StudentRow], GradeSheet, TotalPlan, dict[int, Total]]
A_PAGE = 50
SORTS = {"name": "by name", "-name": "by name, Z to A", "total": "lowest total first", "-total": "highest total first"}


@dataclass(frozen=True)
class PointsLabel:
    """A label beside a number."""

    look: str
    words: str


@dataclass(frozen=True)
class UnitCell:
    points: Decimal | None
    marks: tuple[PointsLabel, ...]


@dataclass(frozen=True)
class GradebookRow:
    student: StudentRow
    cells: tuple[UnitCell, ...]
    total: Total
    how: TotalExplanation | None = None
    changes: tuple[GradebookChange, ...] = ()


@dataclass(frozen=True)
class GradebookFilter:
    """The filters and order from the query string. Invalid values fall back to the defaults."""

    staff: Membership
    section: Section | None
    words: str
    sort: str
    page: str
    opened: int | None

    @property
    def by_total(self) -> bool:
        return self.sort in ("total", "-total")

    @property
    def members(self) -> QuerySet[Membership]:
        members = rights.students_of(self.staff)
        if self.section is not None:
            members = members.filter(section=self.section)
        for word in self.words.replace(",", " ").split():
            name = Q(user__first_name__icontains=word) | Q(user__last_name__icontains=word)
            members = members.filter(name | Q(user__username__icontains=word))
        return members


@staff_only(Right.SEE)
@require_safe
def gradebook(request: SignedIn, staff: Membership) -> HttpResponseBase:
    choice = _filter(request, staff)
    context = {
        "course": staff.course,
        "here": "gradebook",
        "frozen": frozen_since(staff.course_id),
        "sort": choice.sort,
        "sorts": SORTS.items(),
        "section": choice.section,
        "sections": sections_of(staff),
        "q": choice.words,
        "last": last_change_in(staff.course_id),
        "connected": is_connected(staff.course),
        "may_freeze": rights.has(staff, Right.FREEZE),
        "may_regrade": rights.has(staff, Right.REGRADE),
        "may_override": rights.has(staff, Right.OVERRIDE),
        "may_extend": rights.has(staff, Right.EXTEND),
    }
    if choice.by_total:  # slow, because it needs the totals of all students
        return head_first(request, "web/staff/grading/gradebook.html", context, partial(_table, request, choice))
    return render(request, "web/staff/grading/gradebook.html", context | {"later": _table(request, choice)})


def _filter(request: SignedIn, staff: Membership) -> GradebookFilter:
    query = request.GET
    sort = query.get("sort", "")
    return GradebookFilter(
        staff,
        section_of_page(staff, query.get("section", "")),
        query.get("q", ""),
        sort if sort in SORTS else "name",
        query.get("page", ""),
        number_in(query.get("open", "")),
    )


def _table(request: SignedIn, choice: GradebookFilter) -> SafeString:
    page, sheet, plan, totals = _page_by_total(choice) if choice.by_total else _page_by_name(choice)
    context = {
        "course": choice.staff.course,
        "page": page,
        "rows": [_row(sheet, plan, student, totals[student.membership_id], choice.opened) for student in page.object_list],
        "plan": plan,
        "sort": choice.sort,
        "by_name": "-name" if choice.sort == "name" else "name",
        "by_total": "total" if choice.sort == "-total" else "-total",
        "size": A_PAGE,
        "q": choice.words,
        "columns": len(plan.units) + 2,
        "by_hand": any(column.by_hand for column in sheet.columns),
    }
    return render_to_string("web/staff/grading/gradebook_table.html", context, request)


def sections_of(staff: Membership) -> list[Section]:
    """Return the sections that the member can choose from: none for staff bound to one section."""
    return [] if rights.is_bound_to_a_section(staff) else list(staff.course.sections.order_by("name"))


def section_of_page(staff: Membership, number: str) -> Section | None:
    """Return the requested section, or the member's own if bound to one. None means all sections."""
    if rights.is_bound_to_a_section(staff):
        if number and number_in(number) != staff.section_id:
            raise Http404("not your section")
        return staff.section
    if not number:
        return None
    found = staff.course.sections.filter(pk=number_in(number) or 0).first()
    if found is None:
        raise Http404("no such section")
    return found


def _page_by_name(choice: GradebookFilter) -> Shown:
    """Compute totals only for the students on the page."""
    ordered = in_order(choice.members)
    ordered = ordered.reverse() if choice.sort == "-name" else ordered
    found = Paginator(ordered.values_list("pk", flat=True), A_PAGE).get_page(choice.page)
    sheet = sheet_for(choice.staff.course, Membership.objects.filter(pk__in=list(found.object_list)))
    students = sheet.students[::-1] if choice.sort == "-name" else sheet.students
    plan = plan_of_course(choice.staff.course, sheet)
    return Page(students, found.number, found.paginator), sheet, plan, totals_of(sheet, plan)  # type: ignore[arg-type]


def _page_by_total(choice: GradebookFilter) -> Shown:
    """Compute totals for all students, because the order depends on them."""
    sheet = sheet_for(choice.staff.course, choice.members)
    plan = plan_of_course(choice.staff.course, sheet)
    totals = totals_of(sheet, plan)
    ordered = sorted(
        sheet.students, key=lambda student: totals[student.membership_id].share, reverse=choice.sort == "-total"
    )
    return Paginator(ordered, A_PAGE).get_page(choice.page), sheet, plan, totals


def _row(sheet: GradeSheet, plan: TotalPlan, student: StudentRow, total: Total, opened: int | None) -> GradebookRow:
    cells = tuple(_unit_cell(sheet, student, part) for part in total.parts)
    if student.membership_id != opened:
        return GradebookRow(student, cells, total)
    member = Membership.objects.select_related("user", "course").get(pk=opened)
    return GradebookRow(student, cells, total, how_of(sheet, plan, student, total), tuple(changes_of(member)))


def _unit_cell(sheet: GradeSheet, student: StudentRow, part: UnitResult) -> UnitCell:
    return UnitCell(to_two_places(part.points) if part.counts else None, tuple(_marks(sheet, student, part)))


def _marks(sheet: GradeSheet, student: StudentRow, part: UnitResult) -> Sequence[PointsLabel]:
    columns = part.unit.columns
    marks = [PointsLabel("over", "◆ set")] if any(sheet.cell(student, column).overridden for column in columns) else []
    days = max(sheet.cell(student, column).days_late for column in columns)
    marks += [PointsLabel("late", f"late {days} d")] if days else []
    marks += [PointsLabel("soft", "not marked")] if any(sheet.cell(student, column).unmarked for column in columns) else []
    marks += [PointsLabel("soft", "excused")] if part.excused else []
    own = [(sheet.due_at(student, column), column.due_at) for column in part.ahead]
    ahead = [at for at, others in own if at is not None and at != others]
    return [*marks, PointsLabel("soft", f"until {_short(max(ahead))}")] if ahead else marks


def _short(at: datetime) -> str:
    """Format a date without the weekday, such as 1 Feb, to save space."""
    return timestamps.day(at, timezone.now()).partition(" ")[2]
