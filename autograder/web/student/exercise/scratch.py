"""The scratch cell: students run calls of their own against their code. Only the owner can see a scratch run."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership, User
from autograder.submissions.models import ScratchRun
from autograder.submissions.scratch.intake import scratch_ask
from autograder.submissions.scratch.queue import RETENTION
from autograder.web import rate_limits
from autograder.web.access import SignedIn, assignment_in, members_only, number_in
from autograder.web.results.scratch import ScratchCell, scratch_result
from autograder.web.student.exercise.page import show
from autograder.web.student.exercise.refusals import is_live, refusal
from autograder.web.timestamps import zone_of


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def scratch(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Start a run. Without JavaScript, the exercise page with `?run=` shows the result. A GET without it redirects there."""
    wanted = assignment_in(membership, assignment)
    address = reverse("exercise", args=(membership.course.slug, wanted.slug))
    if request.method != "POST":
        return _shown(request, membership, wanted) if "run" in request.GET else redirect(address)
    source, calls = (request.POST.get(name, "").replace("\r\n", "\n") for name in ("source", "calls"))
    try:
        rate_limits.count(request, "scratch", request.user)
        run = scratch_ask(assignment=wanted, membership=membership, source=source.encode(), calls=calls.encode())
    except Refused as refused:
        return refusal(request, membership, wanted, refused, source, ScratchCell(calls, kept=True))
    if not is_live(request):
        return redirect(f"{reverse('scratch', args=(membership.course.slug, wanted.slug))}?run={run.pk}#scratch")
    return render(request, "web/student/exercise/scratch_result.html", {"result": scratch_result(run, timezone.now())})


@login_required
@require_safe
def scratch_run(request: SignedIn, run: int) -> HttpResponse:
    """The part of the page below the scratch cell. It is polled until there is an answer."""
    found = _own_run(request.user, run)
    with timezone.override(zone_of(request, request.user, found.membership.course)):
        return render(request, "web/student/exercise/scratch_result.html", {"result": scratch_result(found, timezone.now())})


def _shown(request: SignedIn, membership: Membership, wanted: Assignment) -> HttpResponse:
    """The exercise page with the code, the calls and the result of a run."""
    number = number_in(request.GET["run"])
    run = None if number is None else _own_run(request.user, number)
    if run is None or run.assignment_id != wanted.pk or run.membership_id != membership.pk:
        raise Http404("no such scratch run of this exercise")
    source, calls = (bytes(text).decode("utf-8", "replace") for text in (run.source, run.calls))
    return show(
        request, membership, wanted, typed=source, cell=ScratchCell(calls, scratch_result(run, timezone.now()), kept=True)
    )


def _own_run(user: User, number: int) -> ScratchRun:
    """Return the user's own run. 404 for others, including staff, and for runs that have expired."""
    mine = ScratchRun.objects.filter(membership__user=user, membership__removed_at=None)
    fresh = mine.filter(asked_at__gt=timezone.now() - RETENTION)
    found = fresh.filter(pk=number).select_related("membership__course").first()
    if found is None:
        raise Http404("no such scratch run, or it is not yours")
    return found
