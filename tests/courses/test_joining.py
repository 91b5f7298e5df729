"""Invitations: who may use one, the messages for everyone else, and accounts created with one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from autograder.courses.accounts.selectors import account_named
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Invitation, Membership, Role, User
from autograder.courses.people import joining
from autograder.courses.people.invitations import (
    CreatedInvitation,
    InvitationEnd,
    invitation_create,
    invitation_end,
    invitation_revoke,
    uses_by_invitation,
)
from autograder.courses.people.joining import HasAccount, OfferCase, invitation_accept, invitation_offer, invitation_register
from autograder.courses.people.members import member_add, member_remove
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.courses import course_archive
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PASSWORD = "gradients flow backwards"


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


def made(cast: Cast, **given: Any) -> CreatedInvitation:
    return invitation_create(course=cast.course, by=cast.staff, **given)


def open_link(cast: Cast, **given: Any) -> str:
    return made(cast, **{"is_open": True, "uses": 5} | given).token


def registers(token: str, email: str = "ada@example.edu", **given: str) -> Membership:
    return invitation_register(token=token, email=email, **{"name": "Ada Lovelace", "password": PASSWORD} | given)


def refusal(token: str, email: str = "ada@example.edu", **given: str) -> str:
    before = User.objects.count()
    with pytest.raises(Refused) as refused:
        registers(token, email, **given)
    assert User.objects.count() == before
    return refused.value.message


# -- creating invitations


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_who_does_not_instruct_makes_and_revokes_no_link(cast: Cast, role: Role) -> None:
    invitation = made(cast).invitation
    ann = member_add(course=cast.course, user=User.objects.create_user("ann"), role=role, by=OPERATOR)
    with pytest.raises(Refused, match="You may not change who is in this course"):
        invitation_create(course=cast.course, by=ann)
    with pytest.raises(Refused, match="You may not change who is in this course"):
        invitation_revoke(invitation=invitation, by=ann)
    assert Invitation.objects.get().revoked_at is None


def test_an_owner_of_another_course_makes_no_link(cast: Cast) -> None:
    with pytest.raises(Refused):
        invitation_create(course=cast.course, by=Cast(slug="elsewhere", exercise="value-unary").staff)


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"is_open": True}, "uses", "at most 1,000"),
        ({"is_open": True, "uses": 1_001}, "uses", "at most 1,000"),
        ({"is_open": True, "uses": 1, "role": Role.ASSISTANT}, "is_open", "can only invite students"),
        ({"email": "ada at home"}, "email", "is not an email address"),
        ({"email": "a@x.org", "domains": "x.org"}, "domains", "cannot be limited to domains"),
        ({"domains": "example"}, "domains", "'example' is not a domain"),
        ({"domains": "*.example.edu"}, "domains", "is not a domain"),
        ({"domains": " ".join(f"d{n}.example.edu" for n in range(40))}, "domains", "at most 500 are allowed"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused_at_its_field(cast: Cast, given: Any, field: str, words: str) -> None:
    with pytest.raises(AtField, match=words) as refused:
        made(cast, **given)
    assert refused.value.field == field


def test_a_member_needs_no_invitation(cast: Cast) -> None:
    User.objects.filter(pk=cast.student("ada").pk).update(email="ada@example.edu")
    with pytest.raises(AtField, match="is already in the course"):
        made(cast, email="ADA@example.edu")


def test_an_archived_course_invites_nobody(cast: Cast) -> None:
    cast.course.archived_at = timezone.now()
    with pytest.raises(Refused, match="is archived"):
        made(cast)


# -- messages


def test_who_opens_a_link_finds_what_is_the_case(cast: Cast) -> None:
    token = made(cast).token
    eve, gone = User.objects.create_user("eve"), cast.membership("rob")
    member_remove(membership=gone, by=OPERATOR)
    assert invitation_offer("x", eve).case == OfferCase.UNKNOWN
    assert (invitation_offer(token, None).case, invitation_offer(token, eve).case) == (OfferCase.SIGN_IN, OfferCase.JOIN)
    assert (invitation_offer(token, cast.student("ada")).case, invitation_offer(token, gone.user).case) == (
        OfferCase.MEMBER,
        OfferCase.REMOVED,
    )
    assert invitation_offer(open_link(cast), None).case == OfferCase.REGISTER


@pytest.mark.parametrize(
    ("change", "why", "words"),
    [
        ({"revoked_at": timezone.now()}, InvitationEnd.REVOKED, "was revoked. Ask your instructor for a new one."),
        (
            {"expires_at": timezone.now() - timedelta(1)},
            InvitationEnd.EXPIRED,
            "has expired. Ask your instructor for a new one.",
        ),
        (
            {"uses_left": 0},
            InvitationEnd.USED_UP,
            "has reached its maximum number of uses. If you already joined with it, sign in.",
        ),
    ],
)
def test_a_link_that_ended_says_why_and_lets_nobody_in(cast: Cast, change: Any, why: InvitationEnd, words: str) -> None:
    token, eve = open_link(cast), User.objects.create_user("eve")
    Invitation.objects.update(**change)
    assert invitation_end(Invitation.objects.get()) == why
    for user in (None, eve):
        assert words in invitation_offer(token, user).words
    assert words in refusal(token)
    with pytest.raises(Refused, match=r"[Aa]sk your instructor"):
        invitation_accept(token=token, user=eve)
    assert invitation_offer(token, cast.student("ada")).case == OfferCase.MEMBER, "who is in the course is told that first"


def test_of_an_archived_course_it_is_told(cast: Cast) -> None:
    token = open_link(cast)
    course_archive(course=cast.course, by=cast.staff, archived=True)
    assert (
        invitation_offer(token, None).words
        == "Autodiff is archived and no longer accepts members. Ask your instructor which course to join."
    )
    assert "is archived" in refusal(token)


def test_a_removed_member_does_not_come_back_by_a_link(cast: Cast) -> None:
    token, rob = made(cast, uses=1).token, cast.membership("rob")
    member_remove(membership=rob, by=OPERATOR)
    with pytest.raises(Refused, match="Ask an instructor of the course"):
        invitation_accept(token=token, user=rob.user)
    assert Invitation.objects.get().uses_left == 1


def test_a_member_stays_what_they_are_and_takes_no_use(cast: Cast) -> None:
    token = made(cast, uses=1, role=Role.ASSISTANT).token
    assert invitation_accept(token=token, user=cast.student("ada")).role == Role.STUDENT
    assert Invitation.objects.get().uses_left == 1


# -- for one person or some domains


def test_a_personal_invitation_works_only_for_that_person(cast: Cast) -> None:
    token = made(cast, email="Ada.L@example.edu", uses=7).token
    eve = User.objects.create_user("eve", "eve@example.edu")
    found = invitation_offer(token, eve)
    assert found.case == OfferCase.OTHER_PERSON
    assert found.words == "This invitation is for A…@example.edu. Sign in with that account, or ask for a new invitation."
    with pytest.raises(Refused, match="for A…@example"):
        invitation_accept(token=token, user=eve)
    ada = User.objects.create_user("ada", "ada.l@EXAMPLE.edu")
    assert invitation_accept(token=token, user=ada).user == ada
    assert invitation_end(Invitation.objects.get()) == InvitationEnd.USED_UP, "it is used once, whatever was asked for"


def test_an_account_may_have_the_address_as_its_login(cast: Cast) -> None:
    user = User.objects.create_user("ada@example.edu")
    assert invitation_offer(made(cast, email="ada@example.edu").token, user).case == OfferCase.JOIN


@pytest.mark.parametrize(
    ("email", "case"),
    [
        ("ada@example.edu", OfferCase.JOIN),
        ("ada@CS.example.edu", OfferCase.JOIN),
        ("ada@evil-example.edu", OfferCase.OTHER_DOMAIN),
        ("ada@x.example.edu", OfferCase.OTHER_DOMAIN),
        ("ada@example.edu.evil.org", OfferCase.OTHER_DOMAIN),
        ("", OfferCase.OTHER_DOMAIN),
    ],
)
def test_a_domain_counts_exactly(cast: Cast, email: str, case: OfferCase) -> None:
    token = made(cast, domains="@Example.edu, cs.example.edu").token
    assert invitation_offer(token, User.objects.create_user("ada", email)).case == case
    other = open_link(cast, domains="example.edu cs.example.edu")
    if email and case == OfferCase.JOIN:
        assert "Sign in instead" in refusal(other, email)
    elif email:
        assert refusal(other, email) == "Use an email address at example.edu or cs.example.edu."


def test_an_open_invitation_for_one_person_takes_that_address_alone(cast: Cast) -> None:
    token = made(cast, email="ada@example.edu", is_open=True).token
    assert refusal(token, "eve@example.edu") == (
        "This invitation is for a…@example.edu. Use that address, or ask for a new invitation."
    )
    assert registers(token, "Ada@example.edu").user.username == "ada@example.edu"


# -- creating an account


def test_somebody_creates_an_account_and_is_a_member(cast: Cast) -> None:
    member = registers(open_link(cast), "Ada@Example.EDU ")
    user = User.objects.get(pk=member.user_id)
    assert (user.username, user.email, user.first_name, user.last_name) == (
        "ada@example.edu",
        "Ada@example.edu",
        "Ada",
        "Lovelace",
    )
    assert user.check_password(PASSWORD)
    assert (user.registered_by_link, user.is_staff, user.is_superuser, member.role) == (True, False, False, Role.STUDENT)
    assert Invitation.objects.get().uses_left == 4
    (entry,) = AuditEntry.objects.filter(action="account-registered")
    assert (entry.actor, entry.membership, entry.details) == (user, member, {"invitation": Invitation.objects.get().pk})


@pytest.mark.parametrize(
    ("email", "given", "words"),
    [
        ("ada@example.edu", {"password": "short"}, "too short"),
        ("ada@example.edu", {"password": "ada@example.edu"}, "too similar to the"),
        ("ada@example.edu", {"name": " "}, "Enter your name."),
        ("ada@example.edu", {"name": "=cmd()"}, "spreadsheets would treat it as a formula"),
        ("ada@example.edu", {"name": "A" * 151}, "at most 150 are allowed"),
        ("no address", {}, "This email address cannot be used"),
        ("", {}, "Enter your email address."),
        ("ada@bücher.example", {}, "This email address cannot be used|only ASCII"),
        ("o'hara@example.edu", {}, "can contain only letters"),
        (f"{'a' * 60}@{'b' * 60}.{'c' * 60}.edu", {}, "at most 150 are allowed"),
    ],
)
def test_what_cannot_be_an_account_is_refused(cast: Cast, email: str, given: dict[str, str], words: str) -> None:

    assert re.search(words, refusal(open_link(cast), email, **given))
    assert Invitation.objects.get().uses_left == 5


@pytest.mark.parametrize(
    ("login", "email"), [("ada", "ADA@example.edu"), ("ADA@example.edu", ""), ("ada@example.edu", "x@y.org")]
)
def test_an_address_that_belongs_to_an_account_is_refused(cast: Cast, login: str, email: str) -> None:
    owner = User.objects.create_user(login, email)
    token = open_link(cast)
    with pytest.raises(HasAccount, match=r"^An account with this email address already exists. Sign in instead.$"):
        registers(token, "Ada@example.edu")
    assert account_named(login) == owner, "nobody comes before them when they sign in"


def test_a_link_that_is_not_open_creates_no_account(cast: Cast) -> None:
    assert "cannot create an account" in refusal(made(cast).token)


def test_a_site_can_forbid_it(cast: Cast, settings: Settings) -> None:
    token = open_link(cast)
    settings.SELF_REGISTRATION = False
    with pytest.raises(AtField, match="This site does not allow people to create accounts"):
        open_link(cast)
    assert invitation_offer(token, None).case == OfferCase.SIGN_IN
    assert "cannot create an account" in refusal(token)


def test_no_password_is_hashed_for_what_is_refused_anyway(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def hashed(password: str) -> str:
        raise AssertionError("it was hashed")

    User.objects.create_user("ada", "ada@example.edu")
    token = open_link(cast)
    monkeypatch.setattr(joining, "make_password", hashed)
    assert "Sign in instead" in refusal(token)


def test_what_is_refused_in_the_last_moment_leaves_nothing_behind(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link is revoked while a password is being hashed."""
    token = open_link(cast)

    def revoked_meanwhile(password: str) -> str:
        Invitation.objects.update(revoked_at=timezone.now())
        return "!"

    monkeypatch.setattr(joining, "make_password", revoked_meanwhile)
    assert "was revoked" in refusal(token)


def test_who_used_a_link_is_known(cast: Cast) -> None:
    token, other = open_link(cast), made(cast)
    member = registers(token)
    eve = User.objects.create_user("eve")
    invitation_accept(token=token, user=eve)
    uses = uses_by_invitation(cast.course)
    first = Invitation.objects.exclude(pk=other.invitation.pk).get()
    assert [use.membership.user for use in uses[first.pk] if use.membership] == [eve, member.user]
    assert other.invitation.pk not in uses
