"""Correcting names and email addresses: permissions, validation and consequences."""

import pytest
from pytest_django import Settings

from autograder.courses.accounts.selectors import account_named
from autograder.courses.accounts.services import account_correct
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Membership, OutgoingMail, Role, User
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return role(cast, "ines", Role.INSTRUCTOR)


@pytest.fixture
def ada(cast: Cast) -> Membership:
    User.objects.create_user("ada", "ada@example.org", first_name="Ada", last_name="Byron")
    return cast.membership("ada")


def role(cast: Cast, name: str, role: Role) -> Membership:
    member = cast.membership(name)
    member.role = role
    member.save()
    return member


def correct(member: Membership, by: Membership, **said: str) -> User:
    now = {name: getattr(member.user, name) for name in ("first_name", "last_name", "email")}
    return account_correct(membership=member, by=by, **(now | said))


def test_what_is_changed_is_written_down_with_old_and_new(ada: Membership, ines: Membership) -> None:
    correct(ada, ines, last_name="  Lovelace ", email="Ada.L@example.org")
    user = User.objects.get(username="ada")
    assert (user.get_full_name(), user.email) == ("Ada Lovelace", "Ada.L@example.org")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.membership) == ("account-corrected", ines.user, ada)
    assert entry.details == {
        "changes": {"last_name": ["Byron", "Lovelace"], "email": ["ada@example.org", "Ada.L@example.org"]}
    }


def test_nothing_changed_is_nothing_written_down(ada: Membership, ines: Membership) -> None:
    correct(ada, ines)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("who", [Role.STUDENT, Role.ASSISTANT])
def test_who_may_not(cast: Cast, ada: Membership, who: Role) -> None:
    with pytest.raises(Refused):
        correct(ada, role(cast, "ann", who), last_name="Lovelace")
    assert User.objects.get(username="ada").last_name == "Byron"


def test_an_account_of_others_stays_as_it_is(cast: Cast, ada: Membership, ines: Membership) -> None:
    """With a changed address, the password could be reset."""
    Cast(slug="elsewhere", exercise="value-unary").student("ada")
    with pytest.raises(Refused, match="also belongs to a course"):
        correct(ada, ines, email="ines@example.org")
    with pytest.raises(Refused, match="is staff of a course"):
        correct(role(cast, "mei", Role.ASSISTANT), ines, email="ines@example.org")


@pytest.mark.parametrize("email", ["ben@example.org", "BEN@Example.org"])
def test_an_address_of_somebody_else_stays_theirs(cast: Cast, ada: Membership, ines: Membership, email: str) -> None:
    ben = User.objects.create_user("ben", "ben@example.org")
    with pytest.raises(AtField, match="Another account has this email address") as caught:
        correct(ada, ines, email=email)
    assert caught.value.field == "email"
    assert account_named(email) == ben


def test_an_address_that_is_somebodys_login_is_refused(cast: Cast, ada: Membership, ines: Membership) -> None:
    User.objects.create_user("ben@example.org")
    with pytest.raises(AtField, match="uses this address as its login"):
        correct(ada, ines, email="Ben@example.org")


def test_capital_letters_and_no_address_at_all_are_fine(ada: Membership, ines: Membership) -> None:
    assert correct(ada, ines, email="ADA@example.org").email == "ADA@example.org"
    assert correct(ada, ines, email="").email == ""


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("first_name", "=HYPERLINK(1)", "The first name starts with =, so spreadsheets would treat it as a formula."),
        ("last_name", "＠cmd", "The last name starts with ＠, so spreadsheets would treat it as a formula."),
        ("last_name", "a\x07b", "The last name contains a control character. Delete it."),
        ("first_name", "a\u202eb", "The first name contains a control character. Delete it."),
        ("email", "a@example.org\nBcc: b@example.org", "The email address contains a control character. Delete it."),
        ("email", "-a@example.org", "The email address starts with -, so spreadsheets would treat it as a formula."),
        ("email", "at home", "'at home' is not an email address."),
        ("first_name", "a" * 151, "The first name has 151 characters; at most 150 are allowed."),
    ],
)
def test_what_nobody_can_be_called(ada: Membership, ines: Membership, field: str, value: str, words: str) -> None:
    with pytest.raises(AtField) as caught:
        correct(ada, ines, **{field: value})
    assert (caught.value.field, caught.value.message) == (field, words)
    assert not AuditEntry.objects.exists()


def test_the_old_address_is_told_and_not_the_new_one(ada: Membership, ines: Membership, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    correct(ada, ines, email="new@example.org")
    (told,) = OutgoingMail.objects.all()
    assert told.to == "ada@example.org"
    assert "changed the email address of your Gradus account" in told.body
    assert "new@example.org" not in told.body
