"""Grants an extension to several students at once, for one assignment."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership, Section
from autograder.courses.people.extensions import extensions_grant
from autograder.courses.rights import Right
from autograder.gradebook.grades.sheet import in_order
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import SectionField
from autograder.web.staff.grading.extension_form import ExtensionForm


class AssignmentField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Assignment) -> str:  # type: ignore[override]
        return obj.title


class StudentsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Membership) -> str:  # type: ignore[override]
        name = obj.user.listed_name
        return f"{name} ({obj.section.name})" if obj.section else name


class BulkExtensionForm(ExtensionForm):
    """Selects students individually, by section, or both."""

    assignment = AssignmentField(queryset=Assignment.objects.none(), label="Exercise", empty_label=None)
    section = SectionField(
        queryset=Section.objects.none(), required=False, label="All students in section", empty_label="none"
    )
    students = StudentsField(
        queryset=Membership.objects.none(), required=False, label="Students", widget=forms.CheckboxSelectMultiple
    )
    field_order = ("assignment", "due_at", "closes_at", "extra_attempts", "reason", "section", "students")

    def __init__(self, staff: Membership, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, among in (
            ("assignment", staff.course.assignments.filter(removed_at=None)),
            ("section", staff.course.sections.order_by("name")),
            ("students", in_order(rights.students_of(staff))),
        ):
            self.fields[name].queryset = among  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if not found.get("section") and not found.get("students") and not self.has_error("students"):
            self.add_error("students", "Select students, or choose a section.")
        return found


@staff_only(Right.EXTEND)
@require_http_methods(["GET", "HEAD", "POST"])
def extend(request: SignedIn, staff: Membership) -> HttpResponse:
    form = BulkExtensionForm(staff, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        given = dict(form.cleaned_data)
        assignment, chosen = given.pop("assignment"), _chosen(staff, given.pop("section"), given.pop("students"))
        given["extra_attempts"] = given["extra_attempts"] or 0
        try:
            granted = extensions_grant(assignment=assignment, memberships=list(chosen), by=staff, **given)
        except Refused as refused:
            form.add_error(None, refused.message)
        else:
            count = numbers.quantity(len(granted), "student")
            messages.success(request, f"{assignment.title}: extension granted to {count}.")
            return redirect("gradebook", staff.course.slug)
    return render(request, "web/staff/people/bulk_extensions.html", page_context(staff, "gradebook") | {"form": form})


def _chosen(staff: Membership, section: Section | None, students: QuerySet[Membership]) -> QuerySet[Membership]:
    either = Q(pk__in=[student.pk for student in students]) | (Q(section=section) if section else Q(pk__in=()))
    return in_order(rights.students_of(staff).filter(either))
