"""Access control for staff pages, and the template context that they share."""

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
    """Decorate a staff view: it gets the user's membership in the course of the URL, and returns 404 without the right.

    Staff pages use the time zone of the course, so that a deadline reads the same for everyone. If a service raises
    Refused on a POST, its message is shown on the page the form came from.
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
                raise  # has its own page and status, see `error_pages`
            except Refused as refused:
                if request.method != "POST":
                    raise
                messages.error(request, refused.message)
                return redirect(request.path)

        return login_required(checked)

    return decorate


def student_in(staff: Membership, number: int) -> Membership:
    """Return a student of the course whom this member may see, including removed ones, whose work is kept."""
    found = (
        Membership.objects.filter(pk=number, course_id=staff.course_id).select_related("user", "section", "course").first()
    )
    if found is None or not rights.has(staff, Right.SEE, found):
        raise Http404("no such student, or not of your section")
    return found


def page_context(staff: Membership, here: str) -> dict[str, Any]:
    """Template context of every setup page."""
    return {"course": staff.course, "here": here, "staff": staff}
