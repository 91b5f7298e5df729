"""Access tokens: requested with a signed assertion, kept until they expire, refused with a reason."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from autograder.lti import keys
from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Registration
from autograder.lti.services import tokens
from autograder.lti.services.tokens import LINE_ITEMS, MEMBERS, RESULTS, SCORES, token_for, token_forget, token_request
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour, Platform
from tests.lti.registered import key_set_served, register
from tests.servers import wait_for

pytestmark = pytest.mark.django_db
TOKEN = ".*/token"


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


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE], ids=lambda flavour: flavour.family)
def test_every_platform_accepts_the_assertion(flavour: Flavour) -> None:
    with Platform(flavour) as platform, key_set_served() as url:
        token = token_request(register(platform, url), [SCORES, RESULTS])
        assert set(platform.grants[token.value].scopes) == token.scopes == {SCORES, RESULTS}


def test_a_token_is_requested_once_for_the_same_scopes(platform: Platform, registration: Registration) -> None:
    first = token_for(registration, [SCORES, RESULTS])
    assert token_for(registration, (RESULTS, SCORES)) == first
    assert token_for(registration, [SCORES]) != first
    assert platform.token_requests == 2


def test_a_token_is_renewed_before_it_expires(platform: Platform, registration: Registration) -> None:
    platform.token_seconds = int(tokens.SPARE_SECONDS)
    assert token_for(registration, [SCORES]) != token_for(registration, [SCORES])


def test_a_token_that_the_platform_revoked_can_be_replaced(platform: Platform, registration: Registration) -> None:
    revoked = token_for(registration, [SCORES])
    token_forget(registration)
    assert token_for(registration, [SCORES]) != revoked


def test_a_changed_registration_gets_a_token_of_its_own(platform: Platform, registration: Registration) -> None:
    before = token_for(registration, [SCORES])
    registration.audience = platform.token_url
    assert token_for(registration, [SCORES]) != before


@pytest.mark.django_db(transaction=True)
def test_threads_that_need_a_token_at_once_request_it_once(platform: Platform, registration: Registration) -> None:
    keys.key_set()
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: token_for(registration, [SCORES]), range(16)))
    assert (len(found), platform.token_requests) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_platform_that_hangs_delays_no_other_one(
    platform: Platform, registration: Registration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.lti.services.outbound.READ_SECONDS", 1.0)
    platform.fail(TOKEN, hangs=True)
    with Platform(CANVAS) as other, key_set_served() as url, ThreadPoolExecutor(1) as pool:
        working = register(other, url)
        waiting = pool.submit(token_for, registration, [SCORES])
        wait_for(lambda: platform.token_requests == 1, "the token was never requested")
        assert token_for(working, [SCORES]) in other.grants
        assert not waiting.done()
        with pytest.raises(PlatformTrouble, match="did not answer in time"):
            waiting.result()


def test_a_scope_that_the_platform_does_not_allow_is_named(platform: Platform) -> None:
    with key_set_served() as url:
        registration = register(platform, url, scopes=(SCORES,))
        with pytest.raises(
            PlatformTrouble, match=r"^The LMS does not allow Gradus to read the list of members\.$"
        ) as trouble:
            token_for(registration, [SCORES, MEMBERS])
        assert trouble.value.again is False
        platform.tools[registration.client_id].scopes = (SCORES, MEMBERS)
        assert token_for(registration, [SCORES, MEMBERS]) in platform.grants


def test_a_platform_that_names_no_scopes_has_granted_all(platform: Platform, registration: Registration) -> None:
    platform.fail(TOKEN, 200, '{"access_token": "abc", "token_type": "bearer", "expires_in": "3600"}')
    assert token_for(registration, [SCORES, LINE_ITEMS]) == "abc"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"client_id": "unknown"}, "does not know the client ID"),
        ({"audience": "https://elsewhere.test/token"}, "cannot verify the signature"),
    ],
)
def test_a_wrong_registration_is_refused_with_its_cause(platform: Platform, changes: dict[str, Any], words: str) -> None:
    with key_set_served() as url:
        registration = register(platform, url, **changes)
        with pytest.raises(PlatformTrouble, match=words) as trouble:
            token_for(registration, [SCORES])
    assert (trouble.value.again, trouble.value.status) == (False, 400)


def test_scopes_of_a_tool_without_services_are_refused(platform: Platform) -> None:
    with key_set_served() as url, pytest.raises(PlatformTrouble, match="allows none of the requested services"):
        token_for(register(platform, url, scopes=()), [SCORES])


@pytest.mark.parametrize(
    ("status", "body", "headers", "after"),
    [
        (429, "", {"Retry-After": "7"}, 7.0),
        (403, "403 Forbidden (Rate Limit Exceeded)", {}, 0.0),
        (503, "<h1>Maintenance</h1>", {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_a_busy_platform_may_be_asked_again(
    platform: Platform, registration: Registration, status: int, body: str, headers: dict[str, str], after: float
) -> None:
    platform.fail(TOKEN, status, body, headers=headers)
    with pytest.raises(PlatformTrouble, match="at the moment") as trouble:
        token_for(registration, [SCORES])
    assert (trouble.value.again, trouble.value.status, trouble.value.after) == (True, status, after)
    assert token_for(registration, [SCORES]) in platform.grants


@pytest.mark.parametrize(
    "body",
    ["not JSON", "[]", "{}", '{"access_token": 7}', '{"access_token": "a\\r\\nX-Injected: 1"}', '{"access_token": ""}'],
)
def test_an_answer_without_a_usable_token_is_trouble(platform: Platform, registration: Registration, body: str) -> None:
    platform.fail(TOKEN, 200, body)
    with pytest.raises(PlatformTrouble, match=r"not JSON|without a usable access token"):
        token_for(registration, [SCORES])


@pytest.mark.parametrize("said", ["null", '"soon"', "-5", "NaN", "1e999"])
def test_a_strange_lifetime_is_bounded(platform: Platform, registration: Registration, said: str) -> None:
    platform.fail(TOKEN, 200, f'{{"access_token": "abc", "expires_in": {said}}}')
    renewed_in = token_request(registration, [SCORES]).renew_at - time.monotonic()
    assert 0 < renewed_in <= tokens.MAX_SECONDS
