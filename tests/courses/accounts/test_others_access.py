"""Staff who created an account, or gave access to it, in one course lose that access when it joins another course."""

import importlib

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from pytest_django import Settings

from autograder.courses.accounts.first_passwords import first_passwords_create
from autograder.courses.accounts.reset_links import password_reset, reset_link_create, reset_link_mail, reset_link_of
from autograder.courses.accounts.services import account_correct
from autograder.courses.errors import Refused
from autograder.courses.importers.roster import roster_import, roster_preview
from autograder.courses.importers.roster_matching import OTHER_EMAIL_ADDRESS
from autograder.courses.importers.rows import RowStatus
from autograder.courses.models import AuditEntry, Membership, OutgoingMail, ResetLink, Role, User
from autograder.courses.people.invitations import invitation_create
from autograder.courses.people.joining import invitation_accept, invitation_offer
from autograder.courses.people.members import member_add, member_add_by_login, member_remove
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.courses import course_create
from tests.cast import Cast
from tests.commands import Shell

pytestmark = pytest.mark.django_db
LIST = "login,email\nada,ada@example.org\n"
CHOSEN = "the gradient flows back"


@pytest.fixture
def first() -> Cast:
    """The course of the attacking owner."""
    return Cast()


@pytest.fixture
def second() -> Cast:
    return Cast(slug="second", exercise="value-unary")


def imported(cast: Cast, text: str = LIST) -> Membership:
    roster_import(preview=roster_preview(text.encode(), cast.course), by=cast.staff)
    return Membership.objects.get(course=cast.course, user__username="ada")


def handed(cast: Cast) -> dict[str, str]:
    return {
        each.membership.user.username: each.password for each in first_passwords_create(course=cast.course, by=cast.staff)
    }


def first_password(cast: Cast) -> str:
    return handed(cast)["ada"]


def signs_in(password: str) -> bool:
    return Client().login(username="ada", password=password)


def is_signed_in(browser: Client) -> bool:
    return browser.get("/account/").status_code == 200


# -- the attack


def test_a_first_password_stops_working_when_the_account_joins_a_course_of_other_staff(first: Cast, second: Cast) -> None:
    imported(first)
    password = first_password(first)
    attacker = Client()
    assert attacker.login(username="ada", password=password) and is_signed_in(attacker)
    imported(second)
    assert not signs_in(password)
    assert not is_signed_in(attacker), "sessions end as well"


def test_a_changed_first_password_also_stops_working(first: Cast, second: Cast) -> None:
    """A changed password is no safer, because anyone with the first password could have changed it."""
    imported(first)
    attacker = Client()
    attacker.login(username="ada", password=first_password(first))
    user = User.objects.get(username="ada")
    user.set_password(CHOSEN)
    user.save()
    imported(second)
    assert not signs_in(CHOSEN)


def test_a_password_chosen_with_a_reset_link_and_open_links_also_stop_working(first: Cast, second: Cast) -> None:
    member = imported(first)
    password_reset(token=reset_link_create(membership=member, by=first.staff).token, password=CHOSEN)
    kept = reset_link_create(membership=member, by=first.staff)
    mailed = reset_link_mail(user=member.user)
    imported(second)
    assert not signs_in(CHOSEN)
    for made in (kept, mailed):
        with pytest.raises(Refused):
            reset_link_of(made.token)


def test_so_does_one_of_an_account_whose_address_they_changed(first: Cast, second: Cast) -> None:
    user = first.student("ada")
    user.set_password(CHOSEN)
    user.save()
    given = {"first_name": "", "last_name": "", "email": "mallory@example.org"}
    account_correct(membership=first.membership("ada"), by=first.staff, **given)
    member_add(course=second.course, user=user, by=second.staff)
    assert not signs_in(CHOSEN)


def test_they_cannot_give_another_afterwards(first: Cast, second: Cast) -> None:
    member = imported(first)
    imported(second)
    with pytest.raises(Refused):
        reset_link_create(membership=member, by=first.staff)
    assert "ada" not in handed(first) | handed(second)
    member_remove(membership=Membership.objects.get(course=second.course, user=member.user), by=second.staff)
    assert "ada" not in handed(first)


@pytest.mark.parametrize("role", list(Role))
def test_whoever_is_added_and_as_whatever(first: Cast, second: Cast, role: Role) -> None:
    imported(first)
    password = first_password(first)
    added = member_add_by_login(course=second.course, login="ada@example.org", by=second.staff, role=role, section=None)
    assert added.ended_password and not signs_in(password)


def test_an_operator_who_gives_a_course_to_the_account(first: Cast) -> None:
    user = imported(first).user
    password = first_password(first)
    course_create(slug="third", title="Third", by=OPERATOR, owner=user)
    assert not signs_in(password)


def test_an_open_invitation_that_they_accept_for_the_person(first: Cast, second: Cast) -> None:
    user = imported(first).user
    password = first_password(first)
    token = invitation_create(course=second.course, by=second.staff, days=7, uses=5).token
    assert invitation_offer(token, user).ends_password
    invitation_accept(token=token, user=user)
    assert not signs_in(password)


def test_a_roster_with_a_different_address_is_refused(first: Cast, second: Cast) -> None:
    """Otherwise, reset links would be sent to the address chosen by the first course."""
    imported(first, "login,email\nada,mallory@example.org\n")
    (row,) = roster_preview(LIST.encode(), second.course).rows
    assert (row.status, row.message) == (RowStatus.BAD, OTHER_EMAIL_ADDRESS)


# -- unaffected accounts


def test_where_the_same_people_are_staff_nothing_ends(first: Cast, second: Cast) -> None:
    imported(first)
    password = first_password(first)
    second.course.memberships.filter(user=second.owner).update(user=first.owner)
    second.staff.refresh_from_db()
    imported(second)
    assert signs_in(password)


def test_former_staff_of_the_first_course_still_know_it(first: Cast, second: Cast) -> None:
    imported(first)
    password = first_password(first)
    gone = first.membership("ines")
    gone.role = Role.INSTRUCTOR
    gone.save()
    member_remove(membership=gone, by=first.staff)
    second.course.memberships.filter(user=second.owner).update(user=first.owner)
    second.staff.refresh_from_db()
    imported(second)
    assert not signs_in(password)


def test_it_ends_once(first: Cast, second: Cast) -> None:
    user = imported(first).user
    imported(second)
    password_reset(token=reset_link_mail(user=User.objects.get(pk=user.pk)).token, password=CHOSEN)
    imported(Cast(slug="third", exercise="value-unary"))
    assert signs_in(CHOSEN)


def test_who_registered_alone_or_makes_a_course_keeps_the_password(first: Cast, second: Cast) -> None:
    own = User.objects.create_user("ada", "ada@example.org", CHOSEN, registered_by_link=True)
    member_add(course=first.course, user=own, by=first.staff)
    imported(second)
    assert signs_in(CHOSEN)
    User.objects.filter(pk=own.pk).update(is_staff=True, access_given_in=first.course)
    course_create(slug="own", title="Own", by=User.objects.get(pk=own.pk), owner=own)
    assert signs_in(CHOSEN)


def test_an_operator_makes_first_passwords_for_those_whose_password_ended(
    first: Cast, second: Cast, shell: Shell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    imported(first)
    Client().login(username="ada", password=first_password(first))
    imported(second)
    path = tmp_path_factory.mktemp("passwords") / "passwords.csv"
    shell("first_passwords", second.course.slug, "-o", str(path))
    password = next(line for line in path.read_text().splitlines() if ",ada," in line).rpartition(",")[2]
    assert signs_in(password)


# -- notifications


def test_the_second_course_and_the_person_are_told(first: Cast, second: Cast, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    imported(first)
    (row,) = roster_preview(LIST.encode(), second.course).rows
    assert "it stops working" in row.message
    member = imported(second)
    entry = AuditEntry.objects.get(action="password-ended")
    assert (entry.course, entry.membership) == (second.course, member)
    told = OutgoingMail.objects.get(subject="Choose a new password")
    assert told.to == "ada@example.org" and "Forgot password?" in told.body
    assert not ResetLink.objects.exists()


def test_accounts_from_before_are_those_of_their_only_course(first: Cast, second: Cast) -> None:
    _, _, ines = (first.student(name) for name in ("ada", "ben", "ines"))
    second.student("ben")
    Membership.objects.filter(user=ines).update(role=Role.INSTRUCTOR)
    alone = first.student("alone")
    User.objects.filter(pk=alone.pk).update(registered_by_link=True)
    importlib.import_module("autograder.courses.migrations.0012_access_of_accounts").name_courses(
        apps, connection.schema_editor()
    )
    marked = User.objects.filter(access_given_in__isnull=False).values_list("username", "access_given_in")
    assert list(marked) == [("ada", first.course.pk)]
