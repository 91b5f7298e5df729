"""The page of an invitation link: messages, creating an account, and joining."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from autograder.courses.models import Invitation, Membership, Role, User
from autograder.courses.people.invitations import invitation_create
from autograder.courses.people.members import member_remove
from autograder.courses.rights import OPERATOR
from autograder.web import rate_limits
from tests.cast import Cast
from tests.web.conftest import Signed, browser_of, member, page
from tests.web.test_markup import Markup

pytestmark = pytest.mark.django_db
FORM = {
    "act": "register",
    "name": "Ada Lovelace",
    "email": "ada@example.edu",
    "password": "gradients flow back",
    "again": "gradients flow back",
}


def link(cast: Cast, **given: object) -> str:
    return reverse("join", args=(invitation_create(course=cast.course, by=cast.staff, **given).token,))  # type: ignore[arg-type]


def open_link(cast: Cast, **given: object) -> str:
    return link(cast, **{"is_open": True, "uses": 5} | given)


def told(browser: Client, where: str, status: int = 200) -> Markup:
    """Return the page, after checking the markup rules of all pages."""
    found = Markup(page(browser, where, status))
    assert found.acts == []
    assert found.left_open == []
    assert [name for name, count in found.ids.items() if count > 1] == []
    assert set(found.refers) <= set(found.ids)
    return found


# -- messages


@pytest.mark.parametrize("role", Role.values)
def test_a_member_is_led_to_the_course_whatever_became_of_the_link(cast: Cast, role: str) -> None:
    where = link(cast, uses=1)
    member(cast, "ada", Role(role))
    for change in ({}, {"uses_left": 0}, {"revoked_at": timezone.now()}):
        Invitation.objects.filter(pk__gt=0).update(**change)
        html = page(browser_of(cast.student("ada")), where)
        assert "<h1>You are already in this course</h1>" in html
        assert reverse("home", args=("autodiff",)) in html
    assert cast.membership("ada").role == role


def test_pressing_join_twice_leads_to_the_course(cast: Cast) -> None:
    where, browser = link(cast, uses=2), browser_of(User.objects.create_user("eve"))
    for _ in range(2):
        assert browser.post(where)["Location"] == reverse("home", args=("autodiff",))
    assert Invitation.objects.get().uses_left == 1


def test_who_was_removed_reads_whom_to_ask(cast: Cast) -> None:
    where = link(cast)
    member_remove(membership=cast.membership("rob"), by=OPERATOR)
    for answer in (browser_of(cast.student("rob")).get, browser_of(cast.student("rob")).post):
        response = answer(where)
        assert response.status_code == 403
        assert (
            "Ask an instructor of the course to restore you. An invitation link cannot do that." in response.content.decode()
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"revoked_at": timezone.now()}, "was revoked."),
        ({"expires_at": timezone.now()}, "has expired."),
        ({"uses_left": 0}, "has reached its maximum number of uses."),
    ],
)
def test_a_link_that_ended_says_why(cast: Cast, change: dict[str, object], words: str) -> None:
    where = open_link(cast)
    Invitation.objects.update(**change)
    for browser in (browser_of(None), browser_of(User.objects.create_user("eve"))):
        assert f"This invitation to Autodiff {words}" in page(browser, where, 410)
        assert browser.post(where, FORM).status_code == 410
    assert not User.objects.filter(email=FORM["email"]).exists()


def test_a_link_that_nobody_made_says_so_and_names_no_course(cast: Cast) -> None:
    html = page(browser_of(None), reverse("join", args=("made-up",)), 404)
    assert "This invitation link is not valid." in html
    assert "Autodiff" not in html


def test_another_person_reads_for_whom_it_is_and_can_change_accounts(cast: Cast) -> None:
    where = link(cast, email="ada.lovelace@example.edu")
    browser = browser_of(User.objects.create_user("eve", "eve@example.edu"))
    html = page(browser, where, 403)
    assert "This invitation is for a…@example.edu. Sign in with that account, or ask for a new invitation." in html
    assert "ada.lovelace" not in html
    assert "You are signed in as <bdi>eve@example.edu</bdi>." in html
    assert browser.post(where).status_code == 403
    there = browser.post(reverse("sign-out"), {"next": f"/sign-in/?next={where}"})["Location"]
    assert there == f"/sign-in/?next={where}"
    assert "ada.lovelace" not in page(browser_of(None), where)


def test_an_address_of_another_domain_is_told_which_are_meant(cast: Cast) -> None:
    where = link(cast, domains="example.edu")
    eve = User.objects.create_user("eve", "eve@x.org")
    assert "This invitation is only for email addresses at example.edu." in page(browser_of(eve), where, 403)


def test_the_pages_hold_what_every_page_promises(cast: Cast) -> None:
    eve = browser_of(User.objects.create_user("eve"))
    told(browser_of(None), link(cast))
    told(eve, link(cast))
    told(browser_of(None), open_link(cast, domains="example.edu"))
    told(eve, link(cast, email="ada@example.edu"), 403)
    told(browser_of(cast.student("ada")), link(cast))
    told(eve, reverse("join", args=("made-up",)), 404)


# -- creating an account


def test_somebody_new_registers_and_is_in_the_course(cast: Cast) -> None:
    where, browser = open_link(cast), browser_of(None)
    assert "Create an account</h2>" in page(browser, where)
    assert browser.post(where, FORM)["Location"] == reverse("home", args=("autodiff",))
    assert "You joined Autodiff. From now on, sign in with your email address" in page(
        browser, reverse("home", args=("autodiff",))
    )
    again = Client().post(reverse("sign-in"), {"username": "ADA@example.edu", "password": FORM["password"]})
    assert again.status_code == 302


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"again": "another one"}, "again", "The two passwords do not match."),
        ({"password": "12345678901", "again": "12345678901"}, "password", "entirely numeric"),
        ({"email": "ada"}, "email", "Enter a valid email address."),
        ({"email": "ada@x.org"}, "email", "Use an email address at example.edu."),
        ({"name": ""}, "name", "This field is required."),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_no_password_comes_back(
    cast: Cast, given: dict[str, str], field: str, words: str
) -> None:
    where = open_link(cast, domains="example.edu")
    html = browser_of(None).post(where, FORM | given).content.decode()
    assert words in html.partition(f'id="id_{field}_error"')[2].partition("</p>")[0]
    assert FORM["password"] not in html
    assert not User.objects.filter(first_name="Ada").exists()


def test_who_has_an_account_is_sent_to_the_sign_in_and_told_nothing_more(cast: Cast) -> None:
    User.objects.create_user("lovelace", "ADA@example.edu", first_name="Augusta", is_active=False)
    html = browser_of(None).post(open_link(cast), FORM).content.decode()
    assert "An account with this email address already exists. Sign in instead." in html
    assert "lovelace" not in html.replace("Ada Lovelace", "")
    assert "Augusta" not in html


def test_without_a_token_nobody_registers(cast: Cast) -> None:
    assert browser_of(None, checks_tokens=True).post(open_link(cast), FORM).status_code == 403
    assert not User.objects.filter(email=FORM["email"]).exists()


def test_a_link_that_is_not_open_has_no_form_and_takes_none(cast: Cast) -> None:
    where = link(cast)
    assert "Create an account" not in page(browser_of(None), where)
    assert browser_of(None).post(where, FORM)["Location"] == f"/sign-in/?next={where}"
    assert not User.objects.filter(email=FORM["email"]).exists()


def test_who_is_signed_in_joins_as_themselves(cast: Cast) -> None:
    eve = User.objects.create_user("eve")
    browser_of(eve).post(open_link(cast), FORM)
    assert Membership.objects.filter(course=cast.course, user=eve).exists()
    assert not User.objects.filter(email=FORM["email"]).exists()


# -- rate limits


def few(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setitem(
        rate_limits.LIMITS, what, rate_limits.Limit(rate_limits.LIMITS[what].words, address=rate_limits.Rate(2, 0.01))
    )


def registers(where: str, n: int) -> int:
    return Client(REMOTE_ADDR="203.0.113.1").post(where, FORM | {"email": f"ada{n}@example.edu"}).status_code


def test_registrations_from_one_address_are_limited(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "register")
    where = open_link(cast)
    assert [registers(where, n) for n in range(3)] == [302, 302, 429]
    assert User.objects.filter(registered_by_link=True).count() == 2


def test_registration_cannot_be_used_to_probe_addresses(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, "has-account")
    for n in range(3):
        User.objects.create_user(f"ada{n}", f"ada{n}@example.edu")
    where = open_link(cast)
    assert [registers(where, n) for n in range(4)] == [200, 200, 429, 302]


# -- on the staff pages


def test_the_account_is_marked_and_in_the_history(cast: Cast, signed: Signed) -> None:
    browser_of(None).post(open_link(cast), FORM)
    owner = signed(cast.owner.username)
    assert '<span class="tag due">registered by link</span>' in page(owner, reverse("people", args=("autodiff",)))
    history = page(owner, reverse("course-history", args=("autodiff",)) + "?kind=people")
    assert "registered by link" in history
    assert "created an invitation" in history


# -- passwords that staff of another course could know


@pytest.mark.parametrize("by_mail", [True, False])
def test_who_loses_the_password_reads_it_before_and_is_led_to_a_new_one(
    cast: Cast, settings: Settings, by_mail: bool
) -> None:
    settings.MAIL_CONFIGURED = by_mail
    other = Cast(slug="elsewhere", exercise="value-unary")
    eve = User.objects.create_user("eve", "eve@example.edu", "from elsewhere", access_given_in=other.course)
    where, browser = link(cast, uses=2), browser_of(eve)
    words = (
        "the link that we will send to <bdi>eve@example.edu</bdi>"
        if by_mail
        else "the site operator will have to give you a new password"
    )
    html = page(browser, where)
    assert "your current password stops working and you are signed out" in html and words in html
    answer = browser.post(where, follow=True)
    assert answer.redirect_chain == [(reverse("forgot-password"), 302)]
    assert "Choose a new password to sign in again." in answer.content.decode()
    assert browser.get(reverse("account")).status_code == 302
    assert cast.course.memberships.filter(user=eve).exists()


def test_nobody_else_reads_of_it(cast: Cast) -> None:
    assert "password ends" not in page(browser_of(User.objects.create_user("eve", password="mine")), link(cast))
