"""Changing one's own password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse_lazy

from autograder.courses import audit
from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.web.accounts import login_throttle
from autograder.web.error_pages import too_many_requests


class PasswordForm(PasswordChangeForm):  # type: ignore[type-arg]
    """Throttle the old password like a login, so that an unattended session cannot be used to guess it."""

    error_messages = PasswordChangeForm.error_messages | {
        "password_incorrect": "Wrong password. Passwords are case-sensitive.",
        "password_mismatch": "The two passwords do not match.",
    }
    too_often: TooOften | None = None
    request: HttpRequest

    def clean_old_password(self) -> str:
        assert isinstance(self.user, User)
        try:
            attempt = login_throttle.begin(self.request, self.user, self.user.username)
        except TooOften as trouble:
            self.too_often = trouble
            raise ValidationError(trouble.message) from None
        try:
            old = super().clean_old_password()
        except ValidationError:
            attempt.was_wrong()
            raise
        attempt.was_right()
        return old


class Password(PasswordChangeView):
    """Changing the password ends all other sessions. The current one gets a new session key."""

    template_name = "web/accounts/change_password.html"
    form_class = PasswordForm
    success_url = reverse_lazy("front")

    def get_form(self, form_class: type[Any] | None = None) -> Any:
        form: Any = super().get_form(form_class)
        form.request = self.request
        return form

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        has_one = isinstance(self.request.user, User) and self.request.user.has_usable_password()
        return super().get_context_data(**kwargs) | {"rules": password_validators_help_texts(), "has_one": has_one}

    def form_valid(self, form: Any) -> HttpResponse:
        form.user.first_password_at = None
        with transaction.atomic():
            response = super().form_valid(form)
            audit.record("password-changed", form.user, actor=form.user)
        messages.success(self.request, "Your password was changed. You were signed out on all other devices.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        return too_many_requests(response, form.too_often) if form.too_often else response
