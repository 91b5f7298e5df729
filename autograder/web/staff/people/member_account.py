"""The account of a member: correct name and email address, or create a reset link."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses.accounts import access, reset_links
from autograder.courses.accounts.services import account_correct
from autograder.courses.errors import Refused
from autograder.courses.mail import outbox
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.web import rate_limits
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only

NAMES = ("first_name", "last_name", "email")


class AccountForm(forms.Form):
    first_name = forms.CharField(max_length=150, required=False, label="First name")
    last_name = forms.CharField(max_length=150, required=False, label="Last name")
    email = forms.CharField(max_length=254, required=False, label="Email")


def account_of(staff: Membership, member: Membership) -> dict[str, Any]:
    """Template context for the account section of a member's page."""
    return {
        "why_not": access.why_not_change(staff, member),
        "account_form": AccountForm(initial={name: getattr(member.user, name) for name in NAMES}),
        "by_mail": outbox.is_configured() and bool(member.user.email),
    }


@never_cache
@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def member_account(request: SignedIn, staff: Membership, member: int) -> HttpResponse:
    """Correct the account or create a reset link. The link is shown only in this response, because only its hash is
    stored.
    """
    found = Membership.objects.filter(pk=member, course=staff.course).select_related("user", "course").first()
    if found is None:
        raise Http404("no such member")
    more: dict[str, Any] = {}
    if request.method == "POST" and request.POST.get("act") == "reset-link":
        rate_limits.count(request, "reset-link", request.user)
        made = reset_links.reset_link_create(membership=found, by=staff)
        more = {"link": request.build_absolute_uri(reverse("reset", args=(made.token,))), "made": made.link}
    elif request.method == "POST":
        form = AccountForm(request.POST)
        if form.is_valid() and _corrected(form, found, staff):
            messages.success(request, "The account was saved.")
            return redirect("member", staff.course.slug, found.pk)
        more = {"account_form": form}
    name = found.user.display_name
    context = page_context(staff, "people") | account_of(staff, found) | {"member": found, "name": name} | more
    return render(request, "web/staff/people/member_account.html", context)


def _corrected(form: AccountForm, member: Membership, staff: Membership) -> bool:
    try:
        account_correct(membership=member, by=staff, **form.cleaned_data)
    except Refused as refused:
        add_refusal(form, refused)
        return False
    return True
