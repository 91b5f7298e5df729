"""First passwords: only for accounts without one, once, and never for users who can already sign in."""

import csv
import io
import stat
import time
from math import log2
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.test import Client
from django.urls import reverse

from autograder.courses.accounts.first_passwords import (
    LETTERS,
    first_passwords_create,
    first_passwords_csv,
    with_first_password,
)
from autograder.courses.accounts.reset_links import password_reset, reset_link_create
from autograder.courses.models import AuditEntry, Membership, User
from autograder.courses.rights import OPERATOR
from autograder.courses.selectors import member_of
from tests.cast import Cast, ago
from tests.commands import Shell

pytestmark = pytest.mark.django_db
NEW = "the gradient flows back"


@pytest.fixture
def cast() -> Cast:
    return with_owner_who_signs_in(Cast())


def with_owner_who_signs_in(cast: Cast) -> Cast:
    cast.owner.set_password("has one")
    cast.owner.save()
    return cast


def without_password(cast: Cast, name: str) -> User:
    user = cast.student(name)
    user.set_unusable_password()
    user.save()
    return user


def test_whoever_has_none_gets_one_that_opens_the_door(cast: Cast) -> None:
    without_password(cast, "ada")
    (handed,) = [
        one for one in first_passwords_create(course=cast.course, by=OPERATOR) if one.membership.user.username == "ada"
    ]
    assert Client().login(username="ada", password=handed.password)
    assert AuditEntry.objects.filter(action="first-passwords").exists()


def test_whoever_has_one_or_signed_in_once_is_left_alone(cast: Cast) -> None:
    ben, cy = without_password(cast, "ben"), without_password(cast, "cy")
    ben.set_password("mine")
    ben.save()
    cy.last_login = ago(days=1)
    cy.save()
    names = {one.membership.user.username for one in first_passwords_create(course=cast.course, by=OPERATOR)}
    assert not {"ben", "cy"} & names
    assert Client().login(username="ben", password="mine")


def test_a_second_time_nobody_gets_another(cast: Cast) -> None:
    without_password(cast, "ada")
    first = first_passwords_create(course=cast.course, by=OPERATOR)
    assert first
    assert first_passwords_create(course=cast.course, by=OPERATOR) == []


def test_only_members_of_this_course(cast: Cast) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary")
    without_password(other, "mallory")
    assert "mallory" not in {one.membership.user.username for one in first_passwords_create(course=cast.course, by=OPERATOR)}


def handed_by(cast: Cast, by: User) -> set[str]:
    return {
        one.membership.user.username for one in first_passwords_create(course=cast.course, by=member_of(by, cast.course))
    }


def test_an_owner_gives_none_to_accounts_of_other_peoples_courses(cast: Cast) -> None:
    """The owner could sign in to the other course as these users."""
    for name in ("ada", "ben"):
        without_password(cast, name)
    other = with_owner_who_signs_in(Cast(slug="elsewhere", exercise="value-unary"))
    other.student("ada")
    assert handed_by(cast, cast.owner) == {"ben"}
    assert handed_by(other, other.owner) == set()
    other.course.memberships.filter(user=other.owner).update(user=cast.owner)
    assert handed_by(cast, cast.owner) == {"ada"}


@pytest.mark.parametrize("power", ["is_staff", "is_superuser"])
def test_an_owner_gives_none_to_the_sites_staff(cast: Cast, power: str) -> None:
    operator = without_password(cast, "operator")
    setattr(operator, power, True)
    operator.save()
    assert handed_by(cast, cast.owner) == set()
    assert [one.membership.user for one in first_passwords_create(course=cast.course, by=OPERATOR)] == [operator]


def test_the_first_sign_in_hashes_it_like_any_other(cast: Cast) -> None:
    ada = without_password(cast, "ada")
    (handed,) = first_passwords_create(course=cast.course, by=cast.staff)
    ada.refresh_from_db()
    assert get_hasher().must_update(ada.password)
    assert Client().login(username="ada", password=handed.password)
    ada.refresh_from_db()
    assert not get_hasher().must_update(ada.password)


def test_what_is_stored_is_harder_to_guess_than_a_good_password_of_ones_own(cast: Cast) -> None:
    """Random bits plus the cost of an attempt in bits. 60 and 20 would be high for a password that a user chooses."""
    ada = without_password(cast, "ada")
    (handed,) = first_passwords_create(course=cast.course, by=cast.staff)
    ada.refresh_from_db()
    algorithm, rounds, salt, _ = ada.password.split("$")
    assert algorithm == "pbkdf2_sha256"
    assert len(salt) >= 22
    assert len(set(LETTERS)) == len(LETTERS)
    assert set(handed.password) <= set(LETTERS)
    assert len(handed.password) * log2(len(LETTERS)) + log2(int(rounds)) > 90


def test_three_thousand_passwords_cost_less_than_five_that_are_chosen(cast: Cast) -> None:
    """A chosen password is hashed with as many rounds as it needs; a random one needs few."""
    users = User.objects.bulk_create([User(username=f"s{n}", password="!none") for n in range(3000)])
    Membership.objects.bulk_create([Membership(course=cast.course, user=user) for user in users])
    began = time.process_time()
    handed = first_passwords_create(course=cast.course, by=cast.staff)
    first_passwords_csv(handed)
    made = time.process_time()
    for _ in range(5):
        PBKDF2PasswordHasher().encode("chosen", "s" * 22)
    assert len(handed) == 3000
    assert made - began < time.process_time() - made


def test_a_name_is_no_formula_in_the_list(cast: Cast) -> None:
    User.objects.filter(pk=without_password(cast, "ada").pk).update(first_name="=HYPERLINK(1)")
    (row,) = csv.DictReader(
        io.StringIO(first_passwords_csv(first_passwords_create(course=cast.course, by=cast.staff)).decode("utf-8-sig"))
    )
    assert (row["login"], row["name"]) == ("ada", "'=HYPERLINK(1)")


def test_the_command_writes_a_file_that_only_its_maker_reads(cast: Cast, shell: Shell, tmp_path: Path) -> None:
    without_password(cast, "ada")
    path = tmp_path / "passwords.csv"
    outcome = shell("first_passwords", cast.course.slug, "-o", str(path))
    assert "Hand them out" in outcome.out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    rows = {row["login"]: row["password"] for row in csv.DictReader(path.open())}
    assert Client().login(username="ada", password=rows["ada"])


def test_a_file_that_is_there_is_not_written_over(cast: Cast, shell: Shell, tmp_path: Path) -> None:
    ada = without_password(cast, "ada")
    path = tmp_path / "passwords.csv"
    path.write_text("mine")
    outcome = shell("first_passwords", cast.course.slug, "-o", str(path))
    assert outcome.status == 1
    assert "No passwords were set" in outcome.error
    ada.refresh_from_db()
    assert not ada.has_usable_password()


def test_until_another_one_is_chosen_its_owner_is_asked_to(cast: Cast) -> None:
    without_password(cast, "ada")
    handed = first_passwords_create(course=cast.course, by=OPERATOR)
    ada = next(one for one in handed if one.membership.user.username == "ada")
    asks = "You still use the password that you were given"
    browser, home = Client(), f"/c/{cast.course.slug}/"
    assert browser.login(username="ada", password=ada.password)
    assert asks in browser.get(home).content.decode()
    people = Client()
    people.force_login(cast.owner)
    listed = f"/t/{cast.course.slug}/people/"
    assert f"{len(handed)} of the people here still use" in " ".join(people.get(listed).content.decode().split())

    new = {"old_password": ada.password, "new_password1": NEW, "new_password2": NEW}
    assert browser.post(reverse("password"), new).status_code == 302
    assert asks not in browser.get(home).content.decode()
    assert with_first_password(cast.course).count() == len(handed) - 1


def test_a_reset_link_ends_it_too(cast: Cast) -> None:
    user = without_password(cast, "ada")
    first_passwords_create(course=cast.course, by=OPERATOR)
    link = reset_link_create(membership=cast.membership("ada"), by=OPERATOR)
    password_reset(token=link.token, password=NEW)
    user.refresh_from_db()
    assert user.first_password_at is None
