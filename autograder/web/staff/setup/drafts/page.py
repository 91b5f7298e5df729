"""The list of a course's drafts, and the start of a new one."""

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from autograder.authoring import drafts as services
from autograder.authoring import exchange
from autograder.authoring.models import Draft
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.library.catalogue import latest_version
from autograder.library.uploads import MAX_ZIP_BYTES
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal, focus_first_error
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.drafts.forms import FromFunctionForm, NewDraftForm, ZipForm
from autograder.web.staff.setup.drafts.proof import summary_of

SAID = {
    "function": "The draft is complete. Read what students see first.",
    "template": "The draft works as it is. What you have to write is marked TODO(author).",
    "zip": "The files of the zip are a draft now.",
}


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def drafts(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.method == "POST" and request.POST.get("do") in ("remove", "restore"):
        return _remove_or_restore(request, staff)
    do = request.POST.get("do", "") if request.method == "POST" else ""
    forms = {
        "function": FromFunctionForm(request.POST if do == "function" else None, prefix="function"),
        "template": NewDraftForm(staff.course, request.POST if do == "template" else None, prefix="template"),
        "zip": ZipForm(request.POST if do == "zip" else None, request.FILES if do == "zip" else None, prefix="zip"),
    }
    sent = forms.get(do)
    if sent is not None and sent.is_valid():
        try:
            made = BEGINNINGS[do](sent, staff)
        except Refused as refused:
            add_refusal(sent, refused)
        else:
            messages.success(request, SAID[do])
            return redirect("workspace", staff.course.slug, made.slug)
    if sent is not None:
        focus_first_error(sent)
    rows = staff.course.drafts.select_related("proof", "created_by").order_by("-changed_at")
    context = page_context(staff, "exercises") | {
        "forms": forms,
        "rows": [(draft, summary_of(draft)) for draft in rows if draft.removed_at is None],
        "removed": [draft for draft in rows if draft.removed_at is not None],
    }
    return render(request, "web/staff/setup/drafts/drafts.html", context)


def _from_function(form: Form, staff: Membership) -> Draft:
    return services.from_function(staff.course, **form.cleaned_data, by=staff)


def _from_zip(form: Form, staff: Membership) -> Draft:
    data = form.cleaned_data["archive"].read(MAX_ZIP_BYTES + 1)
    return exchange.import_zip(staff.course, data, form.cleaned_data["slug"], by=staff)


def _from_template(form: Form, staff: Membership) -> Draft:
    wanted = form.cleaned_data
    what, _, name = wanted["start"].partition(":")
    about = {"slug": wanted["slug"], "title": wanted["title"], "by": staff}
    if what == "template":
        return services.start(staff.course, name, unit=wanted["unit"], **about)
    version = latest_version(name, staff.course.slug)
    if version is None:
        raise Refused("This exercise was removed meanwhile. Choose another one.")
    return services.copy(staff.course, version, **about)


BEGINNINGS = {"function": _from_function, "template": _from_template, "zip": _from_zip}


def _remove_or_restore(request: SignedIn, staff: Membership) -> HttpResponse:
    draft = draft_in(staff, request.POST.get("draft", ""))
    if request.POST["do"] == "remove":
        services.remove(draft, by=staff)
        messages.success(request, f"{draft.title} was removed. It can be restored at the end of this page.")
    else:
        services.restore(draft, by=staff)
        messages.success(request, f"{draft.title} was restored.")
    return redirect("drafts", staff.course.slug)


def draft_in(staff: Membership, slug: str) -> Draft:
    draft = Draft.objects.filter(course=staff.course, slug=slug).select_related("course", "proof").first()
    if draft is None:
        raise Http404("no such draft in this course")
    return draft


@staff_only(Right.SET_UP)
@require_safe
def download(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """All files of a draft as a zip."""
    row = draft_in(staff, draft)
    answer = HttpResponse(exchange.zipped(row), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{row.slug}.zip"'
    return answer
