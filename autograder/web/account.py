"""Signing in and out, colours and time zone: what belongs to a person and not to a course."""

import zoneinfo
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from autograder.courses import rights
from autograder.courses.models import Membership, User
from autograder.courses.selectors import is_staff_of
from autograder.web import demo
from autograder.web.access import SignedIn

YEAR = 365 * 24 * 3600
THEMES = (("auto", "Auto"), ("light", "Light"), ("dark", "Dark"))
THEME = "theme"


class NameOrEmail(ModelBackend):
    """Signs in by login, or by an e-mail address that only one person has."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        found = super().authenticate(request, username=username, password=password, **kwargs)
        if found is None and username and password and "@" in username:
            named = list(User.objects.filter(email__iexact=username)[:2])
            if len(named) == 1:
                found = super().authenticate(request, username=named[0].username, password=password)
        return found if isinstance(found, User) else None


class SignInForm(AuthenticationForm):
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "Name and password do not go together. Capital letters count.",
        "inactive": "This account is switched off. Ask your instructor.",
    }


class SignIn(LoginView):
    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo": demo.accounts()}


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """For whoever is signed in, the way to the course."""
    if not isinstance(request.user, User):
        return render(request, "web/front.html", {"demo": bool(demo.accounts()), "player": demo.front_player()})
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
    zones = sorted(name for name in zoneinfo.available_timezones() if "/" in name and not name.startswith(("Etc/", "posix")))
    chosen = request.POST.get("zone", "")
    if request.method == "POST" and chosen in (*zones, "UTC"):
        request.user.time_zone = chosen
        request.user.save(update_fields=("time_zone",))
        return redirect(_back(request, request.POST.get("next", "")))
    context = {"zones": ["UTC", *zones], "chosen": request.user.time_zone, "trouble": request.method == "POST"}
    return render(request, "web/time_zone.html", context | {"next": request.GET.get("next", "")})


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "web/help.html")


def _back(request: HttpRequest, wanted: str) -> str:
    """Where somebody came from, if that is here."""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"


def surroundings(request: HttpRequest) -> dict[str, Any]:
    """What every template knows."""
    chosen = request.COOKIES.get(THEME, "")
    return {"themes": THEMES, "theme": chosen if chosen in ("light", "dark") else ""}
