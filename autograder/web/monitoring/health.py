"""For whoever starts, stops and balances web processes. Without a login, so they say what is wrong and nothing about the site."""

import json

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from autograder.web.monitoring.dependencies import parts


@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """This process answers. It asks nobody: a database that is away is no reason to start a web process again."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Everything it stands on answers: 200, else 503. A line for each part, with cause and cure."""
    found = parts()
    lines = ",\n".join(f"  {json.dumps(part.name)}: {json.dumps(part.words)}" for part in found)
    status = 200 if all(part.fine for part in found) else 503
    return HttpResponse(f"{{\n{lines}\n}}\n", content_type="application/json", status=status)
