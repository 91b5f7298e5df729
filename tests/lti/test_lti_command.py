"""`manage.py lti`: what an operator does in a terminal."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from autograder.lti import keys
from autograder.lti.models import Registration, SigningKey
from tests.commands import Shell
from tests.lti.platform import MOODLE, Platform
from tests.lti.registered import TOOL, key_set_served, register

pytestmark = pytest.mark.django_db


@pytest.fixture
def registration(settings: Any) -> Iterator[Registration]:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    with Platform(MOODLE) as platform, key_set_served() as url:
        yield register(platform, url, product="moodle")


def test_registrations_are_listed_with_their_deployments(shell: Shell, registration: Registration) -> None:
    registration.deployments.create(deployment_id="new\x1b[2J")
    listed = shell("lti", "registrations").out
    assert f"{registration.pk}: The school, Moodle, active\n" in listed
    assert f"   {registration.issuer}, client ID {registration.client_id}\n" in listed
    assert f"   deployment {registration.deployments.earliest('pk').deployment_id}: approved\n" in listed
    assert ": waiting for approval" in listed and "\x1b" not in listed


def test_without_a_registration_the_list_says_so(shell: Shell) -> None:
    assert shell("lti", "registrations").out == "No LMS is registered.\n"


def test_a_link_registers_an_lms(shell: Shell, settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    link = shell("lti", "link", "--site", f"{TOOL}/").out.strip()
    assert link.startswith(f"{TOOL}/lti/register/")
    with Platform(MOODLE) as platform:
        assert Client().get(platform.registration_url(link).removeprefix(TOOL)).status_code == 200
    assert Registration.objects.get().made_by is None


@pytest.mark.parametrize(
    ("production", "hosts", "begins"),
    [
        (True, [".example.org", "gradus.example.org"], "https://gradus.example.org/lti/"),
        (False, [], "http://localhost:8000/"),
    ],
)
def test_the_address_of_the_site_is_known(
    shell: Shell, settings: Any, production: bool, hosts: list[str], begins: str
) -> None:
    settings.PRODUCTION, settings.ALLOWED_HOSTS = production, hosts
    assert shell("lti", "link").out.startswith(begins)


def test_an_address_that_cannot_be_known_is_asked_for(shell: Shell, settings: Any) -> None:
    settings.PRODUCTION, settings.ALLOWED_HOSTS = True, [".example.org"]
    assert "--site" in shell("lti", "link").error
    assert "must begin with https://" in shell("lti", "link", "--site", "example.org").error


def test_a_check_passes_line_by_line(shell: Shell, registration: Registration) -> None:
    for words in (registration.name, registration.pk):
        ended = shell("lti", "check", words)
        assert (ended.status, ended.error) == (0, "")
        lines = ended.out.splitlines()
        assert len(lines) == 9 and all(line.startswith("passed  ") for line in lines)


def test_a_failed_check_says_what_to_do(shell: Shell, registration: Registration) -> None:
    Registration.objects.update(client_id="wrong")
    ended = shell("lti", "check", registration.name, "--site", TOOL)
    assert ended.status == 1
    assert "failed  Access token: The LMS refused an access token" in ended.out
    assert f"its key set URL is {TOOL}/lti/jwks/" in ended.out


def test_an_unknown_or_ambiguous_name_is_refused(shell: Shell, registration: Registration) -> None:
    assert "No registration has the name or ID nowhere" in shell("lti", "check", "nowhere").error
    assert "No registration has the name or ID 0" in shell("lti", "check", "0").error
    other = Registration.objects.create(name=registration.name, issuer="https://other.example.edu", client_id="1")
    assert f"Use one of the IDs {registration.pk}, {other.pk}." in shell("lti", "check", registration.name).error


def test_keys_are_rotated_and_the_old_one_stays_published(shell: Shell) -> None:
    (old,) = keys.key_set()["keys"]
    out = shell("lti", "rotate-keys").out
    new, kept = keys.key_set()["keys"]
    assert kept == old and f"new key {new['kid']}" in out and "7 days" in out
    assert SigningKey.objects.get(retired_at=None).kid == new["kid"]
