"""Theme and time zone of a user."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from autograder.courses.setup.timezones import is_known, regions, zones
from autograder.web.access import SignedIn
from autograder.web.timestamps import BROWSER

YEAR = 365 * 24 * 3600
THEMES = (("auto", "Auto"), ("light", "Light"), ("dark", "Dark"))
THEME = "theme"


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
    if request.method == "POST" and chosen in ("", request.user.time_zone, *zones()):
        request.user.time_zone = chosen
        request.user.save(update_fields=("time_zone",))
        return redirect(_back(request, request.POST.get("next", "")))
    browser = request.COOKIES.get(BROWSER, "")
    context = {
        "regions": regions(),
        "chosen": request.user.time_zone,
        "other": request.user.time_zone not in ("", *zones()),
        "browser": browser if is_known(browser) else "",
        "trouble": request.method == "POST",
        "next": request.GET.get("next", ""),
    }
    return render(request, "web/accounts/time_zone.html", context)


def _back(request: HttpRequest, wanted: str) -> str:
    """Return the requested redirect target if it is on this host, else the front page."""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"
