"""Views for login, password change, theme and time zone: settings of a person that belong to no course."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.views import LoginView, PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from autograder.courses import audit, rights
from autograder.courses.accounts import account_named
from autograder.courses.errors import TooOften
from autograder.courses.models import Membership, User
from autograder.courses.selectors import is_staff_of
from autograder.courses.timezones import zones
from autograder.submissions import run_limit
from autograder.web import account_news, demo, login_throttle
from autograder.web.access import SignedIn, number_in
from autograder.web.navigation import navigation_of
from autograder.web.player.front_page import front_player

YEAR = 365 * 24 * 3600
THEMES = (("auto", "Auto"), ("light", "Light"), ("dark", "Dark"))
THEME = "theme"


class NameOrEmail(ModelBackend):
    """Authentication by username or e-mail address. A password is hashed even for an unknown name, so that the response
    time does not reveal which accounts exist.
    """

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        if username is None or password is None:
            return None
        who = account_named(username)
        found = super().authenticate(request, username=who.username if who else username, password=password, **kwargs)
        return found if isinstance(found, User) else None

    def user_can_authenticate(self, user: User | AnonymousUser | None) -> bool:
        """Called at login and, through `get_user`, on every authenticated request."""
        return super().user_can_authenticate(user) and (not isinstance(user, User) or demo.may_sign_in(user))


class SignInForm(AuthenticationForm):
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "Wrong username or password. Both are case-sensitive.",
        "inactive": "This account is deactivated. Ask your instructor.",
    }
    too_often: TooOften | None = None

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if self.request is None or not name or not password:
            return super().clean()
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
        attempt.was_right()
        return cleaned


class SignIn(LoginView):
    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo": demo.accounts()}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        assert isinstance(user, User)
        before = user.last_login  # login() updates it
        response = super().form_valid(form)
        account_news.tell(self.request, user, since=before)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        return _held_up(response, form.too_often) if isinstance(form, SignInForm) and form.too_often else response


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

    template_name = "web/password.html"
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
        with transaction.atomic():
            response = super().form_valid(form)
            audit.record("password-changed", form.user, actor=form.user)
        messages.success(self.request, "Your password was changed. You were signed out on all other devices.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        return _held_up(response, form.too_often) if form.too_often else response


def _held_up(response: HttpResponse, trouble: TooOften) -> HttpResponse:
    response.status_code = 429
    response["Retry-After"] = str(trouble.seconds)
    return response


@require_safe
def admin_door(request: HttpRequest) -> HttpResponse:
    """Send anonymous users to the site's throttled login page, because the admin has none of its own. A signed-in user who
    gets here lacks admin rights.
    """
    if request.user.is_authenticated:
        raise PermissionDenied("not staff of the site")
    return redirect_to_login(request.GET.get("next", reverse("admin:index")))


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Show the landing page to visitors. Redirect signed-in users to their course, or list their courses."""
    if not isinstance(request.user, User):
        shown = {"demo": demo.student(), "player": front_player(number_in(request.GET.get("step", "")))}
        return render(request, "web/front.html", shown | {"nobody_yet": not User.objects.exists()})
    memberships = list(
        Membership.objects.filter(user=request.user, removed_at=None, course__archived_at=None)
        .select_related("course")
        .order_by("course__title")
    )
    if len(memberships) == 1:
        return redirect("overview" if is_staff_of(memberships[0]) else "home", memberships[0].course.slug)
    context = {"courses": memberships, "may_make": rights.may_make_courses(request.user)}
    return render(request, "web/courses.html", context)


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("theme", "auto")
    response = redirect(_back(request, request.POST.get("next", "")))
    if chosen in ("light", "dark"):
        response.set_cookie(THEME, chosen, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure())
    else:
        response.delete_cookie(THEME, samesite="Lax")
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def time_zone(request: SignedIn) -> HttpResponse:
    chosen = request.POST.get("zone", "")
    if request.method == "POST" and chosen in zones():
        request.user.time_zone = chosen
        request.user.save(update_fields=("time_zone",))
        return redirect(_back(request, request.POST.get("next", "")))
    context = {"zones": zones(), "chosen": request.user.time_zone, "trouble": request.method == "POST"}
    return render(request, "web/time_zone.html", context | {"next": request.GET.get("next", "")})


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "web/help.html", {"runs_a_minute": run_limit.RUNS})


def _back(request: HttpRequest, wanted: str) -> str:
    """Return the requested redirect target if it is on this host, else the front page."""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"


def surroundings(request: HttpRequest) -> dict[str, Any]:
    """Context processor for all templates. The navigation is lazy, so it costs a query only where it is rendered."""
    chosen = request.COOKIES.get(THEME, "")
    return {
        "themes": THEMES,
        "theme": chosen if chosen in ("light", "dark") else "",
        "navigation": SimpleLazyObject(lambda: navigation_of(request)),
    }
