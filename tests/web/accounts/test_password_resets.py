"""Password reset: a link by mail or from an instructor, and choosing a new password."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from autograder.courses.accounts import reset_links
from autograder.courses.mail_delivery import mails_send
from autograder.courses.models import Membership, OutgoingMail, ResetLink, Role, User
from autograder.courses.rights import OPERATOR
from autograder.gradebook.demo.people import DOMAIN
from autograder.gradebook.demo.people import OPERATOR as DEMO_OPERATOR
from autograder.web.rate_limits import LIMITS, Limit, Rate
from tests.cast import Cast
from tests.web.conftest import browser_of, member, page

pytestmark = pytest.mark.django_db
NEW = "the gradient flows back"
FORGOT = "/forgot-password/"


@pytest.fixture
def ada(cast: Cast) -> Membership:
    ada = cast.membership("ada")
    ada.user.email = "ada@example.org"
    ada.user.set_password("forgotten")
    ada.user.save()
    return ada


@pytest.fixture
def mails(settings: Settings, tmp_path: Path) -> Path:
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    return tmp_path / "mail"


def link_for(ada: Membership) -> str:
    return reverse("reset", args=(reset_links.reset_link_create(membership=ada, by=OPERATOR).token,))


def choose(browser: Client, link: str, new: str = NEW, again: str | None = None) -> tuple[int, str]:
    answer = browser.post(link, {"new_password1": new, "new_password2": new if again is None else again})
    return answer.status_code, answer.content.decode()


# -- requesting a link


def test_the_sign_in_page_leads_there() -> None:
    assert f'href="{FORGOT}"' in page(Client(), reverse("sign-in"))


def test_without_mail_it_says_whom_to_ask(ada: Membership) -> None:
    for text in (page(Client(), FORGOT), Client().post(FORGOT, {"name": "ada"}).content.decode()):
        assert "Ask an instructor of your course for a password reset link" in text
        assert "<input" not in text.partition("<main")[2]
    assert not OutgoingMail.objects.exists()


def test_with_mail_a_link_comes_that_leads_back_in(ada: Membership, mails: Path) -> None:
    browser = Client()
    assert 'name="name"' in page(browser, FORGOT)
    assert browser.post(FORGOT, {"name": "Ada@example.org"}).status_code == 200
    mails_send()
    (text,) = [path.read_text() for path in mails.iterdir()]
    found = re.search(r"http://testserver(/reset/[\w-]+/)", text)
    assert found
    assert choose(browser, found[1])[0] == 302
    assert browser.get(reverse("password")).status_code == 200


def test_response_and_work_are_the_same_for_any_name(ada: Membership, mails: Path) -> None:
    User.objects.create_user("gone", "gone@example.org", is_active=False)
    User.objects.create_user("without")
    answers, work = set(), set()
    for name in ("ada", "ada@example.org", "gone", "without", "nobody", "nobody@example.org"):
        browser = Client()
        browser.get(FORGOT)
        with CaptureQueriesContext(connection) as queries:
            answer = browser.post(FORGOT, {"name": name})
        text = re.sub(
            r'name="csrfmiddlewaretoken" value="\w+"|nonce="?[\w-]+|content="[\w-]{22}"', "", answer.content.decode()
        )
        answers.add((answer.status_code, text.replace(f"<bdi>{name}</bdi>", "…")))
        work.add(tuple(re.sub(r"'[^']*'|[\d.]+(?:e[+-]\d+)?", "…", query["sql"]) for query in queries))
    assert len(answers) == 1
    assert len(work) == 1
    assert not any("courses_user" in sql for sql in next(iter(work)))
    assert OutgoingMail.objects.count() == 6
    assert not mails.exists(), "nothing is sent while somebody waits"


def test_requests_are_limited_by_name_and_by_address(ada: Membership, mails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(name: str, address: str) -> int:
        return Client(REMOTE_ADDR=address).post(FORGOT, {"name": name}).status_code

    monkeypatch.setitem(LIMITS, "forgot", Limit("No.", address=Rate(4, 1), name=Rate(2, 1)))
    assert [asked(name, f"198.51.100.{n}") for n, name in enumerate(("ada", "ADA", "Ada"))] == [200, 200, 429]
    assert [asked(f"x{n}", "203.0.113.9") for n in range(5)] == [200] * 4 + [429]
    assert OutgoingMail.objects.count() == 6


@pytest.mark.parametrize("name", ["", "a\0b", "a" * 255])
def test_what_nobody_is_called_is_told_at_the_field(mails: Path, name: str) -> None:
    text = Client().post(FORGOT, {"name": name}).content.decode()
    assert 'role="alert"' in text
    assert not OutgoingMail.objects.exists()


def test_a_link_leads_to_a_host_of_the_site_alone(ada: Membership, mails: Path, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    assert Client(SERVER_NAME="evil.example").post(FORGOT, {"name": "ada"}).status_code == 400
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize("url", ["https://gradus.example.org", ""])
def test_a_link_has_the_address_of_the_site_and_not_that_of_the_request(
    ada: Membership, mails: Path, settings: Settings, url: str
) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = url, ["testserver"]
    Client(headers={"Host": "testserver:6666"}).post(FORGOT, {"name": "ada"})
    mails_send()
    (text,) = [path.read_text() for path in mails.iterdir()]
    assert f"{url or 'http://testserver:6666'}/reset/" in text
    assert ("6666" in text) == (not url)


# -- choosing a password


def test_looking_uses_nothing_up_and_choosing_signs_in(ada: Membership) -> None:
    link, browser, elsewhere = link_for(ada), Client(), browser_of(ada.user)
    for _ in range(2):
        assert "For the account <bdi><b>ada</b></bdi>" in page(Client(), link)
    assert elsewhere.get(reverse("account")).status_code == 200
    assert choose(browser, link)[0] == 302
    assert "ada" in page(browser, reverse("account"))
    assert elsewhere.get(reverse("account")).status_code == 302, "other sessions are over"
    assert Client().login(username="ada", password=NEW)


def test_a_second_time_it_does_not_work(ada: Membership) -> None:
    link = link_for(ada)
    assert choose(Client(), link)[0] == 302
    assert "This link does not work" in page(Client(), link, 404)
    assert choose(Client(), link, "another one of mine")[0] == 404
    assert Client().login(username="ada", password=NEW)


def test_a_link_is_no_use_where_somebody_else_is_signed_in(cast: Cast, ada: Membership) -> None:
    ben = browser_of(cast.student("ben"))
    assert choose(ben, link_for(ada))[0] == 302
    assert ben.session["_auth_user_id"] == str(ada.user_id)


@pytest.mark.parametrize(
    ("new", "again", "words"),
    [
        ("grad-1st", None, "It must contain at least 10 characters."),
        ("password123", None, "This password is too common."),
        ("ada@example.org", None, "The password is too similar to the"),
        (NEW, "something else", "The two passwords do not match."),
        ("", None, "This field is required."),
    ],
)
def test_a_password_that_will_not_do_is_told_at_the_field(ada: Membership, new: str, again: str | None, words: str) -> None:
    link = link_for(ada)
    status, text = choose(Client(), link, new, again)
    assert status == 200
    assert words in text
    assert 'aria-invalid="true"' in text
    assert choose(Client(), link)[0] == 302, "the link is still there"


def test_a_deactivated_account_has_no_way_in(ada: Membership) -> None:
    link = link_for(ada)
    User.objects.filter(pk=ada.user_id).update(is_active=False)
    page(Client(), link, 404)
    assert choose(Client(), link)[0] == 404


def test_nor_has_the_operator_of_a_demo_where_there_is_none(cast: Cast) -> None:
    operator = cast.membership(DEMO_OPERATOR[0])
    operator.user.email = f"{DEMO_OPERATOR[0]}@{DOMAIN}"
    operator.user.save()
    link = link_for(operator)
    assert choose(Client(), link)[0] == 404
    assert ResetLink.objects.exists()


def test_tokens_are_not_tried_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "reset", Limit("No.", address=Rate(2, 1)))
    browser = Client(REMOTE_ADDR="203.0.113.9")
    assert [browser.get(f"/reset/{n}/").status_code for n in range(3)] == [404, 404, 429]


def test_the_page_is_kept_nowhere_and_tells_nobody_its_address(ada: Membership) -> None:
    answer = Client().get(link_for(ada))
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"


# -- notifications


def test_who_is_dealt_with_is_told_at_the_next_sign_in_and_finds_it_later(cast: Cast, ada: Membership) -> None:
    ines = member(cast, "ines", Role.INSTRUCTOR)
    browser = Client()

    def signs_in() -> str:
        answer = browser.post(reverse("sign-in"), {"username": "ada", "password": "forgotten"}, follow=True)
        text = answer.content.decode()
        browser.post(reverse("sign-out"))
        return text

    words = "An instructor of Autodiff created a reset link for your account on "
    assert words not in signs_in()
    reset_links.reset_link_create(membership=ada, by=ines)
    assert words in signs_in()
    assert words not in signs_in()
    assert words in page(browser_of(ada.user), reverse("account"))
    assert "Your account has not been changed yet." in page(browser_of(cast.student("ben")), reverse("account"))
