"""Dynamic registration: an LMS opens a one-time link, and both sides know each other. Anything wrong stores nothing."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import AuditEntry, User
from autograder.courses.rights import OPERATOR
from autograder.lti.models import Deployment, Product, Registration, RegistrationLink
from autograder.lti.registration.dynamic_registration import is_configuration_of
from autograder.lti.registration.registrations import registration_create, registration_link_create
from autograder.lti.services import outbound
from autograder.lti.services.tokens import ALL_SCOPES
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, MOODLE, Flavour, Platform
from tests.lti.platform.registration import openid_configuration
from tests.lti.platform.server import Request, Response, Server

pytestmark = pytest.mark.django_db
SITE = "http://testserver"
CONFIGURATION, REGISTER = "/openid-configuration", "/register"
Query = dict[str, str]


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform(MOODLE) as platform:
        yield platform


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def link(admin: User) -> str:
    """The path of a registration link."""
    return reverse("lti-register", args=(registration_link_create(by=admin).token,))


def opens(link: str, platform: Platform, **changes: str | None) -> HttpResponse:
    """Open a link as the platform does, with changed parameters."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(platform.registration_url(SITE)).query).items()}
    changed: dict[str, str | None] = {**query, **changes}
    return Client().get(link, {name: value for name, value in changed.items() if value is not None})  # type: ignore[return-value]


def text(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split())


def nothing_is_stored() -> None:
    assert not Registration.objects.exists() and not Deployment.objects.exists()
    assert list(AuditEntry.objects.exclude(action="lms-registration-link-made")) == []


def refused(response: HttpResponse, words: str, caplog: pytest.LogCaptureFixture, logged: str) -> None:
    """A clear page that may be shown in a frame, a line in the log, nothing stored, and the link can be used again."""
    assert response.status_code == 403
    assert words in text(response)
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert "registered.js" not in text(response)
    assert [record.levelno for record in caplog.records if logged in record.getMessage()] == [logging.WARNING]
    nothing_is_stored()
    assert not RegistrationLink.objects.exclude(used_at=None).exists()


@pytest.mark.parametrize(
    ("flavour", "product", "audience"),
    [
        (MOODLE, Product.MOODLE, ""),
        (BLACKBOARD, Product.BLACKBOARD, ""),
        (BRIGHTSPACE, Product.BRIGHTSPACE, "https://api.brightspace.com/auth/token"),
    ],
)
def test_both_sides_know_each_other_afterwards(
    link: str, admin: User, flavour: Flavour, product: Product, audience: str
) -> None:
    with Platform(flavour, issuer="") as platform:
        platform.issuer = platform.url
        response = opens(link, platform)
    assert response.status_code == 200, text(response)
    made, (client_id, tool) = Registration.objects.get(), next(iter(platform.tools.items()))
    assert (made.issuer, made.client_id, made.product, made.audience) == (platform.url, client_id, product, audience)
    assert (made.auth_url, made.token_url) == (f"{platform.url}/auth", f"{platform.url}/token")
    assert (made.key_set_url, made.made_by, made.active) == (f"{platform.url}/jwks", admin, True)
    assert [(each.deployment_id, each.state) for each in made.deployments.all()] == [(tool.deployment_ids[0], "approved")]
    assert (tool.login_url, tool.redirect_uris) == (f"{SITE}/lti/login/", [f"{SITE}/lti/launch/"])
    assert (tool.key_set_url, tool.deep_link_url) == (f"{SITE}/lti/jwks/", f"{SITE}/lti/launch/")
    assert set(tool.scopes) == set(ALL_SCOPES)
    assert tool.custom == {
        "context_id_history": "$Context.id.history",
        "gradus_sections": "$com.instructure.User.sectionNames",
    }
    assert RegistrationLink.objects.get().registration == made


def test_the_page_closes_itself_in_the_frame_of_the_lms(link: str, platform: Platform) -> None:
    response = opens(link, platform)
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert "X-Frame-Options" not in response
    assert response["Cross-Origin-Opener-Policy"] == "unsafe-none"  # a window that the LMS opened still knows it
    assert "web/registered.js" in text(response)
    assert "You can close this page" in text(response)


def test_the_platform_gets_its_token_for_both_requests(link: str, platform: Platform) -> None:
    opens(link, platform)
    configuration, register = platform.requests[0], platform.requests[1]
    assert configuration.headers["authorization"] == register.headers["authorization"]
    assert register.headers["content-type"] == "application/json"


def changed(platform: Platform, **changes: Any) -> None:
    """Let the platform answer once with a changed configuration."""
    found = json.loads(openid_configuration(platform, Request("GET", CONFIGURATION, {})).body)
    body = json.dumps({name: value for name, value in {**found, **changes}.items() if value is not ...})
    platform.fail(CONFIGURATION, 200, body)


def test_a_canvas_that_names_a_host_as_audience_gets_the_token_url(link: str, platform: Platform) -> None:
    supported = {
        "product_family_code": "canvas",
        "messages_supported": [{"type": "LtiDeepLinkingRequest", "placements": ["assignment_selection", "editor_button"]}],
        "https://canvas.instructure.com/lti/account_name": "Test University",
    }
    name = "https://purl.imsglobal.org/spec/lti-platform-configuration"
    changed(platform, authorization_server="canvas.instructure.com", **{name: supported})
    platform.fail(REGISTER, 200, '{"client_id": 10000000000001}')
    assert opens(link, platform).status_code == 200
    made = Registration.objects.get()
    assert (made.audience, made.product, made.name) == ("", "canvas", "Canvas of Test University")
    assert (made.client_id, made.deployments.count()) == ("10000000000001", 0)
    sent = platform.requests_to(REGISTER)[0].json["https://purl.imsglobal.org/spec/lti-tool-configuration"]
    kinds = {message["type"]: message.get("placements") for message in sent["messages"]}
    assert kinds == {"LtiResourceLinkRequest": None, "LtiDeepLinkingRequest": ["assignment_selection"]}


def test_a_moodle_that_lists_types_alone_is_understood(link: str, platform: Platform) -> None:
    name = "https://purl.imsglobal.org/spec/lti-platform-configuration"
    listed = ["LtiResourceLinkRequest", "LtiDeepLinkingRequest"]
    changed(platform, **{name: {"product_family_code": "moodle", "messages_supported": listed}})
    assert opens(link, platform).status_code == 200


@pytest.mark.parametrize(
    ("issuer", "url", "belongs"),
    [
        ("https://lms.example.edu", "https://lms.example.edu/a", True),
        ("https://lms.example.edu/moodle", "https://lms.example.edu:8443/a", True),
        ("https://blackboard.com", "https://developer.blackboard.com/a", True),
        ("https://developer.blackboard.com", "https://blackboard.com/a", False),
        ("https://blackboard.com", "https://notblackboard.com/a", False),
        ("https://blackboard.com", "https://blackboard.com.example.org/a", False),
        ("https://edu", "https://lms.edu/a", False),
        ("", "https://lms.example.edu/a", False),
    ],
)
def test_an_issuer_is_at_or_above_the_host_of_its_configuration(issuer: str, url: str, belongs: bool) -> None:
    assert is_configuration_of(issuer, url) is belongs


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"issuer": "https://other.example.edu"}, "names an issuer on another host"),
        ({"issuer": "https://1"}, "names an issuer on another host"),
        ({"issuer": "https://[::1"}, "names an issuer on another host"),
        ({"issuer": ...}, "missing required field `issuer`"),
        ({"issuer": 7}, "Expected `str`, got `int`"),
        ({"authorization_endpoint": ...}, "missing required field `authorization_endpoint`"),
        ({"token_endpoint": ...}, "missing required field `token_endpoint`"),
        ({"jwks_uri": ...}, "missing required field `jwks_uri`"),
        ({"registration_endpoint": ...}, "missing required field `registration_endpoint`"),
        ({"jwks_uri": "https://10.0.0.1/jwks"}, "private address"),
        ({"token_endpoint": "http://10.0.0.1/token"}, "must begin with https"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "must begin with https"),
        ({"registration_endpoint": "https://169.254.169.254/latest"}, "private address"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused(
    link: str, platform: Platform, caplog: pytest.LogCaptureFixture, changes: dict[str, Any], words: str
) -> None:
    changed(platform, **changes)
    response = opens(link, platform)
    refused(response, words, caplog, "registration refused")
    assert platform.requests_to(REGISTER) == [] and platform.tools == {}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://10.0.0.1/openid-configuration", "private address"),
        ("https://[::ffff:10.0.0.1]/c", "private address"),
        ("http://example.org/openid-configuration", "must begin with https"),
        ("file:///etc/passwd", "must begin with https"),
        ("", "did not say where its configuration is"),
        ("https://127.0.0.1/" + "x" * 2000, "did not say where its configuration is"),
    ],
)
def test_an_address_that_may_not_be_requested_is_refused(
    link: str, platform: Platform, caplog: pytest.LogCaptureFixture, url: str, words: str
) -> None:
    refused(opens(link, platform, openid_configuration=url), words, caplog, "registration refused")
    assert platform.requests == []


@pytest.mark.parametrize(
    ("status", "body", "headers", "words"),
    [
        (302, "", {"Location": "https://10.0.0.1/"}, "answered with a redirect"),
        (200, "<h1>Welcome</h1>", {}, "not JSON"),
        (200, "[1, 2]", {}, "not what Gradus expects"),
        (404, "", {}, "status 404"),
        (200, '"' + "x" * (300 << 10) + '"', {}, "more than 256 KiB"),
        (200, "[" * 100_000, {}, "not JSON"),
    ],
)
def test_a_configuration_that_is_none_is_refused(
    link: str,
    platform: Platform,
    caplog: pytest.LogCaptureFixture,
    status: int,
    body: str,
    headers: dict[str, str],
    words: str,
) -> None:
    platform.fail(CONFIGURATION, status, body, headers=headers)
    refused(opens(link, platform), words, caplog, "registration refused")
    assert platform.requests_to(REGISTER) == []


def test_a_platform_that_hangs_is_given_up(
    link: str, platform: Platform, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "READ_SECONDS", 0.2)
    platform.fail(CONFIGURATION, hangs=True)
    refused(opens(link, platform), "did not answer in time", caplog, "registration refused")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (400, '{"error": "invalid_client_metadata", "error_description": "no domain"}', "invalid_client_metadata no domain"),
        (200, "{}", "missing required field"),
        (200, '{"client_id": null}', "not what Gradus expects"),
        (200, "fine", "not JSON"),
        (500, "", "status 500"),
    ],
)
def test_a_platform_that_does_not_register_is_reported(
    link: str, platform: Platform, caplog: pytest.LogCaptureFixture, status: int, body: str, words: str
) -> None:
    platform.fail(REGISTER, status, body)
    refused(opens(link, platform), words, caplog, "registration refused")


def test_a_wrong_registration_token_is_reported(link: str, platform: Platform, caplog: pytest.LogCaptureFixture) -> None:
    words = "status 401: The registration token is missing, unknown or was used before"
    refused(opens(link, platform, registration_token="wrong"), words, caplog, "registration refused")
    refused(opens(link, platform, registration_token="a\r\nX: 1"), "does not understand", caplog, "unusable token")


def test_a_failed_registration_can_be_repeated_with_the_same_link(link: str, platform: Platform) -> None:
    platform.fail(CONFIGURATION, 500)
    assert opens(link, platform).status_code == 403
    assert opens(link, platform).status_code == 200


def test_a_link_is_used_once(link: str, platform: Platform) -> None:
    opens(link, platform)
    asked = len(platform.requests)
    again = opens(link, platform)
    assert again.status_code == 403 and "has expired or was already used" in text(again)
    assert len(platform.requests) == asked and Registration.objects.count() == 1


def test_an_expired_or_unknown_link_requests_nothing(link: str, platform: Platform) -> None:
    RegistrationLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for path in (link, reverse("lti-register", args=("unknown",))):
        response = opens(path, platform)
        assert response.status_code == 403 and "has expired or was already used" in text(response)
    assert platform.requests == []
    nothing_is_stored()


def test_a_link_of_somebody_who_is_no_longer_an_administrator_is_refused(
    link: str, admin: User, platform: Platform, caplog: pytest.LogCaptureFixture
) -> None:
    admin.is_superuser = False
    admin.save()
    refused(opens(link, platform), "Only administrators of this site", caplog, "registration refused")
    assert platform.requests_to(REGISTER) == []


def test_an_operator_makes_links_too(platform: Platform) -> None:
    made = registration_link_create(by=OPERATOR)
    assert opens(reverse("lti-register", args=(made.token,)), platform).status_code == 200
    assert Registration.objects.get().made_by is None


def test_a_link_that_is_opened_without_an_lms_is_kept(link: str) -> None:
    response = Client().get(link)
    assert response.status_code == 403
    assert "Open this link from the page of your LMS that registers tools" in text(response)  # type: ignore[arg-type]
    assert Client().head(link).status_code == 405
    assert not RegistrationLink.objects.exclude(used_at=None).exists()


def test_an_issuer_with_keys_elsewhere_is_refused_before_the_lms_registers_anything(
    link: str, platform: Platform, settings: Any
) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1", "localhost"})
    values = {name: f"https://localhost/{name}" for name in ("auth_url", "token_url", "key_set_url")}
    registration_create(by=OPERATOR, name="First", issuer=platform.url, client_id="1", **values)
    response = opens(link, platform)
    assert response.status_code == 403 and "First has the same issuer" in text(response)
    assert platform.tools == {} and Registration.objects.count() == 1


def test_the_same_client_id_twice_says_what_to_do(link: str, platform: Platform) -> None:
    values = {name: f"{platform.url}/{name}" for name in ("auth_url", "token_url", "key_set_url")}
    registration_create(by=OPERATOR, name="First", issuer=platform.url, client_id="1", **values)
    platform.fail(REGISTER, 200, '{"client_id": "1"}')
    assert "already registered with this client ID. Delete Gradus from your LMS." in text(opens(link, platform))
    assert Registration.objects.count() == 1


def test_a_slow_or_huge_answer_of_another_server_is_given_up(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "MAX_SECONDS", 0.0)
    server = Server(lambda request: Response(200, " " * (1 << 16)), "127.0.0.1")
    server.start()
    try:
        response = Client().get(f"{link}?{urlencode({'openid_configuration': server.url})}")
    finally:
        server.close()
    assert response.status_code == 403
    assert "took too long to answer" in text(response)  # type: ignore[arg-type]
