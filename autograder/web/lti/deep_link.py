"""Answers deep linking: an instructor chooses exercises, sees what will be added to the LMS, and the browser takes it there."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth.decorators import login_required
from django.forms.boundfield import BoundWidget
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Course, Membership
from autograder.courses.rights import Right
from autograder.courses.setup.units import by_unit
from autograder.lti.errors import AGAIN, LaunchRefused
from autograder.lti.launch import contexts, deep_linking, oidc
from autograder.lti.launch.deep_linking import NO_LINKS, Choice, Offer
from autograder.lti.messages import DeepLinkingClaim, Message
from autograder.lti.models import Context, Launch
from autograder.web.access import SignedIn
from autograder.web.lti.arrival import launch_for
from autograder.web.lti.refusals import refusals_as_pages
from autograder.web.middleware import frames
from autograder.web.staff.forms import CourseDateTimeField


class ChooseForm(forms.Form):
    """Chooses among the offers: several of them, or one if the LMS accepts only one."""

    def __init__(self, offers: Sequence[Offer], *, multiple: bool, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.offers = offers
        choices = [(offer.slug, offer.title) for offer in offers]
        missing = {"required": "Select at least one exercise." if multiple else "Select an exercise."}
        self.fields["exercises"] = (
            forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, error_messages=missing)
            if multiple
            else forms.ChoiceField(choices=choices, widget=forms.RadioSelect, error_messages=missing)
        )

    @property
    def chosen(self) -> list[Offer]:
        found = self.cleaned_data["exercises"]
        slugs = {found} if isinstance(found, str) else set(found)
        return [offer for offer in self.offers if offer.slug in slugs]


class TermsForm(forms.Form):
    """Points and due date of an exercise that is assigned together with its link."""

    points = forms.DecimalField(min_value=Decimal("0.01"), max_digits=7, decimal_places=2, label="Points")
    due_at = CourseDateTimeField(label="Due")


@dataclass(frozen=True)
class OfferedUnit:
    title: str
    rows: tuple[tuple[Offer, BoundWidget], ...]


@dataclass(frozen=True)
class PreviewRow:
    """A link of the preview. `terms` are asked for if the exercise is not assigned yet."""

    offer: Offer
    terms: TermsForm | None

    @property
    def choice(self) -> Choice:
        given = self.terms.cleaned_data if self.terms else {}
        return Choice(self.offer, given.get("points"), given.get("due_at"))


@dataclass(frozen=True)
class DeepLink:
    """A request for links that is being answered."""

    kept: Launch
    message: Message
    asked: DeepLinkingClaim
    context: Context
    course: Course
    staff: Membership

    @property
    def shown(self) -> dict[str, Any]:
        lms = self.kept.deployment.registration.name
        return {"lms": lms, "context": self.context, "course": self.course, "asked": self.asked}


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_as_pages
def deep_link(request: SignedIn, code: str) -> HttpResponse:
    link = _opened(request, code)
    act = request.POST.get("act", "") if request.method == "POST" else ""
    if not deep_linking.accepts_links(link.asked):
        return _refuse(request, link, act)
    if act == "cancel":
        oidc.launch_use(link.kept)
        return _answer(request, link, deep_linking.answer_with(link.message, link.kept, (), ""))
    with timezone.override(ZoneInfo(link.course.time_zone)):
        return _choose(request, link, act)


def _opened(request: SignedIn, code: str) -> DeepLink:
    kept = launch_for(request, code)
    message = oidc.message_in(kept)
    asked = deep_linking.request_of(message)
    context = contexts.context_note(kept.deployment, message)
    course = context.course
    staff = Membership.objects.filter(course=course, user=request.user).select_related("course", "user").first()
    if course is None or staff is None:
        raise LaunchRefused(f"This course of your LMS is no longer connected. {AGAIN}", "deep linking without a course")
    if not rights.has(staff, Right.SET_UP):
        raise LaunchRefused("Only instructors add exercises to a course.", "deep linking without the right")
    return DeepLink(kept, message, asked, context, course, staff)


def _refuse(request: SignedIn, link: DeepLink, act: str) -> HttpResponse:
    """The LMS wants something else than links. Its page is told why there are none."""
    if act != "return":
        return render(request, "web/lti/deep_link_refused.html", link.shown | {"words": NO_LINKS})
    oidc.launch_use(link.kept)
    types = ", ".join(link.asked.accept_types)[:200]
    reason = f"accept_types has no {deep_linking.LINK}: {types}"
    return _answer(request, link, deep_linking.answer_refusing(link.message, link.kept, NO_LINKS, reason))


def _choose(request: SignedIn, link: DeepLink, act: str) -> HttpResponse:
    assigned, catalogue = deep_linking.offers_in(link.course)
    data = request.POST if act else None
    form = ChooseForm([*assigned, *catalogue], multiple=link.asked.accept_multiple, data=data)
    words = ""
    if act in ("preview", "add") and form.is_valid():
        rows = [PreviewRow(offer, _terms(offer, request.POST if act == "add" else None)) for offer in form.chosen]
        if act == "add" and all(row.terms is None or row.terms.is_valid() for row in rows):
            try:
                linked = deep_linking.exercises_link(
                    launch=link.kept, context=link.context, chosen=[row.choice for row in rows], by=link.staff
                )
            except LaunchRefused:
                raise
            except Refused as refused:
                words = refused.message
            else:
                return _answer_with(request, link, linked)
        return render(request, "web/lti/deep_link_preview.html", link.shown | {"rows": rows, "words": words})
    units = [*_units(form, assigned, "Assigned in this course"), *_units(form, catalogue)]
    shown = {"form": form, "assigned": len(assigned), "units": units, "checked": act in ("preview", "add")}
    return render(request, "web/lti/deep_link.html", link.shown | shown)


def _terms(offer: Offer, data: QueryDict | None) -> TermsForm | None:
    if offer.assignment is not None:
        return None
    return TermsForm(data, prefix=offer.slug, initial={"points": f"{offer.points.normalize():f}"})


def _units(form: ChooseForm, offers: Sequence[Offer], title: str = "") -> list[OfferedUnit]:
    """Group offers by unit, or under one title, each with its tick or radio button."""
    ticks = {str(tick.data["value"]): tick for tick in form["exercises"]}
    groups = {title: offers} if title else by_unit(offers, lambda offer: offer.unit)
    return [
        OfferedUnit(name or "Exercises", tuple((offer, ticks[offer.slug]) for offer in found))
        for name, found in groups.items()
        if found
    ]


def _answer_with(request: SignedIn, link: DeepLink, assignments: Sequence[Assignment]) -> HttpResponse:
    launch_url = request.build_absolute_uri(reverse("lti-launch"))
    return _answer(request, link, deep_linking.answer_with(link.message, link.kept, assignments, launch_url))


def _answer(request: SignedIn, link: DeepLink, token: str) -> HttpResponse:
    """Return a page whose form takes the answer to the LMS, at once where scripts run."""
    url = link.asked.deep_link_return_url
    response = render(request, "web/lti/deep_link_answer.html", link.shown | {"url": url, "token": token})
    response.form_targets = (frames.origin_of(url),)  # type: ignore[attr-defined]
    return response
