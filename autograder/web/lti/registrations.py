"""Pages for site administrators: the LMSs that are registered, a new one, and the readiness of each. For all others, they do not
exist."""

from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.lti.models import Deployment, Product, Registration
from autograder.lti.registration import registrations
from autograder.lti.registration.known_platforms import NEEDS_ADDRESS, known_values
from autograder.lti.registration.readiness import readiness
from autograder.lti.registration.tool_configuration import ToolAddresses, tool_addresses
from autograder.lti.services.tokens import ALL_SCOPES
from autograder.web.access import SignedIn, View, number_in
from autograder.web.forms import add_refusal
from autograder.web.lti.copied_values import copied_values


def administrators_only(view: View) -> Any:
    @wraps(view)
    def checked(request: SignedIn, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise Http404("only for site administrators")
        return view(request, *args, **kwargs)

    return never_cache(login_required(require_http_methods(["GET", "HEAD", "POST"])(checked)))


class RegistrationForm(forms.Form):
    name = forms.CharField(
        max_length=200, label="Name", help_text="How people here call this LMS, such as Canvas of the School"
    )
    product = forms.ChoiceField(choices=Product, label="LMS")
    issuer = forms.CharField(
        max_length=255,
        label="Issuer",
        help_text="Also called platform ID, exactly as the LMS shows it, without a slash added",
    )
    client_id = forms.CharField(max_length=255, label="Client ID", help_text="In Blackboard, the application ID")
    auth_url = forms.CharField(max_length=500, label="Authentication request URL")
    token_url = forms.CharField(max_length=500, label="Access token URL")
    key_set_url = forms.CharField(max_length=500, label="Key set URL", help_text="Of the public keys of the LMS")
    audience = forms.CharField(
        max_length=500,
        required=False,
        label="Token audience",
        help_text="Only if the LMS shows one that differs from the access token URL, as Brightspace does",
    )


class NewRegistrationForm(RegistrationForm):
    deployment_id = forms.CharField(
        max_length=255,
        required=False,
        label="Deployment ID",
        help_text="Leave empty if you do not know it. You can approve the deployment when Gradus is first opened from it.",
    )
    field_order = ("name", "product", "issuer", "client_id", "deployment_id")


class KnownValuesForm(forms.Form):
    """Asks for what the known values of a registration depend on."""

    product = forms.ChoiceField(choices=Product, label="LMS")
    site = forms.CharField(
        max_length=200,
        required=False,
        label="Address of the LMS",
        help_text="Of Moodle and Brightspace, such as https://lms.example.edu",
    )
    client_id = forms.CharField(max_length=255, required=False, label="Client ID", help_text="If you already have it")

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("product") in NEEDS_ADDRESS and not found.get("site", "").startswith(("https://", "http://")):
            self.add_error("site", "Enter the address of the LMS, beginning with https://.")
        return found


class DeploymentForm(forms.Form):
    deployment_id = forms.CharField(max_length=255, label="Deployment ID")


# -- the list ----------------------------------------------------------------------------------------------------------------


@administrators_only
def registration_list(request: SignedIn) -> HttpResponse:
    """List all registrations, and the deployments that wait for approval."""
    if request.method == "POST":
        _decide(request, Deployment.objects.all())
        return redirect("lti-registrations")
    waiting = Deployment.objects.filter(state=Deployment.State.WAITING).select_related("registration")
    shown = {
        "registrations": Registration.objects.annotate(people_count=Count("people")).prefetch_related("deployments"),
        "waiting": waiting,
    }
    return render(request, "web/lti/registrations.html", shown)


def _decide(request: SignedIn, deployments: Any) -> None:
    """Approve or refuse one of these deployments."""
    number = number_in(request.POST.get("deployment", ""))
    deployment = deployments.select_related("registration").filter(pk=number).first() if number is not None else None
    act = request.POST.get("act")
    if deployment is None or act not in ("approve", "refuse"):
        raise Http404("no such deployment or action")
    if act == "approve":
        registrations.deployment_approve(deployment=deployment, by=request.user)
        messages.success(request, f"Deployment {deployment} was approved. People can open Gradus from it now.")
    else:
        registrations.deployment_refuse(deployment=deployment, by=request.user)
        messages.success(request, f"Deployment {deployment} was refused. You can approve it later.")


# -- a new one ---------------------------------------------------------------------------------------------------------------


@administrators_only
def new_registration(request: SignedIn) -> HttpResponse:
    """Register an LMS: with a link that it opens, or with values that are copied. A link is shown only once."""
    link = ""
    given = request.GET if "product" in request.GET else None
    known = KnownValuesForm(given, auto_id="known_%s", initial={"product": Product.CANVAS})
    values = known_values(**known.cleaned_data) if known.is_bound and known.is_valid() else {}
    form = NewRegistrationForm(initial=values)
    if request.method == "POST" and request.POST.get("act") == "link":
        token = registrations.registration_link_create(by=request.user).token
        link = request.build_absolute_uri(reverse("lti-register", args=(token,)))
    elif request.method == "POST":
        form = NewRegistrationForm(request.POST)
        if form.is_valid():
            try:
                made = registrations.registration_create(by=request.user, **form.cleaned_data)
            except Refused as refused:
                add_refusal(form, refused)
            else:
                messages.success(request, f"{made} was registered. Check whether it is ready.")
                return redirect("lti-registration", made.pk)
    product = form["product"].value() or Product.OTHER
    shown = {
        "link": link,
        "known": known,
        "form": form,
        "chosen": Product(product) if product in Product.values else Product.OTHER,
        "copied": copied_values(_tool(request), product),
        "scopes": ALL_SCOPES,
        "by_hand": form.is_bound or bool(values),
    }
    return render(request, "web/lti/new_registration.html", shown)


# -- one ---------------------------------------------------------------------------------------------------------------------


@administrators_only
def registration_page(request: SignedIn, number: int) -> HttpResponse:
    """Show and change a registration and its deployments, and check whether it is ready."""
    found = Registration.objects.filter(pk=number).first()
    if found is None:
        raise Http404("no such registration")
    act = request.POST.get("act", "")
    form = RegistrationForm(request.POST if act == "change" else None, initial=_values(found))
    deployment_form = DeploymentForm(request.POST if act == "add" else None)
    findings = readiness(found, _tool(request)) if act == "check" else None
    if act and act != "check" and _acted(request, found, act, form, deployment_form):
        return redirect("lti-registration", found.pk)
    shown = {
        "registration": found,
        "form": form,
        "deployment_form": deployment_form,
        "deployments": found.deployments.annotate(course_count=Count("contexts")),
        "copied": copied_values(_tool(request), found.product),
        "scopes": ALL_SCOPES,
        "findings": findings,
        "failed": sum(not finding.passed for finding in findings or ()),
    }
    return render(request, "web/lti/registration.html", shown)


def _values(found: Registration) -> dict[str, str]:
    return {name: getattr(found, name) for name in registrations.FIELDS}


def _acted(request: SignedIn, found: Registration, act: str, form: forms.Form, deployment_form: forms.Form) -> bool:
    """Do what the pressed button says. Returns whether it was done; a form says why not."""
    user = request.user
    if act == "change":
        return form.is_valid() and _done(request, form, "Saved.", registrations.registration_update, registration=found)
    if act == "add":
        words = "The deployment was added. People can open Gradus from it now."
        add = registrations.deployment_add
        return deployment_form.is_valid() and _done(request, deployment_form, words, add, registration=found)
    if act == "activate":
        registrations.registration_activate(registration=found, by=user)
        messages.success(request, f"{found} is active. People can open Gradus from it.")
    elif act == "deactivate":
        registrations.registration_deactivate(registration=found, by=user)
        messages.success(request, f"{found} is no longer active. All launches from it are refused.")
    else:
        _decide(request, found.deployments.all())
    return True


def _done(request: SignedIn, form: forms.Form, words: str, service: Any, **about: Any) -> bool:
    try:
        service(by=request.user, **about, **form.cleaned_data)
    except Refused as refused:
        add_refusal(form, refused)
        return False
    messages.success(request, words)
    return True


def _tool(request: HttpRequest) -> ToolAddresses:
    return tool_addresses(request.build_absolute_uri("/"))
