"""The exercises for visitors, if the operator allows it: the units, and the statements of one."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.library.catalogue import exercises_by_unit, exercises_of_unit
from autograder.library.models import UnitPage
from autograder.library.statements import without_ids
from autograder.web.accounts import demo


def are_public() -> bool:
    """A demo shows its exercises. Any other site does if GRADUS_PUBLIC_EXERCISES is set."""
    return settings.PUBLIC_EXERCISES or demo.is_demo()


@require_safe
def units(request: HttpRequest) -> HttpResponse:
    _only_if_public()
    return render(request, "web/public/units.html", {"units": exercises_by_unit()})


@require_safe
def unit(request: HttpRequest, unit: str) -> HttpResponse:
    _only_if_public()
    page = UnitPage.objects.filter(slug=unit).first()
    versions = exercises_of_unit(page.title) if page else []
    if page is None or not versions:
        raise Http404("no such unit, or it has no exercises")
    context = {
        "page": page,
        "exercises": [(version, without_ids(version.page.statement)) for version in versions],
        "math": page.math or any(version.page.math for version in versions),
    }
    return render(request, "web/public/unit.html", context)


def _only_if_public() -> None:
    if not are_public():
        raise Http404("this site shows its exercises to members of its courses only")
