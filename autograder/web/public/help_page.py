"""The help page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.submissions.handing_in import run_limit
from autograder.web.public import guides


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "web/public/help.html", {"runs_a_minute": run_limit.RUNS, "guides": guides.listed()})
