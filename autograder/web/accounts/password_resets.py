"""Password reset: requesting a link by mail, and choosing a new password with a link."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses.accounts import reset_links
from autograder.courses.errors import Refused
from autograder.courses.mail import outbox
from autograder.web import rate_limits
from autograder.web.accounts import account_changes
from autograder.web.accounts.authentication import NameOrEmail
from autograder.web.forms import add_refusal

BACKEND = "autograder.web.accounts.authentication.NameOrEmail"


class ForgotForm(forms.Form):
    name = forms.CharField(max_length=254, error_messages={"required": "Enter your username or email address."})


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    error_messages = SetPasswordForm.error_messages | {"password_mismatch": "The two passwords do not match."}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgot_password(request: HttpRequest) -> HttpResponse:
    """Request a reset link. The response and the work are the same whether or not the account exists."""
    if not outbox.is_configured():
        return render(request, "web/accounts/forgot_password.html", {"mail": False})
    form = ForgotForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        rate_limits.count(request, "forgot", None, name)
        page = (settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")) + reverse(
            "reset", args=("x",)
        ).removesuffix("x/")
        outbox.password_reset_queue(name=name, page=page)
        return render(request, "web/accounts/forgot_password.html", {"mail": True, "asked": name})
    return render(request, "web/accounts/forgot_password.html", {"mail": True, "form": form})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Choose a new password. Opening the page does not use up the link, because mail scanners open links too."""
    try:
        link = reset_links.reset_link_of(token)
        if not NameOrEmail().user_can_authenticate(link.user):
            raise Refused(reset_links.INVALID_LINK)
    except Refused as refused:
        rate_limits.count(request, "reset", None)
        context = {"words": refused.message, "mail": outbox.is_configured()}
        return render(request, "web/accounts/reset_link_invalid.html", context, status=404)
    form: Any = NewPasswordForm(link.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        before = link.user.last_login
        try:
            user = reset_links.password_reset(token=token, password=form.cleaned_data["new_password1"])
        except Refused as refused:
            add_refusal(form, refused)
        else:
            login(request, user, backend=BACKEND)
            messages.success(
                request, "Your password was changed, and you are signed in. You were signed out on all other devices."
            )
            account_changes.show_changes(request, user, since=before)
            return redirect("front")
    context = {"form": form, "account": link.user, "rules": password_validators_help_texts()}
    return render(request, "web/accounts/reset_password.html", context)
