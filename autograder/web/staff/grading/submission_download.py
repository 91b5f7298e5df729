"""Downloads all submissions of an assignment as one zip."""

from django import forms
from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.exports.submission_archive import Which, count_of, submissions_download
from autograder.web.access import SignedIn, assignment_in
from autograder.web.staff.access import page_context, staff_only
from autograder.web.streaming import StreamedPage


class DownloadForm(forms.Form):
    which = forms.ChoiceField(
        label="Which submissions",
        choices=[(str(which), which.label) for which in Which],
        initial=str(Which.COUNTING),
        widget=forms.RadioSelect,
    )


@staff_only(Right.SEE)
@require_http_methods(["GET", "HEAD", "POST"])
def download_submissions(request: SignedIn, staff: Membership, assignment: str) -> HttpResponseBase:
    """Show the form or send the zip. The download is a POST request, because it is recorded in the audit trail."""
    wanted = assignment_in(staff, assignment)
    form = DownloadForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                made = submissions_download(assignment=wanted, by=staff, which=Which(form.cleaned_data["which"]))
            except Refused as refused:
                form.add_error(None, refused.message)
                status = 409
            else:
                return StreamedPage(
                    made.parts,
                    content_type="application/zip",
                    headers={
                        "Content-Disposition": f'attachment; filename="{made.file_name}"',
                        "Cache-Control": "no-store",
                        "X-Accel-Buffering": "no",
                    },
                )
    students, submissions = count_of(wanted, staff)
    context = page_context(staff, "exercises") | {
        "assignment": wanted,
        "form": form,
        "students": students,
        "submissions": submissions,
        "section": staff.section if rights.is_bound_to_a_section(staff) else None,
    }
    return render(request, "web/staff/grading/submission_download.html", context, status=status)
