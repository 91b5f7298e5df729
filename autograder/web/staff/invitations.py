"""Links with which people add themselves: made, listed, taken back; and the page that such a link opens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses import invitations
from autograder.courses.errors import Refused
from autograder.courses.models import Invitation, Membership, User
from autograder.courses.rights import Right
from autograder.web import pace
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.access import staff_only, surroundings
from autograder.web.staff.forms import InviteForm
from autograder.web.staff.setup_forms import tell


@never_cache
@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: SignedIn, staff: Membership) -> HttpResponse:
    """The link is shown in the answer to making it, and never again: only its hash is kept."""
    if request.POST.get("act") == "revoke":
        return _revoke(request, staff)
    form, link = InviteForm(staff.course, request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        pace.keep(request, "invite", request.user)
        try:
            made = invitations.invitation_create(course=staff.course, by=staff, **form.cleaned_data)
        except Refused as refused:
            tell(form, refused)
        else:
            link = request.build_absolute_uri(reverse("join", args=(made.token,)))
            form = InviteForm(staff.course)
    there = Invitation.objects.filter(course=staff.course).select_related("section", "created_by", "course").order_by("-id")
    context = surroundings(staff, "people") | {
        "form": form,
        "link": link,
        "invitations": [(one, invitations.is_good(one)) for one in there[:100]],
    }
    return render(request, "web/staff/invite.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Whoever is not signed in does that first, with an account that an instructor made: nobody registers here."""
    try:
        invitation = invitations.invitation_of(token)
        if request.method == "POST":
            return _accept(request, token=token)
    except Refused as refused:
        pace.keep(request, "join", None)
        context = {"heading": "Not good any more", "words": refused.message}
        return render(request, "web/trouble.html", context, status=404)
    return render(request, "web/staff/join.html", {"invitation": invitation, "course": invitation.course})


@login_required
def _accept(request: HttpRequest, *, token: str) -> HttpResponse:
    assert isinstance(request.user, User)
    membership = invitations.invitation_accept(token=token, user=request.user)
    messages.success(request, f"You are in {membership.course.title}.")
    return redirect("home", membership.course.slug)


def _revoke(request: SignedIn, staff: Membership) -> HttpResponse:
    number = number_in(request.POST.get("invitation", ""))
    found = Invitation.objects.filter(pk=number, course=staff.course).first() if number is not None else None
    if found is None:
        raise Http404("no such invitation")
    invitations.invitation_revoke(invitation=found, by=staff)
    messages.success(request, "The link is not good any more. Who used it stays in the course.")
    return redirect("invite", staff.course.slug)
