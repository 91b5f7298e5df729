"""One-click login on a site that was started as a demo, and nothing like it on other sites."""

import re
from html import unescape
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from autograder.courses.models import Membership, Role, User
from autograder.gradebook.demo.people import BEGINNER, DOMAIN, OPERATOR, SLUG, STUCK, VISITOR
from autograder.web.accounts import demo
from autograder.web.accounts.login_throttle import BOTH
from tests.cast import Cast
from tests.web.addresses import names
from tests.web.conftest import browser_of, page, words

pytestmark = pytest.mark.django_db
PASSWORD = "shown-to-all"
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
LANDS = {
    BEGINNER: f"/c/{SLUG}/value-engine/",
    demo.NEW: f"/c/{SLUG}/",
    STUCK: f"/c/{SLUG}/value-engine/",
    "demo-mei": f"/t/{SLUG}/",
    "demo-grace": f"/t/{SLUG}/",
    OPERATOR[0]: "/status/",
}


@pytest.fixture
def people(db: None) -> Cast:
    """The users of `manage.py demo --password`, and a real user with a real password."""
    cast = Cast(slug=SLUG)
    for login in (BEGINNER, STUCK, "demo-mei", "demo-grace"):
        member = cast.membership(login)
        member.role = {"demo-mei": Role.ASSISTANT, "demo-grace": Role.OWNER}.get(login, Role.STUDENT)
        member.save()
    User.objects.create(username=OPERATOR[0], is_staff=True)
    for user in User.objects.filter(username__in=LANDS):
        user.email = f"{user.username}@{DOMAIN}"
        user.set_password(PASSWORD)
        user.save()
    User.objects.create_user("real", email="real@example.org", password=PASSWORD)
    return cast


@pytest.fixture
def site(people: Cast, settings: Settings) -> SimpleNamespace:
    settings.DEMO_PASSWORD = PASSWORD
    return SimpleNamespace(cast=people, settings=settings)


def buttons(address: str) -> dict[str, dict[str, str]]:
    """Return the form data of each demo button, by login."""
    forms = [dict(HIDDEN.findall(unescape(form))) for form in page(Client(), address).split("<form")[1:]]
    return {form["username"]: form for form in forms if "username" in form}


def test_each_button_signs_in_and_leads_to_what_it_promises(site: SimpleNamespace) -> None:
    shown = buttons(reverse("sign-in"))
    assert list(shown) == list(LANDS)
    assert shown[BEGINNER]["next"].endswith("#verdict")
    for login, lands in LANDS.items():
        browser = browser_of(None)
        answer = browser.post(reverse("sign-in"), shown[login], follow=True)
        assert answer.status_code == 200
        assert answer.redirect_chain[-1][0] == lands
        expected = f"{VISITOR}1" if login == demo.NEW else login
        assert answer.context["user"].username == expected


def test_every_visitor_is_another_new_student(site: SimpleNamespace) -> None:
    sent = buttons(reverse("sign-in"))[demo.NEW]
    first, second = browser_of(None), browser_of(None)
    for browser in (first, second):
        browser.post(reverse("sign-in"), sent)
    names = [browser.get(f"/c/{SLUG}/").context["user"].username for browser in (first, second)]
    assert names == [f"{VISITOR}1", f"{VISITOR}2"]
    assert Membership.objects.filter(user__username__in=names, course__slug=SLUG, role=Role.STUDENT).count() == 2
    browser_of(None).post(reverse("sign-in"), sent | {"password": "another one"})
    assert User.objects.filter(username__startswith=VISITOR).count() == 2


def test_a_bar_on_every_page_says_who_one_is_and_switches(site: SimpleNamespace) -> None:
    browser = browser_of(User.objects.get(username=BEGINNER))
    for address in (f"/c/{SLUG}/", f"/c/{SLUG}/value-engine/", reverse("account")):
        shown = page(browser, address)
        bar = shown.partition('aria-label="Demo account"')[2].partition("</form>")[0]
        assert f"You are {BEGINNER} (student)." in words(bar), address
        assert re.findall(r'name="username" value="([^"]+)"', bar) == [login for login in LANDS if login != BEGINNER]
    sent = {"username": "demo-grace", "password": PASSWORD}
    answer = browser.post(reverse("sign-in"), sent, follow=True)
    assert answer.redirect_chain[-1][0] == LANDS["demo-grace"]
    assert answer.context["user"].username == "demo-grace"
    real = browser_of(User.objects.get(username="real"))
    assert 'aria-label="Demo account"' not in page(real, reverse("account"))


def test_no_press_makes_a_student_outside_a_demo(site: SimpleNamespace) -> None:
    sent = buttons(reverse("sign-in"))[demo.NEW]
    site.settings.DEMO_PASSWORD = ""
    assert browser_of(None).post(reverse("sign-in"), sent).status_code == 200
    assert not User.objects.filter(username__startswith=VISITOR).exists()
    signed_in = browser_of(User.objects.get(username="real"))
    answer = signed_in.post(reverse("sign-in"), {"username": "demo-grace", "password": PASSWORD})
    assert answer.status_code == 302, "somebody who is signed in stays who they are"
    assert signed_in.get(reverse("account")).context["user"].username == "real"


def test_the_front_page_signs_in_as_the_student_alone(site: SimpleNamespace) -> None:
    shown = buttons("/")
    assert list(shown) == [BEGINNER]
    answer = browser_of(None).post(reverse("sign-in"), shown[BEGINNER], follow=True)
    assert answer.redirect_chain[-1][0] == LANDS[BEGINNER]


def test_whoever_is_not_there_is_not_shown(site: SimpleNamespace) -> None:
    User.objects.filter(username=STUCK).update(username="somebody")
    assert STUCK not in buttons(reverse("sign-in"))


def test_a_real_person_with_a_login_of_the_demo_is_not_shown(site: SimpleNamespace) -> None:
    User.objects.filter(username=BEGINNER).update(email="theirs@example.org")
    assert buttons("/") == {}
    assert BEGINNER not in buttons(reverse("sign-in"))


def test_a_button_is_a_form_with_a_token(site: SimpleNamespace) -> None:
    sent = buttons("/")[BEGINNER]
    browser = browser_of(None, checks_tokens=True)
    assert browser.post(reverse("sign-in"), sent).status_code == 403
    assert "_auth_user_id" not in browser.session


def test_a_button_whose_password_is_wrong_is_held_up_as_any_sign_in(site: SimpleNamespace) -> None:
    sent = buttons("/")[BEGINNER]
    user = User.objects.get(username=BEGINNER)
    user.set_password("changed by a visitor")
    user.save()
    answers = [browser_of(None).post(reverse("sign-in"), sent).status_code for _ in range(BOTH.free + 1)]
    assert answers == [200] * BOTH.free + [429]


# -- a site that is not a demo


def test_a_real_site_shows_nothing_of_it(people: Cast) -> None:
    for address in ("/", reverse("sign-in")):
        assert "demo" not in page(Client(), address).lower()
    assert demo.accounts() == []


def test_the_demo_has_no_address_of_its_own() -> None:
    assert [name for name in names() if "demo" in name] == []


def test_in_production_a_password_alone_shows_nobody(site: SimpleNamespace) -> None:
    site.settings.PRODUCTION = True
    assert demo.accounts() == []


def test_the_operator_of_a_demo_is_nobody_on_a_real_site(site: SimpleNamespace) -> None:
    signed_in = browser_of(User.objects.get(username=OPERATOR[0]))
    assert signed_in.get(reverse("status")).status_code == 200
    site.settings.DEMO_PASSWORD = ""
    assert signed_in.get(reverse("status")).status_code == 302
    answer = Client().post(reverse("sign-in"), {"username": OPERATOR[0], "password": PASSWORD})
    assert (answer.status_code, "_auth_user_id" in answer.client.session) == (200, False)


@pytest.mark.parametrize("login", [BEGINNER, "demo-grace"])
def test_nor_is_anybody_else_of_it_who_may_have_changed_the_address(site: SimpleNamespace, login: str) -> None:
    User.objects.filter(username=login).update(email="mine@example.org")
    signed_in = browser_of(User.objects.get(username=login))
    site.settings.DEMO_PASSWORD = ""
    assert signed_in.get(reverse("home", args=(SLUG,))).status_code == 302
    answer = Client().post(reverse("sign-in"), {"username": login, "password": PASSWORD})
    assert (answer.status_code, "_auth_user_id" in answer.client.session) == (200, False)


def test_everybody_else_signs_in_as_before(site: SimpleNamespace) -> None:
    site.settings.DEMO_PASSWORD = ""
    User.objects.create_user("demo-of-my-thesis", password=PASSWORD)
    for login in ("real", "demo-of-my-thesis"):
        assert Client().post(reverse("sign-in"), {"username": login, "password": PASSWORD}).status_code == 302


# -- continuing


def test_going_on_leads_to_what_was_begun_else_to_the_first_that_is_open(site: SimpleNamespace) -> None:
    people = site.cast
    later = people.assign("value-unary", position=2)
    browser = browser_of(User.objects.get(username=BEGINNER))
    assert browser.get(reverse("next-exercise", args=(SLUG,)))["Location"] == f"/c/{SLUG}/value-engine/"
    people.assignment = later
    people.hands_in(BEGINNER, b"x = 1")
    assert browser.get(reverse("next-exercise", args=(SLUG,)))["Location"] == f"/c/{SLUG}/value-unary/"


def test_where_nothing_is_left_it_leads_to_the_course(site: SimpleNamespace) -> None:
    site.cast.assignment.delete()
    browser = browser_of(User.objects.get(username=BEGINNER))
    assert browser.get(reverse("next-exercise", args=(SLUG,)))["Location"] == f"/c/{SLUG}/"
    assert Membership.objects.filter(user__username="real").count() == 0
    assert browser_of(User.objects.get(username="real")).get(reverse("next-exercise", args=(SLUG,))).status_code == 404
