"""The account on a member's page: corrections and reset links, with permissions."""

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.models import AuditEntry, ResetLink, Role, User
from tests.cast import Cast
from tests.web.conftest import Signed, member, page


def where(cast: Cast, name: str, address: str = "member-account") -> str:
    return reverse(address, args=(cast.course.slug, cast.membership(name).pk))


@pytest.fixture
def ines(cast: Cast, signed: Signed) -> Client:
    member(cast, "ines", Role.INSTRUCTOR)
    return signed("ines")


@pytest.fixture
def ada(cast: Cast) -> User:
    User.objects.create_user("ada", "ada@example.org", "forgotten", first_name="Ada", last_name="Byron")
    return cast.student("ada")


def link(browser: Client, cast: Cast, name: str = "ada") -> str:
    """Return the URL of a new reset link from the page."""
    answer = browser.post(where(cast, name), {"act": "reset-link"})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    shown: str = answer.context["link"]
    assert shown in answer.content.decode()
    return shown.removeprefix("http://testserver")


def test_a_link_is_shown_once_and_opens_the_account(cast: Cast, ines: Client, ada: User) -> None:
    assert "Create reset link" in page(ines, where(cast, "ada", "member"))
    made = link(ines, cast)
    for place in (where(cast, "ada"), where(cast, "ada", "member")):
        assert made not in page(ines, place)
    assert "Choose a new password" in page(Client(), made)
    history = page(ines, reverse("course-history", args=(cast.course.slug,)) + "?kind=people")
    assert "created a reset link for" in history


def test_name_and_address_are_corrected(cast: Cast, ines: Client, ada: User) -> None:
    sent = {"act": "correct", "first_name": "Ada", "last_name": "Lovelace", "email": "lovelace@example.org"}
    answer = ines.post(where(cast, "ada"), sent, follow=True)
    assert answer.redirect_chain == [(where(cast, "ada", "member"), 302)]
    text = answer.content.decode()
    assert "The account was saved." in text
    assert 'value="Lovelace"' in text
    history = page(ines, reverse("course-history", args=(cast.course.slug,)))
    assert "email address: ada@example.org → lovelace@example.org" in history
    ada.refresh_from_db()
    assert ada.email == "lovelace@example.org"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("email", "BEN@example.org", "Another account has this email address."),
        ("email", "at home", "is not an email address."),
        ("last_name", "=cmd", "spreadsheets would treat it as a formula."),
    ],
)
def test_what_cannot_be_is_told_at_its_field(
    cast: Cast, ines: Client, ada: User, field: str, value: str, words: str
) -> None:
    User.objects.create_user("ben", "ben@example.org")
    text = ines.post(where(cast, "ada"), {"act": "correct", field: value}).content.decode()
    assert f'id="id_{field}_error"' in text
    assert words in text
    assert f'value="{value}"' in text, "what was typed is still there"
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER])
def test_who_may_not_is_told_why(cast: Cast, ines: Client, ada: User, role: Role) -> None:
    member(cast, "mei", role)
    Cast(slug="elsewhere", exercise="value-unary").student("ada")
    for name, words in (("mei", "This person is staff of a course."), ("ada", "also belongs to a course in which")):
        for address in ("member", "member-account"):
            text = page(ines, where(cast, name, address))
            assert words in text
            assert "Create reset link" not in text
        for sent in ({"act": "reset-link"}, {"act": "correct", "last_name": "x"}):
            assert words in ines.post(where(cast, name), sent, follow=True).content.decode()
    assert not ResetLink.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_there_is_no_such_page_for_others(cast: Cast, signed: Signed, ada: User, role: Role) -> None:
    member(cast, "ann", role)
    assert signed("ann").get(where(cast, "ada")).status_code == 404
    assert signed("ann").post(where(cast, "ada"), {"act": "reset-link"}).status_code == 404
    assert not ResetLink.objects.exists()


def test_members_of_another_course_are_not_there(cast: Cast, ines: Client) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary").membership("mallory")
    address = reverse("member-account", args=(cast.course.slug, other.pk))
    assert ines.get(address).status_code == 404
    assert ines.post(address, {"act": "reset-link"}).status_code == 404
