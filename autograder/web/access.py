"""Who may see what. A page that somebody may not see does not exist for them: 404, never a hint that it is there."""

from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils import timezone

from autograder.courses import rights
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.rights import Right
from autograder.courses.selectors import is_staff_of, terms_of
from autograder.submissions.models import Submission
from autograder.web.timestamps import zone_of

LONGEST_NUMBER = 19  # digits: one more, and no database holds it


class SignedIn(HttpRequest):
    """A request of somebody whom `login_required` let through."""

    user: User
    staff: Membership  # on the staff's pages


class View(Protocol):
    def __call__(self, request: SignedIn, *args: Any, **kwargs: Any) -> HttpResponseBase: ...


@dataclass(frozen=True)
class Mine:
    """A submission, and by whose right it is looked at."""

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
    """An assignment with an exercise: what is graded outside Gradus has no pages of its own."""
    found = any_assignment_in(membership, slug)
    if found.graded_outside:
        raise Http404("graded outside, without an exercise")
    return found


def any_assignment_in(membership: Membership, slug: str) -> Assignment:
    """Also one that is graded outside Gradus."""
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
    """An assignment whose task may be read: for students not before it opens."""
    found = assignment_in(membership, slug)
    opens_at = terms_of(found, membership).opens_at
    if opens_at is not None and timezone.now() < opens_at and not is_staff_of(membership):
        raise Http404("not open yet")
    return found


def number_in(text: str) -> int | None:
    """What an address or a form names a row by; None for what is no number. (`²` is a digit to Python, and no `int`.)"""
    return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER else None


def submission_for(user: User, number: int) -> Mine:
    """One's own, or as staff of its course one of one's students: of all sections, or of one's own if one has one."""
    submission = (
        Submission.objects.filter(pk=number)
        .select_related("assignment__course", "assignment__version__page", "membership__user")
        .defer("assignment__version__archive")
        .first()
    )
    if submission is None:
        raise Http404("no such submission")
    viewer = Membership.objects.filter(
        user=user, course_id=submission.assignment.course_id, removed_at=None
    ).select_related("course", "user", "section").first()  # fmt: skip
    if viewer is None or not may_see(viewer, submission.membership):
        raise Http404("no such submission, or it is not yours")
    return Mine(submission, viewer)


def may_see(viewer: Membership, whose: Membership) -> bool:
    """An assistant with a section sees the students of that section; the other staff see everybody."""
    return viewer.pk == whose.pk or rights.has(viewer, Right.SEE, whose)


def members_only(view: View) -> Any:
    """The view gets the membership of the signed-in person in the course of the address, in place of its slug.

    It speaks in the time zone of the person, or in the course's to somebody who never chose one.
    """

    @wraps(view)
    def checked(request: SignedIn, course: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        membership = membership_in(request.user, course)
        with timezone.override(zone_of(membership.user, membership.course)):
            return view(request, membership, *args, **kwargs)

    return login_required(checked)
