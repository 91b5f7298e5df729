"""The readiness check: what is wrong with a registration, and what to do about it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils.http import http_date

from autograder.lti.models import Registration
from autograder.lti.registration import readiness as module
from autograder.lti.registration.readiness import Finding, readiness
from autograder.lti.registration.tool_configuration import tool_addresses
from autograder.lti.services.tokens import LINE_ITEMS, SCORES
from tests.lti.platform import CANVAS, MOODLE, Platform
from tests.lti.registered import TOOL, key_set_served, register

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform(MOODLE) as platform:
        yield platform


@pytest.fixture
def registration(platform: Platform) -> Iterator[Registration]:
    with key_set_served() as url:
        yield register(platform, url)


def found(registration: Registration) -> dict[str, Finding]:
    return {finding.title: finding for finding in readiness(registration, tool_addresses(TOOL))}


def failed(registration: Registration) -> dict[str, Finding]:
    return {title: finding for title, finding in found(registration).items() if not finding.passed}


def test_a_good_registration_passes_every_check(registration: Registration) -> None:
    findings = found(registration)
    titles = ["Registration", "Deployments", "Key set", "Access token", "Columns", "Scores", "Results", "Members", "Clock"]
    assert list(findings) == titles
    assert [finding.cure for finding in findings.values() if finding.passed] == [""] * len(titles)
    registration.refresh_from_db()
    assert len(registration.key_set) == 1


def test_a_key_set_that_is_gone_fails_alone(platform: Platform, registration: Registration) -> None:
    platform.fail(".*/jwks", 404)
    (finding,) = failed(registration).values()
    assert (finding.title, finding.words) == ("Key set", "The key set of the LMS answered with status 404.")
    assert registration.key_set_url in finding.cure


def test_a_token_that_is_refused_says_what_to_compare(platform: Platform) -> None:
    with key_set_served() as url:
        (finding,) = failed(register(platform, url, client_id="wrong")).values()
    assert "does not know the client ID" in finding.words
    assert "its client ID is wrong" in finding.cure and f"{TOOL}/lti/jwks/" in finding.cure


def test_scopes_that_are_not_granted_are_named_one_by_one(platform: Platform) -> None:
    with key_set_served() as url:
        findings = failed(register(platform, url, scopes=(SCORES, LINE_ITEMS), product="moodle"))
    assert list(findings) == ["Results", "Members"]
    assert findings["Members"].cure == "Allow it under Services in the settings of the tool in Moodle."


@pytest.mark.parametrize(("minutes", "words"), [(10, "10 minutes ahead"), (-10, "10 minutes behind")])
def test_a_clock_that_is_off_is_reported(platform: Platform, registration: Registration, minutes: int, words: str) -> None:
    now = datetime.now(UTC) + timedelta(minutes=minutes, seconds=20 if minutes > 0 else -20)
    answer = '{"access_token": "abc", "expires_in": 60}'
    platform.fail(".*/token", 200, answer, headers={"Date": http_date(now.timestamp())})
    finding = failed(registration)["Clock"]
    assert finding.words == f"The clock of the LMS is {words}." and "NTP" in finding.cure


def test_waiting_and_missing_deployments_are_reported(registration: Registration) -> None:
    registration.deployments.create(deployment_id="other")
    assert failed(registration)["Deployments"].words == "1 approved, 1 waiting for approval."
    registration.deployments.all().delete()
    assert "open Gradus from the LMS once" in failed(registration)["Deployments"].cure


def test_a_registration_that_is_not_active_is_reported(registration: Registration) -> None:
    registration.active = False
    assert list(failed(registration)) == ["Registration"]


def test_a_platform_that_is_gone_is_reported_without_an_error() -> None:
    with Platform(CANVAS) as platform, key_set_served() as url:
        registration = register(platform, url)
    findings = failed(registration)
    assert {finding.words for finding in findings.values()} == {"127.0.0.1 cannot be reached."}
    assert list(findings) == ["Key set", "Access token"]


def test_every_scope_that_a_service_needs_is_requested() -> None:
    assert {service.scope for service in module.SERVICES} <= set(module.REQUESTED)
