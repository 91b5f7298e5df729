"""Live activity for staff: the latest submissions, the queue and the workers. A part of the overview that is polled every
few seconds.
"""

import hashlib
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.rights import Right, has, is_bound_to_a_section, students_of
from autograder.submissions import recent_activity, selectors
from autograder.submissions.models import UNREADABLE, Worker
from autograder.submissions.recent_activity import Latest
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.staff.access import staff_only

WORDS = {
    "waiting": "being graded",
    "internal": "internal error, not counted",
    "replaced": "replaced by a newer one",
    UNREADABLE: "syntax error, not counted",
}
GLYPHS = {"replaced": "idle", UNREADABLE: "error"}


@dataclass(frozen=True)
class RecentSubmission:
    """A submission in the live list."""

    glyph: str
    name: str
    slug: str
    words: str
    where: str
    latest: Latest


@dataclass(frozen=True)
class WorkerCounts:
    up: int
    known: int
    idle: tuple[Worker, ...]  # alive but not grading


@staff_only(Right.SEE)
@require_safe
def live(request: SignedIn, staff: Membership) -> HttpResponse:
    """Return status 204 if the part has not changed: replacing it would lose the reader's place in it."""
    context = live_part(staff)
    if request.GET.get("seen") == context["mark"]:
        return HttpResponse(status=204)
    return render(request, "web/staff/overview/live_activity.html", context)


def live_part(staff: Membership) -> dict[str, object]:
    bound = is_bound_to_a_section(staff)
    inner = render_to_string(
        "web/staff/overview/live_figures.html",
        {
            "items": [
                _recent_submission(latest, staff.course.slug) for latest in recent_activity.latest(students_of(staff))
            ],
            "lanes": () if bound else selectors.depths(),  # the lanes count work of the whole site, not only of a section
            "workers": workers(),
            "may_read_trouble": has(staff, Right.SET_UP),
            "of_the_site": staff.user.is_staff,
        },
    )
    return {"course": staff.course, "inner": inner, "mark": hashlib.blake2b(inner.encode(), digest_size=8).hexdigest()}


def workers() -> WorkerCounts:
    known = list(selectors.workers())
    up = [worker for worker in known if selectors.is_alive(worker)]
    return WorkerCounts(len(up), len(known), tuple(worker for worker in up if worker.trouble))


def _recent_submission(latest: Latest, course: str) -> RecentSubmission:
    submission = latest.submission
    words = WORDS.get(latest.state, "")
    if latest.state == "partial" and latest.share is not None:
        reached = round(latest.share * float(submission.assignment.points_for_checks), 2)
        words = f"{numbers.points(reached)} of {numbers.points(submission.assignment.points_for_checks)}"
    if latest.is_run:
        words = "a run" + (f", {words}" if words and latest.state != "partial" else "")
    return RecentSubmission(
        GLYPHS.get(latest.state, latest.state),
        submission.membership.user.display_name,
        submission.assignment.slug,
        words,
        reverse("submission", args=(course, submission.pk)),
        latest,
    )
