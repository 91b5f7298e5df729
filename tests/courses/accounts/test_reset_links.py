"""Reset links are valid once, for a day, while the account is unchanged and its creator may change it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from autograder.courses.accounts.reset_links import (
    hash_of,
    password_reset,
    reset_link_create,
    reset_link_mail,
    reset_link_of,
)
from autograder.courses.accounts.services import account_correct
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Membership, OutgoingMail, ResetLink, Role, User
from autograder.courses.rights import OPERATOR
from tests.cast import Cast

pytestmark = pytest.mark.django_db
NEW = "the gradient flows back"


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return role(cast, "ines", Role.INSTRUCTOR)


@pytest.fixture
def ada(cast: Cast) -> Membership:
    member = cast.membership("ada")
    member.user.set_password("forgotten")
    member.user.email = "ada@example.org"
    member.user.save()
    return member


def role(cast: Cast, name: str, role: Role) -> Membership:
    member = cast.membership(name)
    member.role = role
    member.save()
    return member


def works(token: str) -> bool:
    try:
        reset_link_of(token)
    except Refused:
        return False
    return True


def test_a_link_sets_a_new_password_once(ada: Membership, ines: Membership) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    assert password_reset(token=token, password=NEW) == ada.user
    ada.user.refresh_from_db()
    assert ada.user.check_password(NEW)
    with pytest.raises(Refused, match="This link is no longer valid"):
        password_reset(token=token, password="another password")
    ada.user.refresh_from_db()
    assert ada.user.check_password(NEW)


def test_who_did_it_is_written_down_and_the_token_is_nowhere(ada: Membership, ines: Membership) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    made = AuditEntry.objects.get(action="reset-link-made")
    assert (made.actor, made.membership, made.course) == (ines.user, ada, ada.course)
    assert token not in f"{made.details}{ResetLink.objects.values()}"
    assert ResetLink.objects.get().token_hash == hash_of(token)
    password_reset(token=token, password=NEW)
    used = AuditEntry.objects.get(action="password-reset")
    assert (used.actor, used.membership, used.course) == (ada.user, ada, ada.course)


@pytest.mark.parametrize("who", [Role.STUDENT, Role.ASSISTANT])
def test_who_may_not_makes_none(cast: Cast, ada: Membership, who: Role) -> None:
    with pytest.raises(Refused):
        reset_link_create(membership=ada, by=role(cast, "ann", who))
    assert not ResetLink.objects.exists()
    assert not AuditEntry.objects.filter(action="reset-link-made").exists()


@pytest.mark.parametrize("who", [Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER])
def test_there_is_none_for_staff(cast: Cast, ines: Membership, who: Role) -> None:
    with pytest.raises(Refused, match="is staff of a course"):
        reset_link_create(membership=role(cast, "mei", who), by=ines)
    assert works(reset_link_create(membership=role(cast, "mei", who), by=OPERATOR).token), "but by an operator"


def test_there_is_none_for_an_account_of_another_course(cast: Cast, ada: Membership, ines: Membership) -> None:
    Cast(slug="elsewhere", exercise="value-unary").student("ada")
    with pytest.raises(Refused, match="also belongs to a course"):
        reset_link_create(membership=ada, by=ines)


def test_a_link_expires_after_a_day(ada: Membership, ines: Membership) -> None:
    made = reset_link_create(membership=ada, by=ines)
    assert timedelta(hours=23) < made.link.expires_at - timezone.now() <= timedelta(hours=24)
    ResetLink.objects.update(expires_at=timezone.now())
    assert not works(made.token)


def test_a_newer_one_ends_it(ada: Membership, ines: Membership) -> None:
    older, newer = (reset_link_create(membership=ada, by=ines).token for _ in range(2))
    assert (works(older), works(newer)) == (False, True)


def test_an_emailed_link_voids_only_emailed_links(ada: Membership, ines: Membership) -> None:
    by_hand = reset_link_create(membership=ada, by=ines).token
    older, newer = (reset_link_mail(user=ada.user).token for _ in range(2))
    assert [works(token) for token in (by_hand, older, newer)] == [True, False, True]
    again = reset_link_create(membership=ada, by=ines).token
    assert [works(token) for token in (by_hand, newer, again)] == [False, False, True]


def test_changing_the_password_voids_the_link(ada: Membership, ines: Membership) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    user = User.objects.get(pk=ada.user_id)
    user.set_password("remembered after all")  # as in the admin and in `changepassword`
    user.save()
    assert not works(token)


def test_changing_the_email_address_voids_the_link(ada: Membership, ines: Membership) -> None:
    token = reset_link_mail(user=ada.user).token
    account_correct(membership=ada, by=ines, first_name="Ada", last_name="", email="ada@example.org")
    assert works(token)
    account_correct(membership=ada, by=ines, first_name="Ada", last_name="", email="lovelace@example.org")
    assert not works(token)
    token = reset_link_create(membership=ada, by=ines).token
    User.objects.filter(pk=ada.user_id).update(email="elsewhere@example.org")  # as in the admin
    assert not works(token)


def test_a_deactivated_account_has_none(ada: Membership, ines: Membership) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    User.objects.filter(pk=ada.user_id).update(is_active=False)
    assert not works(token)
    with pytest.raises(Refused, match="deactivated"):
        reset_link_create(membership=ada, by=ines)


def test_a_link_is_void_if_its_owner_has_become_staff(cast: Cast, ada: Membership, ines: Membership) -> None:
    """Otherwise, a link created earlier would open an account with more permissions."""
    token = reset_link_create(membership=ada, by=ines).token
    other = Cast(slug="elsewhere", exercise="value-unary")
    role(other, "ada", Role.INSTRUCTOR)
    assert not works(token)


def test_a_maker_who_was_removed_or_demoted_has_made_nothing(cast: Cast, ada: Membership, ines: Membership) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    role(cast, "ines", Role.ASSISTANT)
    assert not works(token)
    role(cast, "ines", Role.INSTRUCTOR)
    assert works(token)
    Membership.objects.filter(pk=ines.pk).update(removed_at=timezone.now())
    assert not works(token)


@pytest.mark.parametrize(
    "change", [str.upper, lambda token: token[:-1], lambda token: token + "a", lambda token: "", hash_of]
)
def test_only_the_exact_token_is_accepted(ada: Membership, ines: Membership, change: object) -> None:
    assert callable(change)
    token = reset_link_create(membership=ada, by=ines).token
    assert len(token) >= 43, "256 random bits"
    assert not works(change(token))


@pytest.mark.parametrize("password", ["short", "password123", "3141592653589"])
def test_a_password_that_others_would_try_uses_nothing_up(ada: Membership, ines: Membership, password: str) -> None:
    token = reset_link_create(membership=ada, by=ines).token
    with pytest.raises(AtField) as caught:
        password_reset(token=token, password=password)
    assert caught.value.field == "new_password1"
    assert works(token)


def test_the_person_is_told_by_mail_where_there_is_mail(ada: Membership, ines: Membership, settings: Settings) -> None:
    reset_link_create(membership=ada, by=ines)
    assert not OutgoingMail.objects.exists()
    settings.MAIL_CONFIGURED = True
    token = reset_link_create(membership=ada, by=ines).token
    (told,) = OutgoingMail.objects.all()
    assert told.to == "ada@example.org"
    assert "an instructor of Autodiff created a password reset link" in told.body
    assert token not in told.body, "it is given by hand"
    password_reset(token=token, password=NEW)
    assert OutgoingMail.objects.filter(subject="Your password was changed").exists()
