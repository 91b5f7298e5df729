"""The page of a launch that is refused."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from autograder.lti.errors import LaunchRefused
from autograder.lti.launch.refused_counts import LAUNCH, refused_count
from autograder.web.middleware import frames


def refusals_as_pages(view: Callable[..., HttpResponse]) -> Any:
    """Show a refused launch as a page that may be embedded, and log the reason without naming a person."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except LaunchRefused as refused:
            refused_count(LAUNCH, refused)
            response = render(request, "web/lti/refused.html", {"words": refused.message}, status=403)
            frames.allow(response, frames.ANYBODY)
            return response

    return checked
