"""The front page: what Gradus is for visitors, the courses for signed-in users."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from autograder.courses import rights
from autograder.courses.models import Membership, User
from autograder.courses.selectors import is_staff_of
from autograder.library.catalogue import exercises_by_unit
from autograder.library.command import as_typed
from autograder.web.access import number_in
from autograder.web.accounts import demo
from autograder.web.player.front_page import front_player
from autograder.web.public import exercises


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Show the landing page to visitors. Redirect signed-in users to their course, or list their courses."""
    if not isinstance(request.user, User):
        shown: dict[str, object] = {"demo": demo.student(), "player": front_player(number_in(request.GET.get("step", "")))}
        if exercises.are_public():
            shown["units"] = exercises_by_unit()
        if not User.objects.exists():
            shown["first_account"] = as_typed("createsuperuser", folder=not settings.PRODUCTION)
        return render(request, "web/public/front_page.html", shown)
    memberships = list(
        Membership.objects.filter(user=request.user, removed_at=None, course__archived_at=None, course__trial_of=None)
        .select_related("course")
        .order_by("course__title")
    )
    if len(memberships) == 1:
        return redirect("overview" if is_staff_of(memberships[0]) else "home", memberships[0].course.slug)
    context = {"courses": memberships, "may_make": rights.may_make_courses(request.user)}
    return render(request, "web/public/my_courses.html", context)
