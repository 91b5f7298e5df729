"""Grade export for an LMS, a student information system or a spreadsheet. Problems are shown before a file is created."""

from typing import Any, cast

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.gradebook.exports import EXPORTS, Export, Identity, Options, Unmatched, export, file_name
from autograder.gradebook.exports.base import Missing, RequiredOption
from autograder.gradebook.exports.export_service import refuse_at_once, remarks_on
from autograder.gradebook.grades.sheet import GradeSheet, sheet_of
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.grading.gradebook import section_of_page, sections_of

SHOWN = 200


class ExportForm(forms.Form):
    format = forms.ChoiceField(choices=[(export.name, export.label) for export in EXPORTS.values()], label="Format")
    identity = forms.ChoiceField(
        required=False,
        choices=[("", "recommended"), *((str(identity), identity.words) for identity in Identity)],
        label="Student identifier",
    )
    section = forms.ChoiceField(required=False, label="Section")
    assignment = forms.MultipleChoiceField(
        required=False,
        label="Exercises",
        widget=forms.CheckboxSelectMultiple,
        help_text="If you select none, all exercises are exported.",
    )
    missing = forms.ChoiceField(
        required=False,
        choices=[(str(missing), missing.words) for missing in Missing],
        label="Missing scores after the due date",
        help_text="Most LMSs leave an empty cell out of the total, which raises the student's total.",
    )
    template = forms.FileField(required=False, label="For Blackboard: the file downloaded from Blackboard")
    class_id = forms.CharField(max_length=200, required=False, label="For OneRoster: sourcedId of the class")
    grading_period = forms.CharField(max_length=200, required=False, label="For OneRoster: sourcedId of the grading period")
    skip_unmatched = forms.BooleanField(required=False, label="Leave out students who cannot be matched")

    def __init__(self, staff: Membership, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sections = sections_of(staff)
        field = cast("forms.ChoiceField", self.fields["section"])
        field.choices = [("", "all"), *((str(section.pk), section.name) for section in sections)]
        if not sections:
            del self.fields["section"]
        chosen = cast("forms.MultipleChoiceField", self.fields["assignment"])
        chosen.choices = list(staff.course.assignments.filter(removed_at=None).values_list("slug", "title"))

    def clean_template(self) -> bytes | None:
        file = self.cleaned_data["template"]
        if file is None:
            return None
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MAX_BYTES // 1_000_000} MB, so it cannot be a grade list."
            )
        return cast("bytes", file.read())

    def clean(self) -> dict[str, Any]:
        """Report missing requirements of the chosen format at the field concerned."""
        found = super().clean() or self.cleaned_data
        to = EXPORTS.get(found.get("format", ""))
        fields = {
            RequiredOption.TEMPLATE: "template",
            RequiredOption.CLASS: "class_id",
            RequiredOption.GRADING_PERIOD: "grading_period",
        }
        for need in to.needs if to else ():
            if not found.get(fields[need]) and not self.has_error(fields[need]):
                self.add_error(fields[need], f"{to.label if to else 'It'} needs {need}.")
        identity = found.get("identity")
        if to and identity and Identity(identity) not in to.identities and to.identities:
            known = ", ".join(identity.words for identity in to.identities)
            self.add_error("identity", f"{to.label} can identify students by {known}.")
        return found

    def options(self) -> Options:
        given = self.cleaned_data
        identity = Identity(given["identity"]) if given["identity"] else None
        missing = Missing(given["missing"] or Missing.ZERO)
        return Options(identity, given["template"], given["class_id"], given["grading_period"], missing)


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def export_page(request: SignedIn, staff: Membership) -> HttpResponse:
    """Show the export form. With a format, also list students who cannot be matched; `do=download` returns the file."""
    query: QueryDict = request.POST if request.method == "POST" else request.GET
    section = section_of_page(staff, query.get("section", ""))
    if "format" not in query:
        form = ExportForm(staff, initial={"section": query.get("section", "")})
        return _page(request, staff, form)
    form = ExportForm(staff, query, request.FILES)
    if not form.is_valid():
        return _page(request, staff, form)
    to, options = EXPORTS[form.cleaned_data["format"]], form.options()
    sheet = sheet_of(staff.course, assignments=form.cleaned_data["assignment"], section=section)
    try:
        refuse_at_once(to, sheet, options)
        unmatched = to.unmatched(sheet, options)
        if query.get("do") == "download" and (not unmatched or form.cleaned_data["skip_unmatched"]):
            return _file(staff, to, sheet, options, skip=bool(unmatched))
        leaving = sheet.without([student.student for student in unmatched])
        if leaving.students:
            to.refuse(leaving, options)
    except Refused as refused:
        form.add_error(None, refused.message)
        return _page(request, staff, form)
    return _page(request, staff, form, _report(to, sheet, options, unmatched))


def _file(staff: Membership, to: Export, sheet: GradeSheet, options: Options, *, skip: bool) -> HttpResponse:
    data = export(to, sheet, options, course=staff.course, by=staff, skip_unmatched=skip)
    response = HttpResponse(data, content_type=to.media_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name(to, sheet)}"'
    response["Cache-Control"] = "no-store"
    return response


def _report(to: Export, sheet: GradeSheet, options: Options, unmatched: list[Unmatched]) -> dict[str, Any]:
    return {
        "checked": to,
        "unmatched": unmatched[:SHOWN],
        "more": max(0, len(unmatched) - SHOWN),
        "count": len(unmatched),
        "matched": len(sheet.students) - len(unmatched),
        "of": len(sheet.students),
        "assignments": len(sheet.columns),
        "remarks": remarks_on(to, sheet, options),
        "identity": to.identity(options).words if to.identities else "",
    }


def _page(request: SignedIn, staff: Membership, form: ExportForm, report: dict[str, Any] | None = None) -> HttpResponse:
    known = {
        "form": form,
        "report": report,
        "staff_section": staff.section if rights.is_bound_to_a_section(staff) else None,
        "may_import": rights.has(staff, Right.PEOPLE),
    }
    return render(request, "web/staff/grading/exports.html", page_context(staff, "gradebook") | known)
