"""Creates first passwords. They are only in this one response to the course owner."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from autograder.courses.accounts.first_passwords import first_passwords_create, first_passwords_csv
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.web.access import SignedIn
from autograder.web.staff.access import staff_only


@never_cache
@staff_only(Right.OWN)
@require_POST
def passwords(request: SignedIn, staff: Membership) -> HttpResponse:
    handed = first_passwords_create(course=staff.course, by=staff)
    if not handed:
        messages.info(request, "There are no people left for whom you can create a password.")
        return redirect("people", staff.course.slug)
    response = HttpResponse(first_passwords_csv(handed), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{staff.course.slug}-first-passwords.csv"'
    return response
