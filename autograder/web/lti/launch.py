"""Launches: a platform begins one at `login`, its token arrives at `launch`, and `continue_launch` finishes it in a window of
its own."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from autograder.lti import keys
from autograder.lti.errors import AGAIN, LaunchRefused
from autograder.lti.launch import oidc
from autograder.lti.models import LoginState
from autograder.web import rate_limits
from autograder.web.lti.arrival import arrive
from autograder.web.lti.refusals import refusals_as_pages
from autograder.web.middleware import frames

COOKIE = "gradus-lti-"  # followed by the beginning of the state's hash, because several windows may launch at once
COOKIE_PATH = "/lti/"


@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
@refusals_as_pages
def login(request: HttpRequest) -> HttpResponse:
    rate_limits.count(request, "launch", None)
    params = (request.POST if request.method == "POST" else request.GET).dict()
    begun = oidc.login_begin(params, launch_url=request.build_absolute_uri(reverse("lti-launch")))
    response = HttpResponseRedirect(begun.url)
    lifetime = int(LoginState.LIFETIME.total_seconds())
    frames.set_partitioned_cookie(response, _cookie(begun.state), begun.browser, seconds=lifetime, path=COOKIE_PATH)
    return response


@csrf_exempt
@never_cache
@require_POST
@refusals_as_pages
def launch(request: HttpRequest) -> HttpResponse:
    rate_limits.count(request, "launch", None)
    state, token = request.POST.get("state", ""), request.POST.get("id_token", "")
    if "error" in request.POST:
        reason = f"the platform said {request.POST['error'][:80]!r}: {request.POST.get('error_description', '')[:200]!r}"
        raise LaunchRefused(f"Your LMS did not let you open Gradus. {AGAIN}", reason)
    if not state or not token:
        raise LaunchRefused(f"Your LMS sent an incomplete launch. {AGAIN}", "no state or no token")
    cookie = _cookie(state)
    browser, site_url = request.COOKIES.get(cookie), request.build_absolute_uri("/")
    verified = oidc.login_finish(state=state, token=token, browser=browser, site_url=site_url)
    if not verified.bound:
        return _ask_for_a_window(request, verified)
    response = arrive(request, verified.deployment, verified.message)
    response.delete_cookie(cookie, path=COOKIE_PATH)
    return response


@csrf_exempt  # the code is the secret, and a frame without cookies has no CSRF token
@never_cache
@require_POST
@refusals_as_pages
def continue_launch(request: HttpRequest) -> HttpResponse:
    """Continue a launch in a window of its own, after the person whom the button names has pressed it."""
    kept = oidc.launch_of(request.POST.get("code", ""))
    oidc.launch_use(kept)
    return arrive(request, kept.deployment, oidc.message_in(kept))


@never_cache
@require_GET
def jwks(request: HttpRequest) -> JsonResponse:
    return JsonResponse(keys.key_set())


def _ask_for_a_window(request: HttpRequest, verified: oidc.Verified) -> HttpResponse:
    """The browser sent no cookie, as some browsers do in frames of other sites: ask the person to open a window."""
    lms = verified.deployment.registration.name
    code = oidc.launch_keep(verified.deployment, verified.message)
    response = render(request, "web/lti/own_window.html", {"code": code, "name": verified.message.full_name, "lms": lms})
    frames.allow(response, frames.ANYBODY)
    return response


def _cookie(state: str) -> str:
    return f"{COOKIE}{oidc.hash_of(state)[:16]}"
