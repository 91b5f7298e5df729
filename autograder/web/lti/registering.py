"""Dynamic registration: the page that an LMS opens in a frame or a window of its own, and that closes itself afterwards."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from autograder.lti.errors import RegistrationRefused
from autograder.lti.launch.refused_counts import REGISTRATION, refused_count
from autograder.lti.registration.dynamic_registration import register_from_link
from autograder.lti.registration.tool_configuration import tool_addresses
from autograder.web import rate_limits
from autograder.web.middleware import frames

log = logging.getLogger("gradus.lti")


@never_cache
@require_GET
def register(request: HttpRequest, token: str) -> HttpResponse:
    """Register Gradus in the LMS that opened the link. A link that is opened in another way is not used up."""
    rate_limits.count(request, "lti-register", None)
    try:
        made = register_from_link(
            token,
            configuration_url=request.GET.get("openid_configuration", ""),
            registration_token=request.GET.get("registration_token", ""),
            tool=tool_addresses(request.build_absolute_uri("/")),
        )
    except RegistrationRefused as refused:
        refused_count(REGISTRATION, refused)
        response = render(request, "web/lti/not_registered.html", {"words": refused.message}, status=403)
    else:
        log.info("registered %s", made)
        shown = {"registration": made, "deployments": made.deployments.exists()}
        response = render(request, "web/lti/registered.html", shown)
        response["Cross-Origin-Opener-Policy"] = "unsafe-none"  # otherwise a window could not tell the LMS to close it
    frames.allow(response, frames.ANYBODY)
    return response
