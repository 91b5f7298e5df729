"""How long sessions last, and what ends them."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from autograder.courses.models import AuditEntry, User
from autograder.web.backends.sessions import BEGAN
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "correct horse", "a gradient that flows back"


@pytest.fixture
def ada(cast: Cast) -> User:
    ada = cast.student("ada")
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def browser(ada: User) -> Client:
    client = Client()
    assert client.post(reverse("sign-in"), {"username": "ada", "password": PASSWORD}).status_code == 302
    return client


def signed_in(client: Client) -> bool:
    return client.get(reverse("time-zone")).status_code == 200


def key_of(client: Client) -> str:
    return client.cookies["sessionid"].value


def row_of(client: Client) -> Session:
    return Session.objects.get(pk=key_of(client))


def age(client: Client, **passed: float) -> None:
    """Move the last visit back in time."""
    row = row_of(client)
    row.expire_date -= timedelta(**passed)
    row.save()


def changes(client: Client, old: str = PASSWORD, new: str = NEW, again: str | None = None) -> tuple[int, str]:
    answer = client.post(
        reverse("password"), {"old_password": old, "new_password1": new, "new_password2": new if again is None else again}
    )
    return answer.status_code, answer.content.decode()


def test_signing_in_gives_the_session_a_new_key(ada: User) -> None:
    client = Client()
    session = client.session
    session["left by"] = "whoever sat here before"
    session.save()
    planted = key_of(client)
    client.post(reverse("sign-in"), {"username": "ada", "password": PASSWORD})
    assert key_of(client) != planted
    assert not Session.objects.filter(pk=planted).exists()


def test_a_new_password_ends_other_sessions_and_gives_this_one_a_new_key(ada: User) -> None:
    here, there = browser(ada), browser(ada)
    before = key_of(here)
    assert changes(here)[0] == 302
    told = here.get(reverse("password"))
    assert "Your password was changed. You were signed out on all other devices." in told.content.decode()
    assert not signed_in(there)
    assert key_of(here) != before
    assert not Session.objects.filter(pk=before).exists()
    assert AuditEntry.objects.get(action="password-changed").actor == ada


def test_a_password_that_staff_of_the_site_sets_ends_all(ada: User) -> None:
    client = browser(ada)
    ada.set_password(NEW)
    ada.save()
    assert not signed_in(client)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("grad-1st", "It must contain at least 10 characters."),
        ("password123", "This password is too common."),
        ("3141592653589", "This password is entirely numeric."),
        ("ada.lovelace", "The password is too similar to the"),
    ],
)
def test_a_password_that_others_would_try(ada: User, new: str, words: str) -> None:
    ada.last_name = "Lovelace"
    ada.save()
    status, text = changes(browser(ada), new=new)
    assert status == 200
    assert words in text
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_the_old_one_must_be_right_and_the_new_ones_alike(ada: User) -> None:
    assert "Wrong password. Passwords are case-sensitive." in changes(browser(ada), old="wrong")[1]
    assert "The two passwords do not match." in changes(browser(ada), again=f"{NEW}?")[1]
    assert not AuditEntry.objects.filter(action="password-changed").exists()


def test_who_finds_a_page_open_cannot_guess_the_old_one(ada: User) -> None:
    client = browser(ada)
    assert [changes(client, old=f"guess {n}")[0] for n in range(7)] == [200] * 5 + [429] * 2
    assert changes(client)[0] == 429


def test_an_account_without_a_password_has_none_to_change(cast: Cast) -> None:
    cast.student("ben").set_unusable_password()
    client = Client()
    client.force_login(cast.student("ben"))
    User.objects.filter(username="ben").update(password="!")
    client.force_login(User.objects.get(username="ben"))
    assert "No password" in client.get(reverse("password")).content.decode()


def test_without_a_visit_it_ends(ada: User, settings: Settings) -> None:
    client = browser(ada)
    age(client, seconds=settings.SESSION_COOKIE_AGE + 1)
    assert not signed_in(client)


def test_a_visit_puts_the_end_off(ada: User, settings: Settings) -> None:
    client = browser(ada)
    age(client, seconds=settings.SESSION_COOKIE_AGE - 60)
    assert signed_in(client)
    assert row_of(client).expire_date > timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE - 60)


def test_a_visit_soon_after_another_writes_nothing(ada: User) -> None:
    client = browser(ada)
    before = row_of(client).expire_date
    assert signed_in(client)
    assert row_of(client).expire_date == before


def test_a_session_ends_even_if_it_is_used_constantly(ada: User, settings: Settings) -> None:
    client = browser(ada)
    session = client.session
    session[BEGAN] -= settings.SESSION_LONGEST.total_seconds() - 60
    session.save()
    assert signed_in(client)
    session[BEGAN] -= 61
    session.save()
    assert not signed_in(client)


def test_a_session_from_before_there_was_a_last_hour_begins_now(ada: User) -> None:
    client = browser(ada)
    session = client.session
    del session[BEGAN]
    session.save()
    assert signed_in(client)
    assert abs(client.session[BEGAN] - timezone.now().timestamp()) < 60
