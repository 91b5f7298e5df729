"""Staff pages: for whom they are, and which students stand on them."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from autograder.courses import rights
from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.web.access import SignedIn, View, membership_in


def staff_only(right: Right = Right.SEE) -> Callable[[View], Any]:
    """The view gets the membership of the signed-in person in the course of the address; without the right it is 404.

    Staff pages speak in the time zone of the course: a deadline is the same for all who set it, and on every page.
    A Refused that a service raises is told on the page that the form came from.
    """

    def decorate(view: View) -> Any:
        @wraps(view)
        def checked(request: SignedIn, course: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            staff = membership_in(request.user, course)
            if not rights.has(staff, right):
                raise Http404("not for students, or not with this role")
            request.staff = staff
            try:
                with timezone.override(ZoneInfo(staff.course.time_zone)):
                    return view(request, staff, *args, **kwargs)
            except TooOften:
                raise  # has a page and a status of its own, see `error_pages`
            except Refused as refused:
                if request.method != "POST":
                    raise
                messages.error(request, refused.message)
                return redirect(request.path)

        return login_required(checked)

    return decorate


def student_in(staff: Membership, number: int) -> Membership:
    """A student of the course whom this person may see, also one who was removed: the work is kept."""
    found = (
        Membership.objects.filter(pk=number, course_id=staff.course_id).select_related("user", "section", "course").first()
    )
    if found is None or not rights.has(staff, Right.SEE, found):
        raise Http404("no such student, or not of your section")
    return found


def surroundings(staff: Membership, here: str) -> dict[str, Any]:
    """What every page of the set-up shows."""
    return {"course": staff.course, "here": here, "staff": staff}
