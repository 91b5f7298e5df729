"""Members from the LMS: what a refresh would change, and that it changes exactly what was shown."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Course, Membership, Role, User
from autograder.courses.people.members import member_add, member_remove
from autograder.lti.launch.contexts import context_disconnect
from autograder.lti.models import Context, Deployment, Enrolment, LmsAccount
from autograder.lti.roster import RosterPreview, RosterRow, RowKind, roster_preview
from autograder.lti.roster_refresh import Refreshed, roster_apply
from tests.cast import Cast
from tests.lti.conftest import Connect, Lms
from tests.lti.platform import CANVAS
from tests.lti.registered import key_set_served
from tests.web.conftest import browser_of, words

MEMBERS = ".*(memberships|names_and_roles)"
EVERYTHING = frozenset(RowKind)


@pytest.fixture
def school(connected: Lms) -> Iterator[Lms]:
    """A connected LMS that lists its members: Grace teaches and Ada is a student there."""
    with key_set_served() as url:
        connected.platform.tools[connected.registration.client_id].key_set_url = url
        connected.launch(Client(), connected.link(), connected.instructor)
        yield connected


def preview_of(cast: Cast) -> RosterPreview:
    return roster_preview(course=cast.course, by=cast.staff)


def applied(cast: Cast, preview: RosterPreview, kinds: frozenset[RowKind] = EVERYTHING) -> Refreshed:
    return roster_apply(course=cast.course, rows=preview.rows, kinds=kinds, by=cast.staff)


def refreshed(cast: Cast) -> Refreshed:
    return applied(cast, preview_of(cast))


def shown(preview: RosterPreview) -> dict[str, tuple[str, str]]:
    return {row.name: (str(row.kind), row.words) for row in preview.rows}


def account(lms: Lms, name: str) -> User:
    return LmsAccount.objects.get(issuer=lms.registration.issuer, sub=lms.people[name].sub).user


def member(cast: Cast, lms: Lms, name: str) -> Membership:
    return Membership.objects.select_related("section", "user").get(course=cast.course, user=account(lms, name))


# -- newcomers -------------------------------------------------------------------------------------------------------------


def test_a_preview_stores_nothing_but_when_the_list_was_read(school: Lms, cast: Cast) -> None:
    before = (User.objects.count(), Membership.objects.count(), LmsAccount.objects.count())
    assert shown(preview_of(cast)) == {"Ada Lovelace": ("new", "will get an account")}
    assert (User.objects.count(), Membership.objects.count(), LmsAccount.objects.count()) == before
    assert Context.objects.get(course=cast.course).roster_at is not None


def test_new_people_get_an_account_and_their_role(school: Lms, cast: Cast) -> None:
    school.person("tina", "TeachingAssistant")
    assert refreshed(cast) == Refreshed(added=2)
    tina = member(cast, school, "tina")
    assert (tina.role, tina.user.get_full_name(), tina.user.email) == (Role.ASSISTANT, "Tina Example", "")
    assert not tina.user.has_usable_password()
    assert preview_of(cast).rows == ()


def test_somebody_from_the_list_arrives_in_that_account(school: Lms, cast: Cast) -> None:
    school.person("tina", "Learner")
    refreshed(cast)
    school.launch(Client(), school.link(), school.people["tina"])
    assert User.objects.filter(first_name="Tina").count() == 1


def test_an_account_from_another_course_is_used(school: Lms, cast: Cast) -> None:
    elsewhere = Cast(slug="elsewhere", exercise="value-unary")
    other = school.platform.add_context("Other")
    school.deployment.contexts.create(context_id=other.id, course=elsewhere.course)
    tina = school.person("tina", "Learner")
    school.platform.enrol(other, tina)
    school.launch(Client(), school.platform.add_link(other, "Link"), tina)
    assert shown(preview_of(cast))["Tina Example"] == ("new", "has the account tina.example")
    refreshed(cast)
    assert member(cast, school, "tina").role == Role.STUDENT


def test_nobody_gets_a_second_account_for_their_address(school: Lms, cast: Cast) -> None:
    User.objects.create_user("tina", "TINA.example@school.example", "secret")
    school.person("tina", "Learner")
    kind, why = shown(preview_of(cast))["Tina Example"]
    assert kind == "bad"
    assert "belongs to somebody with an account here" in why
    assert refreshed(cast) == Refreshed(added=1)
    assert not LmsAccount.objects.filter(sub=school.people["tina"].sub).exists()


@pytest.mark.parametrize(("role", "words"), [("Mentor", "takes no part"), ("TestUser", "test student")])
def test_people_who_take_no_part_are_not_added(school: Lms, cast: Cast, role: str, words: str) -> None:
    school.person("max", role)
    kind, why = shown(preview_of(cast))["Max Example"]
    assert (kind, words in why) == ("bad", True)
    refreshed(cast)
    assert not User.objects.filter(first_name="Max").exists()


def test_somebody_inactive_is_not_added(school: Lms, cast: Cast) -> None:
    school.platform.flavour = CANVAS  # lists inactive people
    school.context.members[school.student.sub].status = "Inactive"
    assert preview_of(cast).rows == ()


def test_a_deactivated_account_is_not_added(school: Lms, cast: Cast) -> None:
    user = User.objects.create_user("gone", is_active=False)
    tina = school.person("tina", "Learner")
    LmsAccount.objects.create(issuer=school.registration.issuer, sub=tina.sub, user=user, registration=school.registration)
    assert shown(preview_of(cast))["Tina Example"][0] == "bad"


def test_a_name_that_cannot_be_stored_is_left_out(school: Lms, cast: Cast) -> None:
    tina = school.person("tina", "Learner")
    tina.given_name, tina.family_name = "=cmd()", "\u202eevil"
    refreshed(cast)
    assert member(cast, school, "tina").user.get_full_name() == ""


# -- changes ---------------------------------------------------------------------------------------------------------------


def test_a_higher_role_is_given_and_a_lower_one_only_if_chosen(school: Lms, cast: Cast) -> None:
    school.person("up", "Learner")
    school.person("down", "Instructor")
    refreshed(cast)
    school.context.members[school.people["up"].sub].roles = ["Instructor"]
    school.context.members[school.people["down"].sub].roles = ["Learner"]
    preview = preview_of(cast)
    assert shown(preview) == {
        "Up Example": ("changed", "Student → Instructor"),
        "Down Example": ("lowered", "Instructor → Student"),
    }
    assert applied(cast, preview, frozenset({RowKind.CHANGED})) == Refreshed(changed=1)
    assert member(cast, school, "up").role == Role.INSTRUCTOR
    assert member(cast, school, "down").role == Role.INSTRUCTOR
    assert refreshed(cast) == Refreshed(changed=1)
    assert member(cast, school, "down").role == Role.STUDENT


def test_a_role_that_changed_since_the_preview_is_left_as_it_is(school: Lms, cast: Cast) -> None:
    school.person("tina", "Learner")
    refreshed(cast)
    school.context.members[school.people["tina"].sub].roles = ["Instructor"]
    preview = preview_of(cast)
    Membership.objects.filter(user=account(school, "tina")).update(role=Role.ASSISTANT)
    assert applied(cast, preview) == Refreshed(skipped=1)
    assert member(cast, school, "tina").role == Role.ASSISTANT


def test_an_owner_is_never_changed(school: Lms, cast: Cast) -> None:
    school.person("tina", "Learner")
    refreshed(cast)
    Membership.objects.filter(user=account(school, "tina")).update(role=Role.OWNER)
    school.people["tina"].family_name = "Married"
    assert preview_of(cast).rows == ()
    del school.context.members[school.people["tina"].sub]
    assert preview_of(cast).rows == ()
    row = RosterRow(RowKind.LEFT, "Tina", before="owner", membership=member(cast, school, "tina").pk)
    assert roster_apply(course=cast.course, rows=[row], kinds=EVERYTHING, by=cast.staff) == Refreshed(skipped=1)


def test_a_new_name_is_taken_over_from_the_lms_alone(school: Lms, cast: Cast) -> None:
    for name in ("tina", "paul"):
        school.person(name, "Learner")
    refreshed(cast)
    paul = account(school, "paul")
    paul.set_password("secret")
    paul.save()
    for name in ("tina", "paul"):
        school.people[name].family_name = "Married"
    assert shown(preview_of(cast)) == {"Tina Married": ("changed", "was Tina Example")}
    refreshed(cast)
    assert account(school, "tina").get_full_name() == "Tina Married"
    assert account(school, "paul").get_full_name() == "Paul Example"
    entry = AuditEntry.objects.get(action="account-corrected")
    assert entry.details["changes"] == {"last_name": ["Example", "Married"]}


def test_sections_are_created_and_followed(school: Lms, connect: Connect, cast: Cast) -> None:
    lms = connect(CANVAS, custom={"gradus_sections": "$com.instructure.User.sectionNames"}, name="Canvas")
    lms.deployment.contexts.create(context_id=lms.context.id, course=cast.course)
    lms.platform.tools[lms.registration.client_id].key_set_url = school.platform.tools[
        school.registration.client_id
    ].key_set_url
    lms.launch(Client(), lms.link(), lms.instructor)
    lms.person("tina", "Learner")
    lms.context.members[lms.people["tina"].sub].sections = ["Monday"]
    refreshed(cast)
    tina = member(cast, lms, "tina")
    assert tina.section is not None
    assert tina.section.name == "Monday"
    lms.context.members[lms.people["tina"].sub].sections = ["Tuesday"]
    assert shown(preview_of(cast))["Tina Example"] == ("changed", "section Monday → Tuesday")
    refreshed(cast)
    lms.context.members[lms.people["tina"].sub].sections = []
    assert preview_of(cast).rows == (), "an LMS that says nothing changes nothing"
    lms.context.members[lms.people["tina"].sub].sections = ["=formula()"]
    assert preview_of(cast).rows == (), "a name that cannot be stored is ignored"
    assert sorted(cast.course.sections.values_list("name", flat=True)) == ["Monday", "Tuesday"]


# -- leaving ---------------------------------------------------------------------------------------------------------------


def test_people_who_left_are_removed_and_come_back_with_their_work(school: Lms, cast: Cast) -> None:
    tina = school.person("tina", "Learner")
    school.launch(Client(), school.link(), tina)
    submission = cast.hands_in(account(school, "tina").username)
    listed = school.context.members.pop(tina.sub)
    assert shown(preview_of(cast))["Tina Example"] == ("left", "Student")
    assert refreshed(cast).removed == 1
    removed = member(cast, school, "tina")
    assert removed.removed_at is not None
    assert submission.membership_id == removed.pk
    school.context.members[tina.sub] = listed
    assert shown(preview_of(cast))["Tina Example"] == ("new", "will be restored")
    refreshed(cast)
    assert member(cast, school, "tina").removed_at is None


def test_people_who_were_added_here_by_hand_stay(school: Lms, cast: Cast) -> None:
    tina = school.person("tina", "Learner")
    user = User.objects.create_user("tina")
    LmsAccount.objects.create(issuer=school.registration.issuer, sub=tina.sub, user=user, registration=school.registration)
    member_add(course=cast.course, user=user, by=cast.staff)
    school.launch(Client(), school.link(), tina)
    cast.student("byhand")
    del school.context.members[tina.sub]
    assert preview_of(cast).of_kind(RowKind.LEFT) == []


def test_somebody_in_another_course_of_the_lms_stays(school: Lms, cast: Cast) -> None:
    other = school.platform.add_context("Group B")
    school.deployment.contexts.create(context_id=other.id, course=cast.course, memberships_url="")
    tina = school.person("tina", "Learner")
    school.platform.enrol(other, tina, "TeachingAssistant")
    school.platform.enrol(other, school.instructor, "Instructor")
    school.launch(Client(), school.platform.add_link(other, "Link"), school.instructor)
    refreshed(cast)
    assert member(cast, school, "tina").role == Role.ASSISTANT, "the higher role counts"
    del school.context.members[tina.sub]
    assert preview_of(cast).of_kind(RowKind.LEFT) == []
    del other.members[tina.sub]
    assert [row.name for row in preview_of(cast).of_kind(RowKind.LEFT)] == ["Tina Example"]


def test_nobody_leaves_a_course_whose_list_cannot_be_read(school: Lms, cast: Cast) -> None:
    tina = school.person("tina", "Learner")
    school.launch(Client(), school.link(), tina)
    del school.context.members[tina.sub]
    school.platform.fail(MEMBERS, 503)
    preview = preview_of(cast)
    assert preview.rows == ()
    ((context, why),) = preview.troubles
    assert (context.course, "Try again in a minute" in why) == (cast.course, True)


def test_a_list_that_breaks_off_removes_nobody(school: Lms, cast: Cast) -> None:
    school.platform.page_size = 1
    tina = school.person("tina", "Learner")
    school.launch(Client(), school.link(), tina)
    school.platform.fail(MEMBERS, 200, '{"members": []}', headers={"Link": '</nowhere>; rel="next"'})
    preview = preview_of(cast)
    assert preview.of_kind(RowKind.LEFT) == []
    assert len(preview.troubles) == 1


def test_who_refreshes_stays(school: Lms, cast: Cast) -> None:
    grace = Membership.objects.get(course=cast.course, user__first_name="Grace")
    del school.context.members[school.instructor.sub]
    assert [row.name for row in preview_of(cast).of_kind(RowKind.LEFT)] == ["Grace Hopper"]
    preview = roster_preview(course=cast.course, by=grace)
    assert preview.of_kind(RowKind.LEFT) == []
    rows = preview_of(cast).rows
    assert roster_apply(course=cast.course, rows=rows, kinds=frozenset({RowKind.LEFT}), by=grace) == Refreshed(skipped=1)


def test_a_former_owner_is_not_restored(school: Lms, cast: Cast) -> None:
    school.person("tina", "Instructor")
    refreshed(cast)
    tina = member(cast, school, "tina")
    Membership.objects.filter(pk=tina.pk).update(role=Role.OWNER)
    member_remove(membership=tina, by=cast.staff)
    kind, why = shown(preview_of(cast))["Tina Example"]
    assert (kind, "was an owner" in why) == ("bad", True)


def test_after_disconnecting_the_lms_removes_nobody(school: Lms, cast: Cast) -> None:
    school.launch(Client(), school.link(), school.student)
    context = Context.objects.get(course=cast.course)
    context_disconnect(context=context, by=cast.staff)
    assert Enrolment.objects.count() == 0


# -- rights, and all or nothing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_only_those_who_manage_people_read_the_list_or_apply_it(school: Lms, cast: Cast, role: Role) -> None:
    rows = preview_of(cast).rows
    acting = cast.membership("sam")
    acting.role = role
    acting.save()
    reads = len(school.platform.requests)
    with pytest.raises(Refused, match="You may not change who is in this course"):
        roster_preview(course=cast.course, by=acting)
    assert len(school.platform.requests) == reads
    with pytest.raises(Refused, match="You may not change who is in this course"):
        roster_apply(course=cast.course, rows=rows, kinds=EVERYTHING, by=acting)


def test_a_row_about_a_member_of_another_course_does_nothing(school: Lms, cast: Cast) -> None:
    other = Cast(slug="elsewhere", exercise="value-unary").membership("bob")
    row = RosterRow(RowKind.LEFT, "Bob", before="student", membership=other.pk)
    assert roster_apply(course=cast.course, rows=[row], kinds=EVERYTHING, by=cast.staff) == Refreshed(skipped=1)
    other.refresh_from_db()
    assert other.removed_at is None


def test_an_error_in_the_middle_changes_nothing(school: Lms, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tina", "paul"):
        school.person(name, "Learner")
    preview = preview_of(cast)
    bad = RosterRow(RowKind.NEW, "x", issuer=school.registration.issuer, sub="x", role="emperor", contexts=(1,))
    contexts = preview.rows[0].contexts
    rows = [*preview.rows, RosterRow(**{**_fields(bad), "contexts": contexts})]
    users = User.objects.count()
    with pytest.raises(Refused, match="no role 'emperor'"):
        roster_apply(course=cast.course, rows=rows, kinds=EVERYTHING, by=cast.staff)
    assert User.objects.count() == users


def _fields(row: RosterRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def test_the_history_has_the_refresh_with_its_parts(school: Lms, cast: Cast) -> None:
    refreshed(cast)
    whole = AuditEntry.objects.get(action="lms-roster-applied")
    assert whole.actor == cast.owner
    assert sorted(AuditEntry.objects.filter(part_of=whole).values_list("action", flat=True)) == [
        "account-created",
        "member-added",
    ]


# -- the page --------------------------------------------------------------------------------------------------------------


def page(course: Course) -> str:
    return f"/t/{course.slug}/lms/roster/"


def read(client: Client, course: Course) -> tuple[str, str]:
    """Press Preview, and return the words of the page and the signed rows in it."""
    html = client.post(page(course), {"act": "read"}).content.decode()
    kept = html.partition('name="kept" value="')[2].partition('"')[0]
    return words(html), kept


def test_an_instructor_previews_and_applies_the_list(school: Lms, cast: Cast) -> None:
    client = browser_of(cast.owner)
    assert f'href="{page(cast.course)}"' in client.get(f"/t/{cast.course.slug}/people/").content.decode()
    assert "never read" in words(client.get(page(cast.course)).content.decode())
    text, kept = read(client, cast.course)
    assert "1 new" in text
    assert "Ada Lovelace" in text
    assert "Nothing has been changed yet" in text
    response = client.post(page(cast.course), {"act": "apply", "kept": kept, "kind": ["new"]}, follow=True)
    assert "From the LMS: 1 added, 0 changed, 0 removed." in words(response.content.decode())
    assert "last read" in words(client.get(page(cast.course)).content.decode())
    assert "There is nothing to change." in read(client, cast.course)[0]


def test_what_is_not_ticked_is_not_applied(school: Lms, cast: Cast) -> None:
    client = browser_of(cast.owner)
    kept = read(client, cast.course)[1]
    for kinds in ([], ["left"], ["bad"]):
        client.post(page(cast.course), {"act": "apply", "kept": kept, "kind": kinds})
    assert not User.objects.filter(first_name="Ada").exists()


def test_the_list_is_applied_as_it_was_shown(school: Lms, cast: Cast) -> None:
    client = browser_of(cast.owner)
    kept = read(client, cast.course)[1]
    school.person("late", "Instructor")
    client.post(page(cast.course), {"act": "apply", "kept": kept, "kind": ["new"]})
    assert User.objects.filter(first_name="Ada").exists()
    assert not User.objects.filter(first_name="Late").exists()


def test_the_preview_of_somebody_else_or_a_changed_one_is_refused(school: Lms, cast: Cast) -> None:
    kept = read(browser_of(cast.owner), cast.course)[1]
    grace = User.objects.get(first_name="Grace")
    for client, sent in ((browser_of(grace), kept), (browser_of(cast.owner), kept[:-2] + "xx")):
        data = {"act": "apply", "kept": sent, "kind": ["new"]}
        response = client.post(page(cast.course), data, follow=True)
        assert "Read the list again." in words(response.content.decode())
    assert not User.objects.filter(first_name="Ada").exists()


def test_trouble_is_said_on_the_page(school: Lms, cast: Cast) -> None:
    school.platform.fail(MEMBERS, 403)
    text = read(browser_of(cast.owner), cast.course)[0]
    assert "Autodiff 101 could not be read. The LMS does not let Gradus read its list of members" in text
    assert "There is nothing to change." not in text


def test_a_course_without_an_lms_says_so(cast: Cast) -> None:
    client = browser_of(cast.owner)
    assert "No course of an LMS is connected" in words(client.get(page(cast.course)).content.decode())
    assert "lms/roster" not in client.get(f"/t/{cast.course.slug}/people/").content.decode()


def test_a_thousand_members_fit_into_a_preview(school: Lms, cast: Cast) -> None:
    for number in range(1000):
        school.person(f"person{number}", "Learner")
    text, kept = read(browser_of(cast.owner), cast.course)
    assert "1001 new" in text
    assert 1000 < len(kept) < 500_000


def test_deployments_of_other_schools_are_not_asked(school: Lms, cast: Cast, connect: Connect) -> None:
    other = connect(name="Elsewhere")
    assert Deployment.objects.count() == 2
    preview_of(cast)
    assert other.platform.requests == []
