"""The pages with which a site administrator registers an LMS. For everybody else they do not exist."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from autograder.courses.models import AuditEntry, User
from autograder.lti.models import Deployment, Registration, RegistrationLink
from tests.lti.platform import CANVAS, MOODLE, Platform
from tests.lti.registered import key_set_served, register
from tests.web.conftest import browser_of

pytestmark = pytest.mark.django_db
LIST, NEW = "/lti/registrations/", "/lti/registrations/new/"


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})


@pytest.fixture
def browser() -> Client:
    return browser_of(User.objects.create_superuser("root"))


@pytest.fixture
def registration() -> Iterator[Registration]:
    with Platform(MOODLE) as platform, key_set_served() as url:
        yield register(platform, url, product="moodle")


def page_of(registration: Registration) -> str:
    return reverse("lti-registration", args=(registration.pk,))


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def posted(browser: Client, path: str, **fields: object) -> HttpResponse:
    return browser.post(path, fields, follow=True)  # type: ignore[return-value]


def test_for_others_the_pages_do_not_exist(registration: Registration) -> None:
    waiting = registration.deployments.create(deployment_id="new")
    staff = browser_of(User.objects.create_user("staff", is_staff=True))
    for path in (LIST, NEW, page_of(registration)):
        assert browser_of(None).get(path)["Location"] == f"/sign-in/?next={path}"
        assert staff.get(path).status_code == 404
        for act in ("approve", "refuse", "link", "deactivate", "check", "change"):
            assert staff.post(path, {"act": act, "deployment": waiting.pk}).status_code == 404
    waiting.refresh_from_db()
    assert (waiting.state, AuditEntry.objects.count(), RegistrationLink.objects.count()) == ("waiting", 0, 0)


def test_only_administrators_see_the_way_there(browser: Client) -> None:
    there = 'href="/lti/registrations/"'
    staff = browser_of(User.objects.create_user("staff", is_staff=True))
    for path in ("/account/", "/status/"):
        assert there in text(browser.get(path))
        assert there not in text(staff.get(path))


def test_an_empty_list_says_how_to_begin(browser: Client) -> None:
    shown = text(browser.get(LIST))
    assert "No LMS is registered yet." in shown and f'href="{NEW}"' in shown


def test_a_waiting_deployment_is_approved_or_refused_in_the_list(browser: Client, registration: Registration) -> None:
    first, second = (registration.deployments.create(deployment_id=name) for name in ("first", "second"))
    assert "Waiting for approval" in text(browser.get(LIST))
    shown = text(posted(browser, LIST, act="approve", deployment=first.pk))
    assert "Deployment first of The school was approved." in shown and "Waiting for approval" in shown
    shown = text(posted(browser, LIST, act="refuse", deployment=second.pk))
    assert "Deployment second of The school was refused." in shown and "Waiting for approval" not in shown
    states = dict(Deployment.objects.values_list("deployment_id", "state"))
    assert (states["first"], states["second"]) == ("approved", "refused")


@pytest.mark.parametrize(
    "fields", [{}, {"act": "approve"}, {"act": "approve", "deployment": "²"}, {"act": "x", "deployment": 1}]
)
def test_a_decision_about_nothing_is_not_found(browser: Client, registration: Registration, fields: dict[str, Any]) -> None:
    assert browser.post(LIST, fields).status_code == 404
    assert browser.post(page_of(registration), {"act": "x", **fields}).status_code == 404


def test_a_link_is_shown_once_and_works(browser: Client) -> None:
    shown = browser.post(NEW, {"act": "link"})
    link = str(shown.context["link"])
    assert link.startswith("http://testserver/lti/register/") and link in text(shown)
    assert link not in text(browser.get(NEW))
    with Platform(MOODLE) as platform:
        url = platform.registration_url(link)
        assert Client().get(url.removeprefix("http://testserver")).status_code == 200
    assert Registration.objects.get().issuer == platform.url


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            {"product": "canvas"},
            {"issuer": "https://canvas.instructure.com", "auth_url": "https://sso.canvaslms.com/api/lti/authorize_redirect"},
        ),
        (
            {"product": "moodle", "site": "https://lms.example.edu/"},
            {"issuer": "https://lms.example.edu", "key_set_url": "https://lms.example.edu/mod/lti/certs.php"},
        ),
        (
            {"product": "blackboard", "client_id": "abc"},
            {"key_set_url": "https://developer.blackboard.com/api/v1/management/applications/abc/jwks.json"},
        ),
        (
            {"product": "brightspace", "site": "https://lms.example.edu"},
            {
                "audience": "https://api.brightspace.com/auth/token",
                "auth_url": "https://lms.example.edu/d2l/lti/authenticate",
            },
        ),
        ({"product": "other"}, {"issuer": None}),
    ],
)
def test_known_values_are_filled_in(browser: Client, query: dict[str, str], expected: dict[str, str | None]) -> None:
    form = browser.get(NEW, query).context["form"]
    assert {name: form[name].value() for name in expected} == expected
    assert form["product"].value() == query["product"]


@pytest.mark.parametrize("query", [{"product": "moodle"}, {"product": "brightspace", "site": "lms.example.edu"}])
def test_the_address_is_asked_for_where_values_follow_from_it(browser: Client, query: dict[str, str]) -> None:
    shown = text(browser.get(NEW, query))
    assert "Enter the address of the LMS" in shown and "Values from the LMS" not in shown


def test_the_values_to_copy_are_named_as_the_lms_names_them(browser: Client) -> None:
    shown = text(browser.get(NEW, {"product": "canvas"}))
    for value in ("login", "launch", "jwks"):
        assert f'value="http://testserver/lti/{value}/"' in shown
    assert "In Canvas: Public JWK URL" in shown
    assert "context_id_history=$Context.id.history" in shown
    assert "https://purl.imsglobal.org/spec/lti-ags/scope/score" in shown


def test_a_registration_by_hand_leads_to_its_page(browser: Client) -> None:
    with Platform(CANVAS) as platform:
        urls = {"auth_url": f"{platform.url}/auth", "token_url": platform.token_url, "key_set_url": f"{platform.url}/jwks"}
        values = {"name": "Canvas", "product": "canvas", "issuer": platform.issuer, "client_id": "1", **urls}
        shown = posted(browser, NEW, act="register", deployment_id="7", **values)
    assert "Canvas was registered. Check whether it is ready." in text(shown)
    made = Registration.objects.get()
    assert (made.client_id, made.deployments.get().deployment_id) == ("1", "7")
    assert "already registered with this client ID" in text(posted(browser, NEW, act="register", **values))


def test_a_refused_value_is_marked_and_the_others_are_kept(browser: Client) -> None:
    values = {"name": "LMS", "product": "moodle", "issuer": "https://lms.example.edu", "client_id": "1"}
    urls = {"auth_url": "https://10.0.0.1/", "token_url": "https://10.0.0.1/", "key_set_url": "https://10.0.0.1/"}
    shown = browser.post(NEW, {"act": "register", **values, **urls})
    assert "auth_url" in shown.context["form"].errors and "10.0.0.1 is a private address" in text(shown)
    assert 'value="https://lms.example.edu"' in text(shown)
    assert not Registration.objects.exists()


def test_values_are_changed_on_the_page(browser: Client, registration: Registration) -> None:
    form = browser.get(page_of(registration)).context["form"]
    values = {name: form[name].value() for name in form.fields}
    shown = posted(browser, page_of(registration), act="change", **values | {"name": "Renamed"})
    assert "Saved." in text(shown) and Registration.objects.get().name == "Renamed"
    shown = posted(browser, page_of(registration), act="change", **values | {"token_url": "https://10.0.0.1/"})
    assert "private address" in text(shown) and Registration.objects.get().token_url == registration.token_url


def test_a_deployment_is_added_on_the_page(browser: Client, registration: Registration) -> None:
    assert "The deployment was added." in text(posted(browser, page_of(registration), act="add", deployment_id="77"))
    assert registration.deployments.get(deployment_id="77").state == "approved"
    assert "This field is required" in text(posted(browser, page_of(registration), act="add", deployment_id=" "))


def test_a_registration_is_deactivated_and_activated_on_the_page(browser: Client, registration: Registration) -> None:
    shown = text(posted(browser, page_of(registration), act="deactivate"))
    assert "no longer active. All launches from it are refused." in shown and not Registration.objects.get().active
    assert "is active. People can open Gradus from it." in text(posted(browser, page_of(registration), act="activate"))
    assert Registration.objects.get().active


def test_readiness_is_checked_by_a_button(browser: Client, registration: Registration) -> None:
    assert "Readiness</h2>" not in text(browser.get(page_of(registration)))
    shown = browser.post(page_of(registration), {"act": "check"})
    assert shown.status_code == 200 and "all checks passed" in text(shown)
    Registration.objects.update(client_id="wrong")
    shown = browser.post(page_of(registration), {"act": "check"})
    assert "1 of 5 checks failed" in text(shown) and "its client ID is wrong" in text(shown)


def test_an_unknown_registration_is_not_found(browser: Client) -> None:
    assert browser.get("/lti/registrations/99999999999999999999/").status_code == 404
    assert browser.get("/lti/registrations/0/").status_code == 404
