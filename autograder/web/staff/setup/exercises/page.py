"""The exercises of a course with version, due date and number of participants; adding and removing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count, Max
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.assignments import assignment_remove, assignment_restore, exercises_assign, outside_assignment_create
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.courses.units import by_unit
from autograder.library.models import ExerciseVersion
from autograder.submissions.models import Kind, Submission
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.exercises.available_exercises import available_units_of
from autograder.web.staff.setup.exercises.forms import AssignForm, OutsideForm
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
    if request.POST.get("do") == "outside":
        return _add_outside_work(request, staff)
    form = AssignForm(staff.course, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = exercises_assign(course=staff.course, by=staff, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            count = numbers.quantity(len(made), "exercise")
            where = f" of the unit {form.unit}" if form.unit else ""
            messages.success(request, f"{count}{where} {'is' if len(made) == 1 else 'are'} assigned.")
            return redirect("exercises", staff.course.slug)
    return _assign_page(request, staff, form, OutsideForm(staff.course, auto_id="outside_%s"))


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
    return _assign_page(request, staff, AssignForm(staff.course), form)


def _assign_page(request: SignedIn, staff: Membership, form: AssignForm, outside: OutsideForm) -> HttpResponse:
    context = page_context(staff, "exercises") | {"form": form, "units": available_units_of(form), "outside": outside}
    return render(request, "web/staff/setup/exercises/assign.html", context)


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
