"""Signing in. Wrong passwords are throttled."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from autograder.courses.accounts.selectors import account_named
from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.web.accounts import account_changes, demo, login_throttle
from autograder.web.accounts.login_throttle import Attempt
from autograder.web.error_pages import too_many_requests


class SignInForm(AuthenticationForm):
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "Wrong username or password. Both are case-sensitive.",
        "inactive": "This account is deactivated. Ask your instructor.",
    }
    too_often: TooOften | None = None
    attempt: Attempt | None = None  # whose password is right

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if self.request is None or not name or not password:
            return super().clean()
        name = self.cleaned_data["username"] = demo.login_of(name, password)
        try:
            attempt = login_throttle.begin(self.request, account_named(name), name)
        except TooOften as trouble:
            self.too_often = trouble
            raise ValidationError(trouble.message) from None
        try:
            cleaned = super().clean()
        except ValidationError:
            attempt.was_wrong()
            raise
        self.attempt = attempt
        return cleaned


class SignIn(LoginView):
    template_name = "web/accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.method == "POST" and demo.account_of(request.POST.get("username", "")):
            self.redirect_authenticated_user = False  # the visitor of a demo becomes somebody else
        return super().dispatch(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        account = demo.account_of(self.request.user.get_username())
        return account.address if account else super().get_default_redirect_url()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo": demo.accounts()}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        assert isinstance(user, User)
        before = user.last_login  # login() updates it
        with transaction.atomic():  # one write, of which there are a hundred when a class begins
            if isinstance(form, SignInForm) and form.attempt is not None:
                form.attempt.was_right()
            response = super().form_valid(form)
            account_changes.show_changes(self.request, user, since=before)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        return too_many_requests(response, form.too_often) if isinstance(form, SignInForm) and form.too_often else response


@require_safe
def admin_door(request: HttpRequest) -> HttpResponse:
    """Send anonymous users to the site's throttled login page, because the admin has none of its own. A signed-in user who
    gets here lacks admin rights.
    """
    if request.user.is_authenticated:
        raise PermissionDenied("not staff of the site")
    return redirect_to_login(request.GET.get("next", reverse("admin:index")))
