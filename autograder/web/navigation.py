"""Chooses the navigation for pages that belong to no course, such as help, errors and the password page."""

import re
from dataclasses import dataclass

from django.http import HttpRequest

from autograder.courses.models import Membership
from autograder.courses.selectors import is_staff_of

COURSE_PAGES = re.compile(r"^/(?P<area>[ct])/(?P<course>[-\w]+)/")


@dataclass(frozen=True)
class Navigation:
    """The links of a course for students or for staff. Without a membership, the links of the site."""

    membership: Membership | None = None
    staff: bool = False
    here: str = ""


def navigation_of(request: HttpRequest) -> Navigation:
    """Use the course named in the URL, else the user's only course. A course the user is not in counts as no course."""
    here = "help" if request.path.startswith("/help/") else ""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return Navigation(here=here)
    memberships = Membership.objects.filter(user=user, removed_at=None).select_related("course")
    address = COURSE_PAGES.match(request.path)
    named = address["course"] if address else request.GET.get("course", "")
    found = list((memberships.filter(course__slug=named) if named else memberships.filter(course__trial_of=None))[:2])
    if len(found) != 1:
        return Navigation(here=here)
    (membership,) = found
    return Navigation(membership, bool(address and address["area"] == "t" and is_staff_of(membership)), here)
