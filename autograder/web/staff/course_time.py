"""Pages on which dates are set speak in the time zone of the course: a deadline is the same for all who set it."""

import zoneinfo
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpResponseBase
from django.utils import timezone

from autograder.courses.models import Course, Membership
from autograder.courses.rights import Right
from autograder.web import times
from autograder.web.access import SignedIn, View
from autograder.web.staff.access import staff_only


def in_course_time(right: Right) -> Callable[[View], Any]:
    """As `staff_only`, in the time zone of the course."""

    def decorate(view: View) -> Any:
        @wraps(view)
        def spoken(request: SignedIn, staff: Membership, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with timezone.override(zoneinfo.ZoneInfo(staff.course.time_zone)):
                return view(request, staff, *args, **kwargs)

        return staff_only(right)(spoken)

    return decorate


def surroundings(staff: Membership, here: str) -> dict[str, Any]:
    """What every page of the set-up shows."""
    return {"course": staff.course, "here": here, "staff": staff, "zone": place_of(staff.course)}


def place_of(course: Course) -> str:
    return times.place(zoneinfo.ZoneInfo(course.time_zone))
