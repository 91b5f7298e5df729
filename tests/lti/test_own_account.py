"""The account page lists the LMSs that sign in to an account, and its owner unlinks them."""

import pytest
from django.test import Client

from autograder.courses.models import AuditEntry, User
from autograder.lti.models import LmsAccount
from tests.cast import Cast
from tests.lti.conftest import Lms
from tests.web.conftest import browser_of, words

ACCOUNT, UNLINK = "/account/", "/account/unlink/"


@pytest.fixture
def linked(lms: Lms, cast: Cast) -> LmsAccount:
    """Ada's account, with a password, to which an LMS signs in."""
    user = cast.student("ada")
    user.set_password("secret")
    user.save()
    return LmsAccount.objects.create(
        issuer=lms.registration.issuer, sub="7", user=user, registration=lms.registration, email="ada@lms.example"
    )


def text_of(client: Client) -> str:
    return words(client.get(ACCOUNT).content.decode())


def test_an_account_without_an_lms_has_no_such_section(cast: Cast) -> None:
    assert "LMS" not in text_of(browser_of(cast.student("ada")))


def test_the_owner_of_an_account_unlinks_an_lms(linked: LmsAccount) -> None:
    client = browser_of(linked.user)
    assert "School, ada@lms.example never used" in text_of(client)
    response = client.post(UNLINK, {"account": linked.pk}, follow=True)
    assert "School no longer signs in to this account." in words(response.content.decode())
    assert not LmsAccount.objects.exists()
    assert AuditEntry.objects.get(action="lms-account-unlinked").actor == linked.user
    assert "LMS accounts" not in text_of(client)


def test_the_only_way_to_sign_in_stays(linked: LmsAccount) -> None:
    linked.user.set_unusable_password()
    linked.user.save()
    client = browser_of(linked.user)
    assert "Unlink" not in text_of(client)
    response = client.post(UNLINK, {"account": linked.pk}, follow=True)
    assert "Without this link, you could not sign in any more." in words(response.content.decode())
    assert LmsAccount.objects.exists()


@pytest.mark.parametrize("sent", ["", "x", "0", "²", "9" * 30])
def test_an_unknown_link_is_not_found(linked: LmsAccount, sent: str) -> None:
    assert browser_of(linked.user).post(UNLINK, {"account": sent}).status_code == 404


def test_nobody_unlinks_the_account_of_somebody_else(linked: LmsAccount, cast: Cast) -> None:
    for user in (cast.student("ben"), cast.owner, User.objects.create_superuser("root")):
        assert browser_of(user).post(UNLINK, {"account": linked.pk}).status_code == 404
    assert Client().post(UNLINK, {"account": linked.pk}).status_code == 302
    assert LmsAccount.objects.exists()
