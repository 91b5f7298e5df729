"""Invitation links: create, list with their uses, and revoke."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Invitation, Membership, Role
from autograder.courses.people import invitations
from autograder.courses.people.joining import domains_in_words
from autograder.courses.rights import Right
from autograder.web import rate_limits
from autograder.web.access import SignedIn, number_in
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import InSectionForm

SHOWN = 50  # members to list per link; the history has all


class InviteForm(InSectionForm):
    role = forms.ChoiceField(choices=[(Role.STUDENT, "Student"), (Role.ASSISTANT, "Assistant")], label="Role")
    days = forms.IntegerField(min_value=1, max_value=180, initial=14, label="Valid for (days)")
    uses = forms.IntegerField(
        min_value=1, max_value=100_000, required=False, label="Number of uses", help_text="Leave empty for no limit."
    )
    email = forms.EmailField(
        required=False,
        label="For one person, by email",
        help_text="Only an account with this address can use the link, and only once.",
    )
    domains = forms.CharField(
        max_length=500,
        required=False,
        label="Only email addresses at these domains",
        help_text="For example: example.edu cs.example.edu. Subdomains are not included. Leave empty for any domain.",
    )
    is_open = forms.BooleanField(
        required=False,
        label="People without an account can create one",
        help_text="Only for student links with a limited number of uses. The site does not verify the email addresses.",
    )
    field_order = ("role", "section", "days", "uses", "email", "domains", "is_open")


@dataclass(frozen=True)
class ListedInvitation:
    """A link, the reason why it is no longer valid, and its uses."""

    invitation: Invitation
    ended: invitations.InvitationEnd | None
    uses: list[AuditEntry]

    @property
    def shown(self) -> list[AuditEntry]:
        return self.uses[:SHOWN]

    @property
    def domains(self) -> str:
        return domains_in_words(self.invitation)

    @property
    def more(self) -> int:
        return len(self.uses) - len(self.shown)


@never_cache
@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: SignedIn, staff: Membership) -> HttpResponse:
    """Create and list links. A link is shown only in the response that creates it, because only its hash is stored."""
    if request.POST.get("act") == "revoke":
        return _revoke(request, staff)
    form, link, made = InviteForm(staff.course, request.POST or None), "", None
    if request.method == "POST" and form.is_valid():
        rate_limits.count(request, "invite", request.user)
        try:
            made = invitations.invitation_create(course=staff.course, by=staff, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            link = request.build_absolute_uri(reverse("join", args=(made.token,)))
            form = InviteForm(staff.course)
    links = Invitation.objects.filter(course=staff.course).select_related("section", "created_by", "course").order_by("-id")
    uses = invitations.uses_by_invitation(staff.course)
    context = page_context(staff, "people") | {
        "form": form,
        "link": link,
        "made": made.invitation if made else None,
        "domains": domains_in_words(made.invitation) if made else "",
        "invitations": [
            ListedInvitation(invitation, invitations.invitation_end(invitation), uses.get(invitation.pk, []))
            for invitation in links[:100]
        ],
    }
    return render(request, "web/staff/people/invitations.html", context)


def _revoke(request: SignedIn, staff: Membership) -> HttpResponse:
    number = number_in(request.POST.get("invitation", ""))
    found = Invitation.objects.filter(pk=number, course=staff.course).first() if number is not None else None
    if found is None:
        raise Http404("no such invitation")
    invitations.invitation_revoke(invitation=found, by=staff)
    messages.success(request, "The link was revoked. People who joined with it stay in the course.")
    return redirect("invite", staff.course.slug)
