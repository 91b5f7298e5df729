"""The grades of one student: points of every assignment, how they were calculated, and the forms to change them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Conflict
from autograder.courses.models import Assignment, Extension, Membership, Role
from autograder.courses.people.extensions import StudentTerms, extension_grant, extension_withdraw, terms_of_student
from autograder.courses.policies.lateness import late_words
from autograder.courses.rights import Right
from autograder.gradebook.decisions import excuses, overrides
from autograder.gradebook.grades import scores
from autograder.gradebook.grades.scores import Score
from autograder.gradebook.grades.sheet import sheet_for
from autograder.gradebook.grades.totals import how_of, plan_of_course, totals_of
from autograder.gradebook.models import Excuse, Override
from autograder.submissions.handing_in.numbering import numbers_of
from autograder.web import numbers
from autograder.web.access import SignedIn, any_assignment_in, number_in
from autograder.web.results.counts import reached_words
from autograder.web.staff.access import page_context, staff_only, student_in
from autograder.web.staff.grading.extension_form import ExtensionForm
from autograder.web.staff.grading.grade_changes import changes_of


class OverrideForm(forms.Form):
    """`seen` is the id of the override shown on the page, or 0, to detect concurrent changes."""

    points = forms.DecimalField(min_value=Decimal(0), max_digits=7, decimal_places=2, label="Points")
    reason = forms.CharField(max_length=500, label="Reason", help_text="shown to the student")
    seen = forms.IntegerField(widget=forms.HiddenInput, initial=0)
    above = forms.BooleanField(label="More than the maximum, as bonus points", required=False)

    def __init__(self, *args: Any, of: Decimal, **kwargs: Any) -> None:
        """`of` are the maximum points. More are asked about, as they are when scores are imported."""
        super().__init__(*args, **kwargs)
        self.of = of
        if not self.is_bound:
            del self.fields["above"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        above = given.pop("above", False)
        if "points" in given and given["points"] > self.of and not above:
            maximum = numbers.points(self.of)
            self.add_error("points", f"The maximum is {maximum} points. If you mean bonus points, tick the box below.")
        elif not above:
            del self.fields["above"]
        return given


class WithdrawForm(forms.Form):
    reason = forms.CharField(max_length=500, label="Reason", help_text="shown in the history")


class ExcuseForm(forms.Form):
    reason = forms.CharField(max_length=500, label="Reason", help_text="Shown to the student.")


@dataclass(frozen=True)
class GradeRow:
    assignment: Assignment
    score: Score
    terms: StudentTerms
    extension: Extension | None
    how: str

    @property
    def of(self) -> Decimal:
        """The maximum points; in a frozen gradebook, those at the time of freezing."""
        return self.score.of or self.assignment.points


@dataclass(frozen=True)
class AssignmentForms:
    """The forms for one assignment."""

    row: GradeRow
    override: OverrideForm
    extension: ExtensionForm
    withdraw: WithdrawForm
    excuse: ExcuseForm
    conflict: Conflict | None = None


Decision = Callable[[SignedIn, Membership, Membership, Assignment], str | forms.Form]


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def student_grades(request: SignedIn, staff: Membership, member: int) -> HttpResponse:
    student = student_in(staff, member)
    if student.role != Role.STUDENT:
        raise Http404("no student")
    if request.method != "POST":
        slug = request.GET.get("a", "")
        return _page(request, staff, student, any_assignment_in(staff, slug) if slug else None)
    wanted = DECISIONS.get(request.POST.get("do", ""))
    if wanted is None:
        return redirect(request.path)
    right, decide = wanted
    rights.require(staff, right, student)
    assignment = any_assignment_in(staff, request.POST.get("assignment", ""))
    try:
        answer = decide(request, staff, student, assignment)
    except Conflict as conflict:
        return _page(request, staff, student, assignment, conflict=conflict)
    if isinstance(answer, forms.Form):
        return _page(request, staff, student, assignment, wrong=answer)
    messages.success(request, answer)
    return redirect(f"{reverse('student-grades', args=(staff.course.slug, student.pk))}?a={assignment.slug}")


# -- actions


def _override(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    form = OverrideForm(request.POST, of=assignment.points)
    if not form.is_valid():
        return form
    made = overrides.override(assignment=assignment, membership=student, by=staff, **form.cleaned_data)
    return f"{assignment.title}: {numbers.points(made.points)} points set by hand."


def _undo(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    seen = number_in(request.POST.get("seen", "")) or 0
    overrides.undo_override(assignment=assignment, membership=student, by=staff, seen=seen)
    again = "it has no score now" if assignment.graded_outside else "the computed score counts again"
    return f"{assignment.title}: {again}."


def _extend(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    form = ExtensionForm(request.POST, outside=assignment.graded_outside)
    if not form.is_valid():
        return form
    given = form.cleaned_data | {"extra_attempts": form.cleaned_data.get("extra_attempts") or 0}
    extension_grant(assignment=assignment, membership=student, by=staff, **given)
    return f"{assignment.title}: extension granted."


def _withdraw(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return form
    extension_withdraw(assignment=assignment, membership=student, by=staff, **form.cleaned_data)
    return f"{assignment.title}: extension withdrawn."


def _excuse(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    form = ExcuseForm(request.POST)
    if not form.is_valid():
        return form
    excuses.excuse(assignment=assignment, membership=student, by=staff, **form.cleaned_data)
    return f"{assignment.title}: student excused."


def _withdraw_excuse(request: SignedIn, staff: Membership, student: Membership, assignment: Assignment) -> str | forms.Form:
    excuses.withdraw_excuse(assignment=assignment, membership=student, by=staff)
    return f"{assignment.title}: excuse withdrawn. The assignment counts again."


DECISIONS: dict[str, tuple[Right, Decision]] = {
    "override": (Right.OVERRIDE, _override),
    "undo": (Right.OVERRIDE, _undo),
    "excuse": (Right.OVERRIDE, _excuse),
    "withdraw-excuse": (Right.OVERRIDE, _withdraw_excuse),
    "extend": (Right.EXTEND, _extend),
    "withdraw": (Right.EXTEND, _withdraw),
}


# -- page


def _page(
    request: SignedIn,
    staff: Membership,
    student: Membership,
    chosen: Assignment | None,
    *,
    wrong: forms.Form | None = None,
    conflict: Conflict | None = None,
) -> HttpResponse:
    sheet = sheet_for(staff.course, Membership.objects.filter(pk=student.pk))
    plan = plan_of_course(staff.course, sheet)
    (known,) = sheet.students
    total = totals_of(sheet, plan)[student.pk]
    rows = _rows(staff, student)
    row = next((row for row in rows if chosen is not None and row.assignment.pk == chosen.pk), None)
    shown = {"student": student, "known": known, "rows": rows, "how": how_of(sheet, plan, known, total), "total": total}
    decides = {
        "forms": _assignment_forms(request, row, wrong, conflict) if row else None,
        "may_override": rights.has(staff, Right.OVERRIDE, student),
        "may_set": sheet.frozen is None and rights.has(staff, Right.OVERRIDE, student),
        "may_extend": rights.has(staff, Right.EXTEND, student),
        "frozen": sheet.frozen,
        "changes": changes_of(student),
    }
    return render(request, "web/staff/grading/student_grades.html", page_context(staff, "gradebook") | shown | decides)


def _rows(staff: Membership, student: Membership) -> list[GradeRow]:
    assignments = list(staff.course.assignments.filter(removed_at=None))
    terms = terms_of_student(student, assignments)
    found = scores.scores_of_student(student, assignments, terms)
    extensions = Extension.objects.filter(membership=student, assignment__in=assignments).select_related("granted_by")
    granted = {extension.assignment_id: extension for extension in extensions}
    numbered = numbers_of([score.counted.submission_id for score in found.values() if score.counted])
    return [
        GradeRow(assignment, score, terms[assignment.pk], granted.get(assignment.pk), _how(score, assignment, numbered))
        for assignment in assignments
        for score in [found[assignment.pk]]
    ]


def _how(score: Score, assignment: Assignment, numbered: Mapping[int, int]) -> str:
    if score.frozen:
        return "Frozen value. The current results would give a different score."
    if score.override is not None:
        return f"Set by {_name(score.override)}: {score.override.reason}"
    if score.excuse is not None:
        return f"Excused by {_name(score.excuse)}: {score.excuse.reason}"
    if score.counted is None:
        return "No points yet: graded outside Gradus." if assignment.graded_outside else "Not graded."
    counted = score.counted
    reached = reached_words(counted, assignment.points).removesuffix(" points")
    late = f"; {late_words(counted.lateness, counted.remaining, counted.late_days)}" if counted.late else ""
    return f"Submission {numbered[counted.submission_id]}: {reached}{late}."


def _name(decision: Override | Excuse) -> str:
    return decision.author.display_name


def _assignment_forms(
    request: SignedIn, row: GradeRow, wrong: forms.Form | None, conflict: Conflict | None
) -> AssignmentForms:
    """Build the forms. Submitted ones keep their input; the others have the stored values."""
    current = row.score.override
    override = OverrideForm(
        initial={"points": row.score.points, "seen": current.pk if current else 0}, of=row.assignment.points
    )
    if conflict is not None:
        stands = conflict.stands.pk if conflict.stands else 0
        typed = {"points": request.POST.get("points"), "reason": request.POST.get("reason"), "seen": stands}
        override = OverrideForm(initial=typed, of=row.assignment.points)
    override = wrong if isinstance(wrong, OverrideForm) else override
    extension = wrong if isinstance(wrong, ExtensionForm) else _extension_form(row)
    withdraw = wrong if isinstance(wrong, WithdrawForm) else WithdrawForm()
    excuse = wrong if isinstance(wrong, ExcuseForm) else ExcuseForm()
    for name, form in (("override", override), ("extension", extension), ("withdraw", withdraw), ("excuse", excuse)):
        form.auto_id = f"{name}_%s"  # several forms have a "reason" field, so their ids must differ
    return AssignmentForms(row, override, extension, withdraw, excuse, conflict)


def _extension_form(row: GradeRow) -> ExtensionForm:
    return ExtensionForm(initial=_granted(row.extension), outside=row.assignment.graded_outside)


def _granted(extension: Extension | None) -> dict[str, object]:
    if extension is None:
        return {}
    names: Sequence[str] = ("due_at", "closes_at", "extra_attempts", "reason")
    return {name: getattr(extension, name) for name in names}
