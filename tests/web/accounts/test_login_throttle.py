"""Passwords cannot be guessed, and guessing cannot lock out a user."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth import hashers
from django.db.models import F
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from autograder.courses.errors import TooOften
from autograder.courses.models import AuditEntry, User
from autograder.web.accounts import login_throttle
from autograder.web.accounts.login_throttle import ACCOUNT, ADDRESS, BOTH, FORGOTTEN, WaitingRule
from autograder.web.models import Guess
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse"
HOME, ELSEWHERE = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def ada(cast: Cast) -> Iterator[User]:
    ada = cast.student("ada")
    ada.email = "ada@example.org"
    ada.set_password(PASSWORD)
    ada.save()
    yield ada


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the throttle, so that slow requests do not shorten a wait. `later` advances it."""
    at = timezone.now()
    monkeypatch.setattr(login_throttle, "timezone", SimpleNamespace(now=lambda: at))


def tries(name: str = "ada", password: str = "wrong", address: str = HOME) -> tuple[int, str, str]:
    answer = Client(REMOTE_ADDR=address).post(reverse("sign-in"), {"username": name, "password": password})
    return answer.status_code, answer.get("Retry-After", ""), answer.content.decode()


def wrong(times: int, name: str = "ada", address: str = HOME) -> list[int]:
    return [tries(name, address=address)[0] for _ in range(times)]


def later(**passed: float) -> None:
    for row in Guess.objects.all():
        row.last_at -= timedelta(**passed)
        row.save()


def test_after_a_few_it_says_when_to_try_again() -> None:
    assert wrong(BOTH.free + 1) == [200] * BOTH.free + [429]
    status, wait, text = tries(password=PASSWORD)
    assert (status, wait) == (429, "5")
    assert "Too many failed attempts. Try again in 5 seconds." in text
    assert 'value="ada"' in text


def test_each_wrong_attempt_doubles_the_wait_up_to_a_maximum() -> None:
    assert [BOTH.wait(failures) for failures in (4, 5, 6, 7, 100)] == [0, 5, 10, 20, 15 * 60]
    wrong(BOTH.free)
    later(seconds=5)
    assert wrong(2) == [200, 429]
    assert tries()[1] == "10"


def test_asking_too_early_makes_it_no_longer() -> None:
    wrong(BOTH.free + 10)
    later(seconds=5)
    assert tries(password=PASSWORD)[0] == 302


def test_a_right_one_begins_anew() -> None:
    wrong(BOTH.free - 1)
    assert tries(password=PASSWORD)[0] == 302
    assert wrong(BOTH.free) == [200] * BOTH.free


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "ADA@Example.org"])
def test_all_names_of_an_account_count_as_one(name: str) -> None:
    wrong(3, "ada")
    wrong(2, "ada@example.org")
    assert tries(name)[0] == 429


def test_a_name_that_nobody_has_is_treated_alike() -> None:
    assert wrong(BOTH.free + 1, "nobody") == wrong(BOTH.free + 1, "ada", ELSEWHERE)
    status, wait, text = tries("nobody")
    assert (status, wait) == (429, "5")
    assert "Too many failed attempts. Try again in 5 seconds." in text


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "nobody", "nobody@example.org", "off"])
def test_one_password_is_hashed_for_any_name(cast: Cast, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    off = cast.student("off")
    off.set_password(PASSWORD)
    off.is_active = False
    off.save()
    hashed: list[str] = []
    hasher = hashers.get_hasher()
    encode = type(hasher).encode

    def counted(self: object, password: str, salt: str, *more: object) -> str:
        hashed.append(password)
        return encode(self, password, salt, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(type(hasher), "encode", counted)
    tries(name)
    assert len(hashed) == 1


def test_an_attacker_does_not_lock_out_who_signs_in_from_elsewhere() -> None:
    wrong(BOTH.free + 1, address=ELSEWHERE)
    assert tries(password=PASSWORD, address=HOME)[0] == 302


def test_guesses_from_many_addresses_wait_less_than_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "gradus.sign_in"):
        told = [tries(address=f"203.0.113.{n}") for n in range(ACCOUNT.free + 1)]
    assert [status for status, _, _ in told] == [200] * ACCOUNT.free + [429]
    assert max(ACCOUNT.wait(failures) for failures in range(10_000)) == 60
    (entry,) = AuditEntry.objects.filter(action="sign-in-slowed")
    assert (entry.subject, entry.details["wrong"]) == ("ada", ACCOUNT.free)
    assert "account" in caplog.text
    assert "203.0.113.30" in caplog.text


def test_an_attack_does_not_slow_addresses_where_the_owner_signed_in() -> None:
    tries(password=PASSWORD, address=HOME)
    for n in range(ACCOUNT.free + 1):
        tries(address=f"203.0.113.{n}")
    assert tries(password=PASSWORD, address="192.0.2.1")[0] == 429
    assert tries(password=PASSWORD, address=HOME)[0] == 302


def test_one_address_that_tries_many_names_is_slowed() -> None:
    statuses = [tries(f"name-{n}", address=ELSEWHERE)[0] for n in range(ADDRESS.free + 1)]
    assert statuses == [200] * ADDRESS.free + [429]
    assert tries(password=PASSWORD, address=HOME)[0] == 302


def test_addresses_of_one_network_of_ipv6_count_as_one() -> None:
    for n in range(BOTH.free):
        tries(address=f"2001:db8::{n + 1}")
    assert tries(address="2001:db8::ffff")[0] == 429
    assert tries(address="2001:db8:0:1::1")[0] == 200


def test_a_day_later_it_is_forgotten() -> None:
    wrong(BOTH.free + 1)
    later(seconds=FORGOTTEN.total_seconds() + 1)
    assert wrong(BOTH.free) == [200] * BOTH.free


def test_a_clock_that_was_set_back_makes_no_wait_of_hours() -> None:
    wrong(BOTH.free)
    later(hours=-5)
    assert tries()[1] == "5"


def test_nothing_that_was_typed_is_kept() -> None:
    tries("a password in the wrong field", address=ELSEWHERE)
    keys = Guess.objects.values_list("key", flat=True)
    assert keys and {len(key) for key in keys} == {64}
    assert not any("wrong field" in key for key in keys)


def test_what_is_forgotten_is_swept_away_and_who_is_known_stays() -> None:
    tries(password=PASSWORD, address=HOME)
    tries("nobody", address=ELSEWHERE)
    login_throttle.sweep(timezone.now() + FORGOTTEN * 2)
    assert [row.known_at is not None for row in Guess.objects.all()] == [True]
    login_throttle.sweep(timezone.now() + timedelta(days=100))
    assert not Guess.objects.exists()


def test_a_wait_is_never_beyond_its_longest() -> None:
    assert WaitingRule(0, 60.0).wait(1_000_000_000) == 60


# -- while passwords are being checked


def begun(address: str = HOME, name: str = "ada") -> login_throttle.Attempt:
    user = User.objects.filter(username=name).first()
    return login_throttle.begin(RequestFactory().get("/", REMOTE_ADDR=address), user, name)


def test_concurrent_guesses_check_no_more_passwords_than_sequential_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_throttle, "MAX_WAIT_SECONDS", 0)
    under_way = [begun() for _ in range(BOTH.free)]
    with pytest.raises(TooOften, match="Too many people are signing in right now"):
        begun()
    for each in under_way:
        each.was_wrong()
    with pytest.raises(TooOften, match="Too many failed attempts"):
        begun()


def test_whoever_waits_for_right_ones_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lecture hall signs in from one address. None of the correct passwords counts as a failure."""
    monkeypatch.setattr(login_throttle, "MAX_WAIT_SECONDS", 0)
    for hall in range(2):
        under_way = [begun(name=f"student-{hall}-{n}") for n in range(ADDRESS.free)]
        with pytest.raises(TooOften, match="Too many people"):
            begun(name="one-more")
        for each in under_way:
            each.was_right()
    assert not Guess.objects.filter(failures__gt=0).exists()


def test_once_slowed_one_at_a_time_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_throttle, "MAX_WAIT_SECONDS", 0)
    wrong(BOTH.free)
    later(seconds=5)
    begun()
    with pytest.raises(TooOften, match="Too many people"):
        begun()


def test_what_a_dead_process_was_checking_counts_as_wrong() -> None:
    for _ in range(BOTH.free):
        begun()
    Guess.objects.update(pending_at=F("pending_at") - timedelta(minutes=2))
    assert tries(password=PASSWORD)[:2] == (429, "5")
    later(seconds=5)
    assert tries(password=PASSWORD)[0] == 302
