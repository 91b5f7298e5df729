"""The page of one member of a course."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.models import Extension, Membership, Role
from autograder.courses.people.members import member_remove, member_restore, member_update
from autograder.courses.rights import Right
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import InSectionForm
from autograder.web.staff.people.member_account import account_of

ACCOUNT_NEXT_STEP = (
    "The person can choose a new one with “Forgot password?”. If the site does not send email, the site operator can set one. "
    "Make sure that the account's email address belongs to that person."
)


class MemberForm(InSectionForm):
    """Role and section of a member, and their ids in the LMS and the SIS."""

    role = forms.ChoiceField(choices=Role.choices, label="Role")
    lms_id = forms.CharField(max_length=100, required=False, label="LMS ID")
    sis_id = forms.CharField(max_length=100, required=False, label="SIS ID")
    field_order = ("role", "section", "lms_id", "sis_id")


@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def member_page(request: SignedIn, staff: Membership, member: int) -> HttpResponse:
    found = Membership.objects.filter(pk=member, course=staff.course).select_related("user", "section", "course").first()
    if found is None:
        raise Http404("no such member")
    form = MemberForm(staff.course, initial={name: getattr(found, name) for name in ("role", "section", "lms_id", "sis_id")})
    if request.method == "POST":
        act = request.POST.get("act", "change")
        if act == "remove":
            member_remove(membership=found, by=staff)
            messages.success(request, f"{found.user.display_name} was removed from the course. All work is kept.")
            return redirect(request.path)
        if act == "back":
            member_restore(membership=found, by=staff)
            messages.success(request, f"{found.user.display_name} was restored to the course, with all work.")
            return redirect(request.path)
        form = MemberForm(staff.course, request.POST)
        if form.is_valid() and _changed(form, found, staff):
            messages.success(request, f"The changes to {found.user.display_name} were saved.")
            return redirect(request.path)
    extensions = Extension.objects.filter(membership=found).select_related("assignment", "granted_by")
    context = (
        page_context(staff, "people")
        | account_of(staff, found)
        | {
            "member": found,
            "name": found.user.display_name,
            "password_ended": found.user.password_ended_at is not None and not found.user.has_usable_password(),
            "new_password": ACCOUNT_NEXT_STEP,
            "form": form,
            "extensions": extensions.order_by("assignment__position"),
        }
    )
    return render(request, "web/staff/people/member.html", context)


def _changed(form: MemberForm, member: Membership, staff: Membership) -> bool:
    try:
        member_update(membership=member, by=staff, **form.cleaned_data)
    except Refused as refused:
        add_refusal(form, refused)
        return False
    return True
