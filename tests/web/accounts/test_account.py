"""Login, logout, color scheme and time zone."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from autograder.courses.models import Course, User
from tests.cast import Cast
from tests.conftest import EXERCISES
from tests.web.conftest import Signed, browser_of, change, page, words

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse"


@pytest.fixture
def ada(cast: Cast) -> User:
    ada = cast.student("ada")
    ada.email = "ada@example.org"
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def signs_in(name: str, password: str = PASSWORD, following: str = "") -> tuple[int, str, str]:
    answer = Client().post(reverse("sign-in"), {"username": name, "password": password, "next": following})
    return answer.status_code, answer.get("Location", ""), answer.content.decode()


@pytest.mark.parametrize("name", ["ada", "ada@example.org", "ADA@Example.org"])
def test_by_name_or_by_address(ada: User, name: str) -> None:
    assert signs_in(name)[:2] == (302, "/")


def test_a_name_that_is_an_address_goes_before_the_address(ada: User) -> None:
    User.objects.create_user("ada@example.org", password="theirs")
    assert signs_in("ada@example.org", "theirs")[0] == 302


def test_a_wrong_password_says_the_sentence_and_keeps_the_name(ada: User) -> None:
    status, _, text = signs_in('ada"<b>', "wrong")
    assert status == 200
    assert "Wrong username or password. Both are case-sensitive." in text
    assert 'value="ada&quot;&lt;b&gt;"' in text
    assert 'aria-invalid="true" aria-describedby="why"' in text
    assert "wrong" not in text


@pytest.mark.parametrize("password", ["", " "])
def test_nothing_typed(ada: User, password: str) -> None:
    status, _, text = signs_in("ada", password)
    assert status == 200
    assert 'role="alert"' in text


def test_an_account_that_is_switched_off(ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert signs_in("ada")[0] == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"])
def test_only_our_own_pages_are_gone_back_to(ada: User, signed: Signed, elsewhere: str) -> None:
    assert signs_in("ada", following=elsewhere)[1] == "/"
    assert signed("ada").post(reverse("theme"), {"theme": "dark", "next": elsewhere})["Location"] == "/"
    saved = signed("ada").post(reverse("time-zone"), {"zone": "Europe/Berlin", "next": elsewhere})
    assert saved["Location"] == "/"


def test_one_comes_back_to_the_page_that_asked(ada: User, cast: Cast) -> None:
    wanted = reverse("grades", args=(cast.course.slug,))
    asked = Client().get(wanted)["Location"]
    assert f'value="{wanted}"' in page(Client(), asked)
    assert signs_in("ada", following=wanted)[1] == wanted


def test_signing_out_takes_a_press(ada: User, signed: Signed) -> None:
    browser = signed("ada")
    assert browser.get(reverse("sign-out")).status_code == 405
    assert browser.get(reverse("time-zone")).status_code == 200
    assert browser.post(reverse("sign-out"))["Location"] == "/"
    assert browser.get(reverse("time-zone")).status_code == 302


def test_who_is_in_one_course_is_there_at_once_and_others_choose(ada: User, cast: Cast, signed: Signed) -> None:
    assert signed("ada").get("/")["Location"] == reverse("home", args=(cast.course.slug,))
    Cast(slug="second").student("ada")
    text = page(signed("ada"), "/")
    assert "Autodiff" in text
    assert "Second" in text
    User.objects.create_user("eve")
    assert "You are not in any courses yet. A course appears here when an instructor adds you to it." in page(
        signed("eve"), "/"
    )


@pytest.mark.parametrize(
    ("chosen", "css"), [("light", ' class="theme-light"'), ("dark", ' class="theme-dark"'), ("auto", "")]
)
def test_colours_are_remembered(chosen: str, css: str) -> None:
    browser = Client()
    browser.post(reverse("theme"), {"theme": "dark"})
    answer = browser.post(reverse("theme"), {"theme": chosen, "next": reverse("help")})
    assert answer["Location"] == reverse("help")
    assert f'<html lang="en"{css}>' in page(browser, reverse("help"))


def test_colours_that_do_not_exist_are_none() -> None:
    browser = Client()
    browser.post(reverse("theme"), {"theme": '"><script>'})
    browser.cookies["theme"] = '"><script>'
    assert '<html lang="en">' in page(browser, reverse("help"))


def test_a_time_zone_is_chosen_from_the_list(ada: User, signed: Signed) -> None:
    browser = signed("ada")
    assert '<option value="" selected>The one of each course</option>' in page(browser, reverse("time-zone"))
    assert (
        "Choose a time zone from the list." in browser.post(reverse("time-zone"), {"zone": "Mars/Olympus"}).content.decode()
    )
    answer = browser.post(reverse("time-zone"), {"zone": "Asia/Kathmandu", "next": reverse("help")})
    assert answer["Location"] == reverse("help")
    ada.refresh_from_db()
    assert ada.time_zone == "Asia/Kathmandu"
    text = page(browser, reverse("time-zone"))
    assert text.count("selected") == 1 and "<option selected>Asia/Kathmandu</option>" in text


def test_until_then_it_is_that_of_the_browser_on_every_page(cast: Cast, signed: Signed) -> None:
    change(cast, due_at=datetime(2030, 1, 10, 22, 59, tzinfo=UTC))
    Course.objects.update(time_zone="Europe/Berlin")
    browser = signed("ada")
    home = reverse("home", args=(cast.course.slug,))
    assert "Berlin time" in page(browser, home) and "the one of each course" in page(browser, reverse("account"))
    browser.cookies["zone"] = "America/New_York"
    assert "New York time" in page(browser, home) and "Thu 10 Jan 2030, 17:59" in page(browser, home)
    assert "America/New_York time zone, as in your browser" in words(page(browser, reverse("account")))
    text = page(browser, reverse("time-zone"))
    assert "As in your browser: America/New_York" in words(text)
    browser.post(reverse("time-zone"), {"zone": ""})  # as the form stands
    assert "America/New_York time zone, as in your browser" in words(page(browser, reverse("account")))
    browser.post(reverse("time-zone"), {"zone": "UTC"})
    assert "UTC time zone" in words(page(browser, reverse("account"))) and "UTC time" in page(browser, home)


def test_who_has_a_zone_under_an_older_name_keeps_it(ada: User, signed: Signed) -> None:
    User.objects.filter(pk=ada.pk).update(time_zone="US/Pacific")
    browser = signed("ada")
    assert "<option selected>US/Pacific</option>" in page(browser, reverse("time-zone"))
    assert browser.post(reverse("time-zone"), {"zone": "US/Pacific"}).status_code == 302


# -- an empty site --------------------------------------------------------------------------------------------------------


def test_an_empty_site_says_how_its_owner_begins(db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADUS_DATA", "/srv/autodiff 2")
    text = page(Client(), "/")
    assert "This site has no accounts yet" in text
    command = ".venv/bin/python manage.py createsuperuser"
    assert f"<code>GRADUS_DATA=&#x27;/srv/autodiff 2&#x27; {command}</code>" in text
    settings.PRODUCTION = True
    assert f"<code>{command}</code>" in page(Client(), "/"), "strangers do not read names of folders"
    for name in re.findall(r"<code>(docs/[^<]+)</code>", text):
        assert (EXERCISES.parent / name).is_file()
    User.objects.create_user("grace")
    assert "no accounts yet" not in page(Client(), "/")


def test_whoever_may_make_courses_and_has_none_is_offered_the_first(db: None) -> None:
    owner = browser_of(User.objects.create_user("grace", is_staff=True))
    text = page(owner, "/")
    assert "Create your first course" in text
    assert text.count(f'href="{reverse("new-course")}"') == 1


def test_whoever_may_make_none_is_not(ada: User, signed: Signed) -> None:
    text = page(browser_of(User.objects.create_user("eve")), "/")
    assert reverse("new-course") not in text


def test_a_step_of_the_front_page_has_an_address(db: None) -> None:
    assert "Step 11 of 12." in page(Client(), "/").partition("data-chain")[2][:200]
    for asked, shown in (("3", 3), ("99", 12), ("0", 1), ("x", 11), ("9" * 30, 11)):
        assert f"Step {shown} of 12." in page(Client(), f"/?step={asked}").partition("data-chain")[2][:200]
