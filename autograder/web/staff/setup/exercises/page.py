"""The exercises of a course with version, due date and number of participants; adding and removing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count, Max
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.courses.setup.assignments import (
    assignment_remove,
    assignment_restore,
    assignments_order,
    exercises_assign,
    outside_assignment_create,
)
from autograder.courses.setup.units import by_unit
from autograder.library.models import ExerciseVersion
from autograder.submissions.models import Kind, Submission
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal, focus_first_error
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.exercises.available_exercises import available_units_of, plan_of
from autograder.web.staff.setup.exercises.forms import OutsideForm, PlanForm
from autograder.web.staff.setup.exercises.removal import removal_of


@dataclass(frozen=True)
class ExerciseRow:
    assignment: Assignment
    handed_in: int  # number of students, not of submissions
    newer: bool  # whether a later version of the exercise exists


@dataclass(frozen=True)
class UnitRows:
    title: str
    rows: tuple[ExerciseRow, ...]


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def exercises(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.method == "POST":
        return _remove_or_bring_back(request, staff)
    assignments = list(
        Assignment.objects.filter(course=staff.course)
        .select_related("version__exercise")
        .defer("version__archive")
        .order_by("position", "id")
    )
    students = rights.students_of(staff)
    rows = rows_of([assignment for assignment in assignments if assignment.removed_at is None], staff)
    context = page_context(staff, "exercises") | {
        "units": units_of(rows),
        "removed": [assignment for assignment in assignments if assignment.removed_at is not None],
        "students": students.count(),
    }
    return render(request, "web/staff/setup/exercises/exercises.html", context)


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: SignedIn, staff: Membership) -> HttpResponse:
    """Choose exercises and dates. The plan is shown before anything is saved; without scripts, a button asks for it."""
    do = request.POST.get("do")
    if do == "outside":
        return _add_outside_work(request, staff)
    form = PlanForm(staff.course, request.POST or None)
    if request.method == "POST" and form.is_valid() and do != "plan":
        try:
            made = exercises_assign(course=staff.course, by=staff, exercises=form.dates_of_exercises(), **form.late_terms())
        except Refused as refused:
            add_refusal(form, refused)
        else:
            count = numbers.quantity(len(made), "exercise")
            messages.success(request, f"{count} {'is' if len(made) == 1 else 'are'} assigned.")
            return redirect("exercises", staff.course.slug)
    return _assign_page(request, staff, form, OutsideForm(staff.course, auto_id="outside_%s"))


@staff_only(Right.SET_UP)
@require_POST
def plan_as_typed(request: SignedIn, staff: Membership) -> HttpResponse:
    """Show the plan of what is in the form. Nothing is saved."""
    context = page_context(staff, "exercises") | {"plan": plan_of(PlanForm(staff.course, request.POST)), "typed": True}
    return render(request, "web/staff/setup/exercises/plan.html", context)


def _add_outside_work(request: SignedIn, staff: Membership) -> HttpResponse:
    form = OutsideForm(staff.course, request.POST, auto_id="outside_%s")
    if form.is_valid():
        try:
            made = outside_assignment_create(course=staff.course, by=staff, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(
                request, f"{made.title} was added to the gradebook. Import its scores there, or set them by hand."
            )
            return redirect("exercises", staff.course.slug)
    return _assign_page(request, staff, PlanForm(staff.course), form)


def _assign_page(request: SignedIn, staff: Membership, form: PlanForm, outside: OutsideForm) -> HttpResponse:
    focus_first_error(form if form.is_bound else outside)
    available = available_units_of(form)
    context = page_context(staff, "exercises") | {
        "form": form,
        "available": available,
        "kinds": sorted({exercise.kind for unit in available for exercise in unit.exercises}),
        "plan": plan_of(form),
        "outside": outside,
    }
    return render(request, "web/staff/setup/exercises/assign.html", context)


@staff_only(Right.SET_UP)
@require_POST
def order(request: SignedIn, staff: Membership) -> HttpResponse:
    """Save the order in which the page shows the exercises, after each move."""
    try:
        assignments_order(course=staff.course, by=staff, slugs=request.POST.getlist("assignment"))
    except Refused as refused:
        return HttpResponse(refused.message, status=409, content_type="text/plain")
    return HttpResponse("The order was saved.")


def rows_of(assignments: Sequence[Assignment], staff: Membership) -> list[ExerciseRow]:
    handed_in = Submission.objects.filter(
        kind=Kind.SUBMIT, assignment__in=assignments, membership__in=rights.students_of(staff)
    )
    counts = dict(handed_in.values_list("assignment_id").annotate(Count("membership", distinct=True)).order_by())
    latest = latest_of(assignments)
    return [
        ExerciseRow(assignment, counts.get(assignment.pk, 0), has_newer(assignment, latest)) for assignment in assignments
    ]


def latest_of(assignments: Sequence[Assignment]) -> dict[int, int]:
    """Return the id of the latest version by exercise."""
    versions = ExerciseVersion.objects.filter(
        exercise__in={assignment.version.exercise_id for assignment in assignments if assignment.version}
    )
    return dict(versions.values_list("exercise_id").annotate(Max("id")).order_by())


def has_newer(assignment: Assignment, latest: Mapping[int, int]) -> bool:
    version = assignment.version
    return version is not None and latest[version.exercise_id] != version.pk


def units_of(rows: Sequence[ExerciseRow]) -> list[UnitRows]:
    groups = by_unit(rows, lambda row: row.assignment.unit)
    return [UnitRows(title or "Exercises", tuple(rows_of_unit)) for title, rows_of_unit in groups.items()]


def _remove_or_bring_back(request: SignedIn, staff: Membership) -> HttpResponse:
    slug = request.POST.get("assignment", "").replace("\0", "")
    found = Assignment.objects.filter(course=staff.course, slug=slug).first()
    if found is None:
        raise Http404("no such assignment")
    act = request.POST.get("act")
    if act == "remove":
        removal = None if request.POST.get("sure") == "yes" else removal_of(found, timezone.now())
        if removal is not None:
            context = page_context(staff, "exercises") | {"removal": removal}
            return render(request, "web/staff/setup/exercises/remove_exercise.html", context)
        assignment_remove(assignment=found, by=staff)
        messages.success(
            request,
            f"{found.title} was removed from the course. All work is kept. You can restore it at the end of this page.",
        )
    elif act == "back":
        assignment_restore(assignment=found, by=staff)
        messages.success(request, f"{found.title} was restored, with all its submissions.")
    else:
        raise Http404("no such thing to do")
    return redirect("exercises", staff.course.slug)
