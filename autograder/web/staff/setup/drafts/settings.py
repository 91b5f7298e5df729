"""The settings of a draft as a form, which is saved as it is typed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from autograder.authoring import drafts, settings_file
from autograder.authoring.models import Draft, DraftFile
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.web.access import SignedIn
from autograder.web.staff.access import staff_only
from autograder.web.staff.setup.drafts.addresses import address_of
from autograder.web.staff.setup.drafts.forms import SettingsForm
from autograder.web.staff.setup.drafts.page import draft_in


def form_of(file: DraftFile) -> SettingsForm | None:
    """The form with what the file says; None if it cannot be read."""
    try:
        return SettingsForm(initial=settings_file.values_of(file.text) | {"edition": file.edition})
    except Refused:
        return None


@staff_only(Right.SET_UP)
@require_POST
def change_settings(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """Save the form. While it is typed, the answer says what was saved or what is wrong; the form stays as it is."""
    row = draft_in(staff, draft)
    form, said, saved = SettingsForm(request.POST), "", None
    if form.is_valid():
        try:
            saved = _saved(row, form, staff)
        except Refused as refused:
            said = refused.message
    if request.headers.get("HX-Request"):
        context = {"form": form, "said": said, "saved": saved}
        answer = render(request, "web/staff/setup/drafts/settings_said.html", context)
        if saved:
            answer["HX-Trigger"] = "saved"  # the proof beside the form begins anew
        return answer
    for problem in [said] if said else [f"{form[name].label}: {each[0]}" for name, each in form.errors.items()]:
        messages.error(request, f"Nothing was saved. {problem}")
    if saved:
        messages.success(request, "The settings were saved.")
    return redirect(address_of(row, settings_file.PATH))


def _saved(draft: Draft, form: SettingsForm, staff: Membership) -> DraftFile:
    text = draft.files.get(path=settings_file.PATH).text
    changed = settings_file.with_values(text, form.cleaned_data)
    return drafts.save(draft, settings_file.PATH, changed, form.cleaned_data["edition"], by=staff)
