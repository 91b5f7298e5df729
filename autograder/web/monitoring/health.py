"""Liveness and readiness probes for process supervisors and load balancers. They need no login, so they
name failing dependencies and reveal nothing else about the site.
"""

import json

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from autograder.web.monitoring.dependencies import dependencies_now


@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Liveness probe. It checks no dependency: a database outage is no reason to restart a web process."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Readiness probe: 200 if all dependencies answer, else 503. JSON with one line per dependency, with cause and remedy."""
    found = dependencies_now()
    lines = ",\n".join(f"  {json.dumps(part.name)}: {json.dumps(part.words)}" for part in found)
    status = 200 if all(part.fine for part in found) else 503
    return HttpResponse(f"{{\n{lines}\n}}\n", content_type="application/json", status=status)
