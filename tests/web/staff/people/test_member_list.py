"""The people page: search, roles and sections, removal without loss of work, and invitations."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import AuditEntry, Invitation, Membership, Role, Section, User
from autograder.courses.people.extensions import extension_grant
from autograder.courses.people.members import member_details_update
from autograder.courses.rights import OPERATOR
from autograder.submissions.models import Submission
from autograder.web.timestamps import date_and_time
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, browser_of, member, page


def people(cast: Cast) -> str:
    return reverse("people", args=(cast.course.slug,))


def place(cast: Cast, name: str) -> str:
    return reverse("member", args=(cast.course.slug, cast.membership(name).pk))


def shown(browser: Client, cast: Cast, **query: str) -> set[str]:
    """Return the logins in the table."""
    response = browser.get(people(cast), query)
    assert response.status_code == 200
    return {one.user.username for one in response.context["page"]}


@pytest.fixture
def owner(cast: Cast, signed: Signed) -> Client:
    return signed(cast.owner.username)


@pytest.fixture
def ines(cast: Cast, signed: Signed) -> Client:
    member(cast, "ines", Role.INSTRUCTOR)
    return signed("ines")


# -- search


def test_people_are_found_by_role_section_and_name(cast: Cast, owner: Client) -> None:
    monday = Section.objects.create(course=cast.course, name="Monday")
    member(cast, "ada", Role.STUDENT, monday)
    member(cast, "ann", Role.ASSISTANT, monday)
    User.objects.filter(pk=cast.student("ben").pk).update(first_name="Benedikt", last_name="Ali")
    assert shown(owner, cast) == {"ada", "ann", "ben", "autodiff-grace"}
    assert shown(owner, cast, role="assistant") == {"ann"}
    assert shown(owner, cast, section=str(monday.pk)) == {"ada", "ann"}
    assert shown(owner, cast, section="none", role="student") == {"ben"}
    assert shown(owner, cast, q="ali bened") == {"ben"}


@pytest.mark.parametrize("query", [{"section": "²"}, {"role": "king"}, {"page": "9" * 40}, {"page": "x"}, {"q": "\0"}])
def test_what_makes_no_sense_in_an_address_is_not_asked_for(cast: Cast, owner: Client, query: dict[str, str]) -> None:
    assert shown(owner, cast, **query) == {"autodiff-grace"}


def test_a_hundred_stand_on_a_page(cast: Cast, owner: Client) -> None:
    users = User.objects.bulk_create(User(username=f"student{n:03}") for n in range(120))
    Membership.objects.bulk_create(Membership(course=cast.course, user=user) for user in users)
    assert (len(shown(owner, cast)), len(shown(owner, cast, page="2"))) == (100, 21)
    assert "?role=student&amp;page=2" in owner.get(people(cast), {"role": "student"}).content.decode()


# -- one member


def test_a_member_gets_role_section_and_ids_at_once(cast: Cast, owner: Client) -> None:
    monday = Section.objects.create(course=cast.course, name="Monday")
    sent = {"role": "assistant", "section": str(monday.pk), "lms_id": "17", "sis_id": "S-1"}
    owner.post(place(cast, "ada"), sent)
    found = cast.membership("ada")
    assert (found.role, found.section, found.lms_id, found.sis_id) == (Role.ASSISTANT, monday, "17", "S-1")
    assert set(AuditEntry.objects.values_list("action", flat=True)) == {"role-changed", "member-changed"}


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"lms_id": "17"}, "lms_id", "The LMS ID 17 belongs to ben."),
        ({"sis_id": "=1+1"}, "sis_id", "spreadsheets would treat it as a formula"),
        ({"role": "king"}, "role", "Select a valid choice"),
        ({"section": "999999"}, "section", "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_told_at_its_field_and_nothing_is_changed(
    cast: Cast, owner: Client, sent: dict[str, str], field: str, words: str
) -> None:
    member_details_update(membership=cast.membership("ben"), by=OPERATOR, section=None, lms_id="17", sis_id="")
    answer = owner.post(place(cast, "ada"), {"role": "instructor"} | sent).content.decode()
    _, _, after = answer.partition(f'id="id_{field}_error"')
    assert words in after.partition("</p>")[0]
    assert cast.membership("ada").role == Role.STUDENT


def test_the_last_owner_stays_one(cast: Cast, owner: Client) -> None:
    where = place(cast, cast.owner.username)
    assert "is the only owner of" in owner.post(where, {"role": "student"}).content.decode()
    assert "is the only owner of" in owner.post(where, {"act": "remove"}, follow=True).content.decode()


def test_an_instructor_can_neither_create_nor_change_an_owner(cast: Cast, ines: Client) -> None:
    words = "You may not manage this course."
    assert words in ines.post(place(cast, "ada"), {"role": "owner"}).content.decode()
    assert words in ines.post(place(cast, cast.owner.username), {"role": "student"}).content.decode()
    assert words in ines.post(place(cast, cast.owner.username), {"act": "remove"}, follow=True).content.decode()
    assert words in ines.post(people(cast), {"login": "ada", "role": "owner"}).content.decode()
    assert list(Membership.objects.filter(role=Role.OWNER).values_list("user__username", flat=True)) == ["autodiff-grace"]


def test_who_is_removed_keeps_the_work_and_comes_back_to_it(cast: Cast, ines: Client) -> None:
    member(cast, "ada", Role.STUDENT, Section.objects.create(course=cast.course, name="Monday"))
    cast.hands_in("ada")
    ines.post(place(cast, "ada"), {"act": "remove"})
    assert shown(ines, cast, role="student") == set()
    assert shown(ines, cast, gone="yes") == {"ada"}
    assert "Restore" in page(ines, place(cast, "ada"))
    ines.post(place(cast, "ada"), {"act": "back"})
    found = cast.membership("ada")
    assert (found.removed_at, found.section and found.section.name) == (None, "Monday")
    assert Submission.objects.filter(membership=found).count() == 1


def test_who_has_an_account_is_added_by_login(cast: Cast, owner: Client) -> None:
    User.objects.create_user("seppo")
    owner.post(people(cast), {"login": "Seppo", "role": "instructor"})
    assert Membership.objects.get(user__username="seppo").role == Role.INSTRUCTOR
    answer = owner.post(people(cast), {"login": "nobody", "role": "student"}).content.decode()
    assert 'id="id_login_error"' in answer


def test_an_unknown_address_gets_an_account_and_the_page_says_how_they_get_in(
    cast: Cast, owner: Client, ines: Client
) -> None:
    sent = {"login": "ada@example.edu", "name": "Ada Lovelace", "role": "student"}
    answer = owner.post(people(cast), sent, follow=True).content.decode()
    words = "The new account has no password yet. Create a reset link on this person&#x27;s page"
    assert f"Ada Lovelace was added to the course. {words} or select “Create first passwords” below." in answer
    assert "Create first passwords</button>" in answer
    sent = {"login": "ben@example.edu", "name": "", "role": "student"}
    answer = ines.post(people(cast), sent, follow=True).content.decode()
    assert f"{words}." in answer
    assert "Create reset link" in page(ines, place(cast, "ben@example.edu"))


def test_whose_name_cannot_be_is_told_at_the_name(cast: Cast, owner: Client) -> None:
    answer = owner.post(people(cast), {"login": "ada@example.edu", "name": "=1", "role": "student"}).content.decode()
    assert "as a formula" in answer.partition('id="id_name_error"')[2].partition("</p>")[0]
    assert not User.objects.filter(username="ada@example.edu").exists()


def test_who_registered_by_link_is_marked_everywhere(cast: Cast, owner: Client) -> None:
    User.objects.create_user("ada@x.org", "ada@x.org", registered_by_link=True)
    assert "registered by link" not in page(owner, people(cast))
    answer = owner.post(people(cast), {"login": "ada@x.org", "role": "student"}, follow=True).content.decode()
    assert "This account was registered by link: nobody has verified its email address. Make sure that" in answer
    assert '<span class="tag due">registered by link</span>' in page(owner, people(cast))
    assert "The email address has not been verified." in page(owner, place(cast, "ada@x.org"))


def test_whose_password_ended_is_told_until_there_is_a_new_one(cast: Cast, owner: Client) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary")
    eve = User.objects.create_user("eve", "eve@example.edu", "from elsewhere", access_given_in=other.course)
    told = owner.post(people(cast), {"login": "eve", "role": "student", "section": ""}, follow=True).content.decode()
    assert "Staff of another course gave access to this account, so its password no longer works." in told
    assert "This person cannot sign in." in page(owner, place(cast, "eve"))
    eve.refresh_from_db()
    eve.set_password("a new one of their own")
    eve.save()
    assert "This person cannot sign in." not in page(owner, place(cast, "eve"))


def test_extensions_of_a_member_are_listed_in_the_courses_zone(cast: Cast, owner: Client) -> None:
    extension_grant(
        assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff, reason="was ill",
        due_at=timezone.now().replace(year=2031, month=1, day=15, hour=22, minute=59),
    )  # fmt: skip
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    answer = page(owner, place(cast, "ada"))
    assert "was ill" in answer
    assert "Wed 15 Jan 2031, 23:59" in answer


def test_members_of_another_course_are_not_listed(cast: Cast, owner: Client) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary").membership("mallory")
    where = reverse("member", args=(cast.course.slug, other.pk))
    assert owner.get(where).status_code == 404
    assert owner.post(where, {"act": "remove"}).status_code == 404


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_who_does_not_instruct_has_none_of_these_pages(cast: Cast, signed: Signed, role: Role) -> None:
    member(cast, "ann", role)
    browser, slug = signed("ann"), cast.course.slug
    places = [people(cast), place(cast, "ann"), reverse("roster", args=(slug,)), reverse("invite", args=(slug,))]
    sent: dict[str, Any] = {"role": "instructor", "login": "ann", "days": "14", "act": "change"}
    for where in places:
        assert browser.get(where).status_code == 404
        assert browser.post(where, sent).status_code == 404
    assert cast.membership("ann").role == role


# -- first passwords


def passwords(cast: Cast) -> str:
    return reverse("first-passwords", args=(cast.course.slug,))


def test_an_owner_downloads_first_passwords_once(cast: Cast, owner: Client) -> None:
    cast.student("ada")
    assert "1 of the people here has no password" in page(owner, people(cast))
    response = owner.post(passwords(cast))
    assert response["Content-Disposition"] == 'attachment; filename="autodiff-first-passwords.csv"'
    assert "no-store" in response["Cache-Control"]
    (row,) = csv.DictReader(io.StringIO(response.content.decode("utf-8-sig")))
    assert Client().login(username="ada", password=row["password"])
    entry = AuditEntry.objects.get(action="first-passwords")
    assert (entry.actor, entry.details) == (cast.owner, {"accounts": 1})
    assert "Create first passwords" not in page(owner, people(cast))
    assert "no people left for whom you can create a password" in owner.post(passwords(cast), follow=True).content.decode()


def test_who_belongs_to_others_too_is_left_to_an_operator(cast: Cast, owner: Client) -> None:
    cast.student("ada")
    Cast(slug="elsewhere", exercise="value-unary").student("ada")
    html = page(owner, people(cast))
    assert "1 of the people here belongs to a course that is not yours" in html
    assert "Create first passwords" not in html


def test_an_instructor_is_not_offered_passwords(cast: Cast, ines: Client) -> None:
    cast.student("ada")
    assert "first-passwords" not in page(ines, people(cast))
    assert ines.post(passwords(cast)).status_code == 404
    assert not AuditEntry.objects.exists()


# -- invitations


def invite(cast: Cast, browser: Client, **sent: str) -> str:
    """Return the URL of a new link from the page."""
    where = reverse("invite", args=(cast.course.slug,))
    response = browser.post(where, {"act": "make", "role": "student", "days": "14"} | sent)
    link: str = response.context["link"]
    return link.removeprefix("http://testserver")


def test_a_link_is_shown_once_and_only_its_hash_is_kept(cast: Cast, ines: Client) -> None:
    link = invite(cast, ines)
    token = link.rstrip("/").rpartition("/")[2]
    assert token not in page(ines, reverse("invite", args=(cast.course.slug,)))
    assert token not in str(Invitation.objects.values())


def test_somebody_with_an_account_joins_where_the_link_says(cast: Cast, ines: Client) -> None:
    monday = Section.objects.create(course=cast.course, name="Monday")
    link = invite(cast, ines, section=str(monday.pk), uses="1")
    mallory = User.objects.create_user("mallory")
    assert "Join Autodiff" in page(browser_of(mallory), link)
    assert not Membership.objects.filter(user=mallory).exists(), "looking is not joining"
    assert browser_of(mallory).post(link)["Location"] == reverse("home", args=(cast.course.slug,))
    assert Membership.objects.get(user=mallory).section == monday
    assert "has reached its maximum number of uses" in page(browser_of(User.objects.create_user("late")), link, 410)


def test_who_is_not_signed_in_is_sent_there_and_back(cast: Cast, ines: Client) -> None:
    link = invite(cast, ines)
    answer = page(browser_of(None), link)
    assert f"/sign-in/?next={link}" in answer
    assert "You cannot create one with this link." in answer
    assert browser_of(None).post(link)["Location"] == f"/sign-in/?next={link}"


def test_a_revoked_link_is_not_good_any_more(cast: Cast, ines: Client) -> None:
    link = invite(cast, ines)
    number = str(Invitation.objects.get().pk)
    ines.post(reverse("invite", args=(cast.course.slug,)), {"act": "revoke", "invitation": number})
    assert browser_of(User.objects.create_user("mallory")).post(link).status_code == 410
    assert not Membership.objects.filter(user__username="mallory").exists()


def test_who_used_a_link_and_when_is_listed(cast: Cast, ines: Client) -> None:
    link, where = invite(cast, ines, uses="9"), reverse("invite", args=(cast.course.slug,))
    assert "no one" in page(ines, where)
    for name in ("eve", "rob"):
        browser_of(User.objects.create_user(name, last_name=name.title())).post(link)
    listed = page(ines, where)
    assert "<summary>2 people</summary>" in listed
    assert listed.index(">Rob<") < listed.index(">Eve<"), "the last one first"
    assert place(cast, "eve") in listed
    used = AuditEntry.objects.get(action="invitation-accepted", actor__username="eve").at
    assert date_and_time(used) in listed.partition(">Eve<")[2].partition("</li>")[0]
    assert "<td>7</td>" in listed


def test_a_link_for_one_person_and_an_open_one_say_what_they_are(cast: Cast, ines: Client) -> None:
    where = reverse("invite", args=(cast.course.slug,))
    sent = {"act": "make", "role": "student", "days": "14"}
    answer = ines.post(where, sent | {"email": "ada@example.edu"}).content.decode()
    assert "Only <bdi>ada@example.edu</bdi> can join with it, and only once." in answer
    answer = ines.post(where, sent | {"is_open": "on", "uses": "3", "domains": "example.edu"}).content.decode()
    assert "The site does not verify their email addresses." in answer
    listed = page(ines, where)
    assert '<span class="tag due">creates accounts</span>' in listed
    assert "addresses at example.edu" in listed


def test_a_link_of_another_course_cannot_be_revoked_here(cast: Cast, ines: Client) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary")
    foreign = Invitation.objects.create(
        course=other.course, token_hash="0" * 64, created_by=other.owner, expires_at=ahead(days=1)
    )
    sent = {"act": "revoke", "invitation": str(foreign.pk)}
    assert ines.post(reverse("invite", args=(cast.course.slug,)), sent).status_code == 404
    foreign.refresh_from_db()
    assert foreign.revoked_at is None


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        *(({"days": "181"}, "days"), ({"uses": "0"}, "uses"), ({"role": "owner"}, "role")),
        *(({"is_open": "on"}, "uses"), ({"email": "at home"}, "email"), ({"domains": "nowhere"}, "domains")),
        ({"is_open": "on", "uses": "2", "role": "assistant"}, "is_open"),
    ],
)
def test_a_link_that_cannot_be_is_told_at_its_field(cast: Cast, ines: Client, sent: dict[str, str], field: str) -> None:
    where = reverse("invite", args=(cast.course.slug,))
    answer = ines.post(where, {"act": "make", "role": "student", "days": "14"} | sent).content.decode()
    assert f'id="id_{field}_error"' in answer
    assert not Invitation.objects.exists()


def test_a_link_is_not_good_for_ever(cast: Cast, ines: Client) -> None:
    link = invite(cast, ines)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page(browser_of(User.objects.create_user("mallory")), link, 410)
