"""The page behind an invitation link: join, create an account, or read why that is not possible and what to do."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import AtField, Refused
from autograder.courses.mail import outbox
from autograder.courses.models import User
from autograder.courses.people import joining
from autograder.courses.people.joining import HasAccount, InvitationOffer, OfferCase
from autograder.web import rate_limits

HEADINGS = {
    OfferCase.UNKNOWN: "Invalid link",
    OfferCase.ENDED: "This invitation has ended",
    OfferCase.MEMBER: "You are already in this course",
    OfferCase.REMOVED: "You were removed from this course",
    OfferCase.OTHER_PERSON: "This invitation is for another person",
    OfferCase.OTHER_DOMAIN: "This invitation is for other email addresses",
}
STATUS = {
    OfferCase.UNKNOWN: 404,
    OfferCase.ENDED: 410,
    OfferCase.REMOVED: 403,
    OfferCase.OTHER_PERSON: 403,
    OfferCase.OTHER_DOMAIN: 403,
}


class RegisterForm(forms.Form):
    name = forms.CharField(max_length=300, label="Name", widget=forms.TextInput(attrs={"autocomplete": "name"}))
    email = forms.EmailField(label="Email", widget=forms.EmailInput(attrs={"autocomplete": "username"}))
    password = forms.CharField(
        label="Password",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "aria-describedby": "rules"}),
    )
    again = forms.CharField(
        label="Password again",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        first, again = found.get("password"), found.get("again")
        if first and again and first != again:
            self.add_error("again", "The two passwords do not match.")
        return found


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    found = joining.invitation_offer(token, user)
    if found.case == OfferCase.UNKNOWN:
        rate_limits.count(request, "join", None)
    if request.method != "POST" or found.case not in (
        OfferCase.JOIN,
        OfferCase.SIGN_IN,
        OfferCase.REGISTER,
        OfferCase.MEMBER,
    ):
        return _page(request, found)
    if found.case == OfferCase.REGISTER and request.POST.get("act") == "register":
        return _register(request, token, found)
    return _accept(request, token=token)


def _page(request: HttpRequest, found: InvitationOffer, form: RegisterForm | None = None) -> HttpResponse:
    invitation = found.invitation
    context = {
        "door": found,
        "heading": HEADINGS.get(found.case) or f"Join {invitation.course.full_title if invitation else ''}",
        "invitation": invitation,
        "course": invitation.course if invitation else None,
        "for_whom": joining.masked(invitation.email) if invitation and invitation.email else "",
        "domains": joining.domains_in_words(invitation) if invitation else "",
        "form": form or RegisterForm(),
        "by_mail": outbox.is_configured() and bool(getattr(request.user, "email", "")),
        "rules": password_validators_help_texts(),
    }
    return render(request, "web/accounts/join.html", context, status=STATUS.get(found.case, 200))


def _register(request: HttpRequest, token: str, found: InvitationOffer) -> HttpResponse:
    rate_limits.count(request, "register", None)
    form = RegisterForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form)
    given = {name: form.cleaned_data[name] for name in ("name", "email", "password")}
    try:
        membership = joining.invitation_register(token=token, **given)
    except AtField as refused:
        if isinstance(refused, HasAccount):
            rate_limits.count(request, "has-account", None)
        form.add_error(refused.field, refused.message)
        return _page(request, found, form)
    except Refused:
        return _page(request, joining.invitation_offer(token, None))
    login(request, membership.user)
    words = f"You joined {membership.course.full_title}. From now on, sign in with your email address and your password."
    messages.success(request, words)
    return redirect("home", membership.course.slug)


@login_required
def _accept(request: HttpRequest, *, token: str) -> HttpResponse:
    assert isinstance(request.user, User)
    password = request.user.password
    try:
        membership = joining.invitation_accept(token=token, user=request.user)
    except Refused:
        return _page(request, joining.invitation_offer(token, request.user))
    request.user.refresh_from_db(fields=("password",))
    if request.user.password != password:  # it was ended, because staff of another course could know it
        logout(request)
        messages.warning(request, f"You joined {membership.course.full_title}. Choose a new password to sign in again.")
        return redirect("forgot-password")
    messages.success(request, f"You joined {membership.course.full_title}.")
    return redirect("home", membership.course.slug)
