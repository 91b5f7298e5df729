"""The gradebook: students by units, what each total is, and how one of them comes about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses import rights
from autograder.courses.models import Membership, Section
from autograder.courses.rights import Right
from autograder.gradebook.sheet import Sheet, Student, in_order, sheet_for, with_times
from autograder.gradebook.totals import How, Part, Plan, Total, how_of, plan_of_course, to_two_places, totals_of
from autograder.web import times
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.changes import Change, changes_of, last_change_in
from autograder.web.staff.course_time import in_course_time

A_PAGE = 50
SORTS = {"name": "by name", "-name": "by name, last first", "total": "lowest total first", "-total": "highest total first"}


@dataclass(frozen=True)
class Mark:
    """A word beside a number."""

    look: str
    words: str


@dataclass(frozen=True)
class UnitCell:
    points: Decimal | None
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Row:
    student: Student
    cells: tuple[UnitCell, ...]
    total: Total
    how: How | None = None
    changes: tuple[Change, ...] = ()


@in_course_time(Right.SEE)
@require_safe
def gradebook(request: SignedIn, staff: Membership) -> HttpResponse:
    section = section_of_page(staff, request.GET.get("section", ""))
    sort = request.GET.get("sort", "")
    sort = sort if sort in SORTS else "name"
    members = _found(staff, section, request.GET.get("q", ""))
    page, sheet, plan, totals = _page_of(staff, members, sort, request.GET.get("page", ""))
    sheet = with_times(sheet, list(page.object_list))
    opened = number_in(request.GET.get("open", ""))
    rows = [_row(sheet, plan, one, totals[one.membership_id], opened) for one in page.object_list]
    return render(
        request,
        "web/staff/gradebook.html",
        {
            "course": staff.course,
            "here": "gradebook",
            "page": page,
            "rows": rows,
            "plan": plan,
            "frozen": sheet.frozen,
            "sort": sort,
            "sorts": SORTS.items(),
            "by_name": "-name" if sort == "name" else "name",
            "by_total": "total" if sort == "-total" else "-total",
            "size": A_PAGE,
            "section": section,
            "sections": sections_of(staff),
            "q": request.GET.get("q", ""),
            "last": last_change_in(staff.course_id),
            "may_freeze": rights.has(staff, Right.FREEZE),
            "may_regrade": rights.has(staff, Right.REGRADE),
            "may_extend": rights.has(staff, Right.EXTEND),
            "columns": len(plan.units) + 2,
        },
    )


def sections_of(staff: Membership) -> list[Section]:
    """That somebody can choose among: bound to one, there is no choice."""
    return [] if rights.is_bound_to_a_section(staff) else list(staff.course.sections.order_by("name"))


def section_of_page(staff: Membership, number: str) -> Section | None:
    """The one that was asked for, or the only one that is theirs; None for all."""
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


def _found(staff: Membership, section: Section | None, words: str) -> QuerySet[Membership]:
    members = rights.students_of(staff)
    if section is not None:
        members = members.filter(section=section)
    for word in words.replace(",", " ").split():
        name = Q(user__first_name__icontains=word) | Q(user__last_name__icontains=word)
        members = members.filter(name | Q(user__username__icontains=word))
    return members


def _page_of(
    staff: Membership, members: QuerySet[Membership], sort: str, number: str
) -> "tuple[Page[Student], Sheet, Plan, dict[int, Total]]":
    """By name, only the page's students are looked at; by total, all of them have to be."""
    if sort in ("name", "-name"):
        ordered = in_order(members)
        found = Paginator(ordered.reverse() if sort == "-name" else ordered, A_PAGE).get_page(number)
        sheet = sheet_for(staff.course, list(found.object_list))
        plan = plan_of_course(staff.course, sheet)
        return Page(sheet.students, found.number, found.paginator), sheet, plan, totals_of(sheet, plan)  # type: ignore[arg-type]
    sheet = sheet_for(staff.course, members)
    plan = plan_of_course(staff.course, sheet)
    totals = totals_of(sheet, plan)
    by_total = sorted(sheet.students, key=lambda one: totals[one.membership_id].share, reverse=sort == "-total")
    return Paginator(by_total, A_PAGE).get_page(number), sheet, plan, totals


def _row(sheet: Sheet, plan: Plan, student: Student, total: Total, opened: int | None) -> Row:
    cells = tuple(_unit_cell(sheet, student, part) for part in total.parts)
    if student.membership_id != opened:
        return Row(student, cells, total)
    member = Membership.objects.select_related("user", "course").get(pk=opened)
    return Row(student, cells, total, how_of(sheet, plan, student, total), tuple(changes_of(member)))


def _unit_cell(sheet: Sheet, student: Student, part: Part) -> UnitCell:
    return UnitCell(to_two_places(part.points) if part.counts else None, tuple(_marks(sheet, student, part)))


def _marks(sheet: Sheet, student: Student, part: Part) -> Sequence[Mark]:
    columns = part.unit.columns
    marks = [Mark("over", "◆ set")] if any(sheet.cell(student, column).overridden for column in columns) else []
    days = max(sheet.days_late(student, column) for column in columns)
    marks += [Mark("late", f"late {days} d")] if days else []
    own = [(sheet.due_at(student, column), column.due_at) for column in part.ahead]
    ahead = [at for at, others in own if at is not None and at != others]
    return [*marks, Mark("soft", f"until {_short(max(ahead))}")] if ahead else marks


def _short(at: datetime) -> str:
    """1 Feb: the weekday is in the way here."""
    return times.day(at, timezone.now()).partition(" ")[2]
