"""Access control for views. Objects outside a user's permissions return 404, so their existence is not revealed."""

from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils import timezone

from autograder.courses import rights
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.people.extensions import terms_of
from autograder.courses.rights import Right
from autograder.courses.selectors import is_staff_of
from autograder.submissions.models import Submission
from autograder.web.timestamps import zone_of

LONGEST_NUMBER = 19  # digits; a number this long may not fit a bigint column


class SignedIn(HttpRequest):
    """A request that passed `login_required`."""

    user: User
    staff: Membership  # set on staff pages only


class View(Protocol):
    def __call__(self, request: SignedIn, *args: Any, **kwargs: Any) -> HttpResponseBase: ...


@dataclass(frozen=True)
class ViewedSubmission:
    """A submission, with the membership through which the user views it."""

    submission: Submission
    viewer: Membership

    @property
    def staff(self) -> bool:
        return is_staff_of(self.viewer)


def membership_in(user: User, course_slug: str) -> Membership:
    found = (
        Membership.objects.filter(user=user, course__slug=course_slug, removed_at=None)
        .select_related("course", "user", "section")
        .first()
    )
    if found is None:
        raise Http404("no such course, or it is not yours")
    return found


def assignment_in(membership: Membership, slug: str) -> Assignment:
    """Return an assignment that has an exercise. Work graded outside Gradus has no pages and returns 404."""
    found = any_assignment_in(membership, slug)
    if found.graded_outside:
        raise Http404("graded outside, without an exercise")
    return found


def any_assignment_in(membership: Membership, slug: str) -> Assignment:
    """Like `assignment_in`, but includes work graded outside Gradus."""
    found = (
        Assignment.objects.filter(course_id=membership.course_id, slug=slug, removed_at=None)
        .select_related("course", "version__exercise", "version__page")
        .defer("version__archive")
        .first()
    )
    if found is None:
        raise Http404("no such assignment")
    return found


def opened_in(membership: Membership, slug: str) -> Assignment:
    """Return an assignment whose statement the member may read. For students, it does not exist before it opens."""
    found = assignment_in(membership, slug)
    opens_at = terms_of(found, membership).opens_at
    if opens_at is not None and timezone.now() < opens_at and not is_staff_of(membership):
        raise Http404("not open yet")
    return found


def number_in(text: str) -> int | None:
    """Parse a primary key from a URL or a form, or return None. `isdigit` alone is not enough: it accepts `²`, and `int`
    fails.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER else None


def submissions_for_pages() -> QuerySet[Submission]:
    """Submissions with everything that a result page needs."""
    whole = Submission.objects.select_related("assignment__course", "assignment__version__page", "membership__user")
    return whole.defer("assignment__version__archive")


def submission_for(user: User, number: int) -> ViewedSubmission:
    """Return the user's own submission or, for course staff, one of a student whom they may see."""
    submission = submissions_for_pages().filter(pk=number).first()
    if submission is None:
        raise Http404("no such submission")
    viewer = (
        Membership.objects.filter(user=user, course_id=submission.assignment.course_id, removed_at=None)
        .select_related("course", "user", "section")
        .first()
    )
    if viewer is None or not may_see(viewer, submission.membership):
        raise Http404("no such submission, or it is not yours")
    return ViewedSubmission(submission, viewer)


def may_see(viewer: Membership, whose: Membership) -> bool:
    """Assistants bound to a section see only its students. All other staff see every student."""
    return viewer.pk == whose.pk or rights.has(viewer, Right.SEE, whose)


def members_only(view: View) -> Any:
    """Decorate a view so that it gets the user's membership in the course of the URL in place of the course slug.

    It runs in the user's time zone, or in the course's if the user has not chosen one.
    """

    @wraps(view)
    def checked(request: SignedIn, course: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        membership = membership_in(request.user, course)
        with timezone.override(zone_of(request, membership.user, membership.course)):
            return view(request, membership, *args, **kwargs)

    return login_required(checked)
