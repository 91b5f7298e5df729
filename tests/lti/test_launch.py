"""Launches: what is verified, who arrives, and where."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Course, Membership, Role
from autograder.courses.models import User as Account
from autograder.lti.models import Context, Deployment, Launch, LmsAccount, LoginState
from tests.cast import Cast
from tests.lti.conftest import SITE, Connect, Lms
from tests.lti.platform import CANVAS, TAMPERINGS

USABLE = {
    "several audiences with azp", "one audience in a list", "no roles", "empty roles", "short roles", "unknown roles", "no context",
}  # fmt: skip
NOTHING_CREATED = (Account, Membership, LmsAccount, Context, Launch)


def text_of(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined,no-any-return]


def test_a_student_arrives_signed_in_at_the_assignment_of_the_link(connected: Lms, cast: Cast, client: Client) -> None:
    link = connected.link(custom={"gradus_assignment": cast.assignment.slug})
    response = connected.launch(client, link, connected.student)
    assert response.status_code == 302
    assert response["Location"] == reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    member = Membership.objects.get(course=cast.course, role=Role.STUDENT)
    assert (member.user.get_full_name(), member.user.username) == ("Ada Lovelace", "ada.lovelace")
    assert client.get(response["Location"]).status_code == 200


def test_a_platform_may_begin_with_get(connected: Lms, client: Client) -> None:
    form, session = connected.platform.login_form(connected.link(), connected.student)
    response = client.get(form.action.removeprefix(SITE), form.fields)
    answer = connected.platform.authorize(response["Location"], session)
    assert client.post(answer.action.removeprefix(SITE), answer.fields).status_code == 302


def test_the_second_launch_opens_the_same_account(connected: Lms, client: Client) -> None:
    for _ in range(2):
        connected.launch(Client(), connected.link(), connected.student)
    assert LmsAccount.objects.count() == 1
    assert Account.objects.filter(username__startswith="ada").count() == 1


@pytest.mark.parametrize("how", sorted(set(TAMPERINGS) - USABLE))
def test_what_cannot_be_trusted_is_refused_and_creates_nothing(connected: Lms, client: Client, how: str) -> None:
    before = [model.objects.count() for model in NOTHING_CREATED]
    link = connected.link()
    connected.platform.tamper_next(how)
    response = connected.launch(client, link, connected.student)
    assert response.status_code in (403, 413), how
    assert "_auth_user_id" not in client.session
    assert [model.objects.count() for model in NOTHING_CREATED] == before


@pytest.mark.parametrize("how", sorted(USABLE - {"no context"}))
def test_what_is_unusual_but_right_opens_the_course(connected: Lms, cast: Cast, client: Client, how: str) -> None:
    connected.platform.tamper_next(how)
    response = connected.launch(client, connected.link(), connected.student)
    staff = how == "short roles"
    assert response["Location"] == reverse("overview" if staff else "home", args=(cast.course.slug,))


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_that_is_off_by_ten_minutes_is_said(connected: Lms, client: Client, minutes: int) -> None:
    def move(claims: dict[str, Any]) -> None:
        claims["iat"] += 60 * minutes
        claims["exp"] += 60 * minutes

    connected.platform.change_next(move)
    response = connected.launch(client, connected.link(), connected.student)
    assert response.status_code == 403
    assert "clocks" in text_of(response)


def test_a_clock_that_is_off_by_a_minute_is_forgiven(connected: Lms, client: Client) -> None:
    connected.platform.change_next(lambda claims: claims.update(iat=claims["iat"] + 60))
    assert connected.launch(client, connected.link(), connected.student).status_code == 302


def test_a_message_is_used_once(connected: Lms, client: Client) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    assert client.post("/lti/launch/", form.fields).status_code == 302
    other = Client()
    response = other.post("/lti/launch/", form.fields)
    assert response.status_code == 403
    assert "already used" in text_of(response)
    assert "_auth_user_id" not in other.session


def test_a_state_ends_after_ten_minutes(connected: Lms, client: Client) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    LoginState.objects.update(made_at=timezone.now() - LoginState.LIFETIME)
    assert client.post("/lti/launch/", form.fields).status_code == 403


def test_a_launch_that_another_browser_began_needs_a_press_of_a_button_that_names_the_person(
    connected: Lms, client: Client
) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    victim = Client()
    response = victim.post("/lti/launch/", form.fields)
    assert "Ada Lovelace" in text_of(response)
    assert "_auth_user_id" not in victim.session


def test_a_cookie_of_another_launch_is_refused(connected: Lms, client: Client) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    for name in list(client.cookies):
        client.cookies[name] = "forged"
    assert client.post("/lti/launch/", form.fields).status_code == 403


def test_without_a_cookie_the_launch_continues_once_in_a_window_of_its_own(connected: Lms, client: Client) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    page = Client().post("/lti/launch/", form.fields)
    assert "frame-ancestors *" in page["Content-Security-Policy"]
    code = text_of(page).partition('name="code" value="')[2].partition('"')[0]
    window = Client()
    assert window.post("/lti/continue/", {"code": code}).status_code == 302
    assert "_auth_user_id" in window.session
    assert Client().post("/lti/continue/", {"code": code}).status_code == 403


def test_a_session_in_a_frame_has_partitioned_cookies_and_may_be_embedded_by_its_lms_alone(
    connected: Lms, cast: Cast, client: Client
) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    response = client.post("/lti/launch/", form.fields, headers={"Sec-Fetch-Dest": "iframe"})
    cookie = response.cookies["sessionid"].OutputString()
    assert all(part in cookie for part in ("SameSite=None", "Secure", "Partitioned"))
    page = client.get(response["Location"])
    assert f"frame-ancestors 'self' {connected.platform.url};" in page["Content-Security-Policy"] + ";"
    assert "X-Frame-Options" not in page
    elsewhere = Client().get("/sign-in/")
    assert "frame-ancestors 'none'" in elsewhere["Content-Security-Policy"]


def test_a_session_in_a_window_stays_out_of_frames(connected: Lms, client: Client) -> None:
    response = connected.launch(client, connected.link(), connected.student)
    assert "SameSite=Lax" in response.cookies["sessionid"].OutputString()
    assert "frame-ancestors 'none'" in client.get(response["Location"])["Content-Security-Policy"]


def test_an_unknown_deployment_waits_for_approval(connected: Lms, client: Client) -> None:
    connected.platform.tamper_next("wrong deployment")
    response = connected.launch(client, connected.link(), connected.student)
    assert "not yet approved" in text_of(response)
    new = Deployment.objects.get(deployment_id="another-deployment")
    assert new.state == Deployment.State.WAITING


def test_an_inactive_registration_is_refused(connected: Lms, client: Client) -> None:
    form = connected.begin(client, connected.link(), connected.student)
    type(connected.registration).objects.update(active=False)
    assert client.post("/lti/launch/", form.fields).status_code == 403


def test_a_new_key_of_the_platform_is_fetched_and_a_withdrawn_one_ends(connected: Lms, client: Client) -> None:
    connected.launch(client, connected.link(), connected.student)
    connected.registration.refresh_from_db()
    old = set(connected.registration.key_set)
    connected.platform.rotate_key(keep_old=False)
    type(connected.registration).objects.update(key_set_at=timezone.now() - timedelta(minutes=5))
    assert connected.launch(Client(), connected.link(), connected.student).status_code == 302
    connected.registration.refresh_from_db()
    assert old.isdisjoint(connected.registration.key_set)


def test_unknown_keys_do_not_make_the_site_fetch_a_key_set_each_time(connected: Lms, client: Client) -> None:
    connected.launch(client, connected.link(), connected.student)
    fetched = len(connected.platform.requests_to("/jwks"))
    for _ in range(3):
        connected.platform.tamper_next("unknown kid")
        assert connected.launch(Client(), connected.link(), connected.student).status_code == 403
    assert len(connected.platform.requests_to("/jwks")) == fetched


def test_a_key_set_that_is_gone_is_said_to_the_person(connected: Lms, client: Client) -> None:
    connected.platform.key_set_gone = True
    response = connected.launch(client, connected.link(), connected.student)
    assert "did not provide its keys" in text_of(response)


@pytest.mark.parametrize(
    ("privacy", "login", "name"),
    [("nothing", "lms-", ""), ("email-only", "ada.lovelace", ""), ("names-only", "ada.lovelace", "Ada Lovelace")],
)
def test_an_account_is_named_by_what_the_platform_shares(
    connect: Connect, cast: Cast, client: Client, privacy: str, login: str, name: str
) -> None:
    lms = connect(CANVAS, privacy=privacy)
    lms.deployment.contexts.create(context_id=lms.context.id, course=cast.course)
    assert lms.launch(client, lms.link(), lms.student).status_code == 302
    account = LmsAccount.objects.get()
    assert account.user.username.startswith(login)
    assert account.user.get_full_name() == name


def test_an_error_of_the_platform_is_a_page(connected: Lms, client: Client) -> None:
    response = client.post("/lti/launch/", {"error": "login_required", "state": "x"})
    assert response.status_code == 403
    assert "did not let you open Gradus" in text_of(response)


def test_an_issuer_that_nobody_registered_is_refused(db: None, client: Client) -> None:
    response = client.post("/lti/login/", {"iss": "https://nobody.example", "login_hint": "1", "target_link_uri": SITE})
    assert response.status_code == 403
    assert "administrator has to register" in text_of(response)


# -- accounts ----------------------------------------------------------------------------------------------------------------


def _asked(lms: Lms, client: Client) -> str:
    response = lms.launch(client, lms.link(), lms.student)
    assert response["Location"].startswith("/lti/account/")
    return str(response["Location"])


def test_an_email_address_alone_opens_no_account(connected: Lms, client: Client) -> None:
    Account.objects.create_user("ada", "ada.lovelace@school.example", "correct horse battery")
    page = client.get(_asked(connected, client))
    assert "Sign in to link my account" in text_of(page)
    assert "_auth_user_id" not in client.session


def test_the_owner_links_an_account_after_signing_in(connected: Lms, cast: Cast, client: Client) -> None:
    ada = Account.objects.create_user("ada", "ada.lovelace@school.example", "correct horse battery")
    url = _asked(connected, client)
    assert client.post(url, {"act": "sign-in"})["Location"].startswith("/sign-in/?next=/lti/account/")
    client.force_login(ada)
    assert client.post(url, {"act": "link"}).status_code == 302
    assert LmsAccount.objects.get().user == ada
    assert Membership.objects.filter(course=cast.course, user=ada).exists()
    assert connected.launch(Client(), connected.link(), connected.student)["Location"].startswith("/c/")


def test_a_new_account_takes_no_address_that_belongs_to_another(connected: Lms, client: Client) -> None:
    Account.objects.create_user("ada", "ada.lovelace@school.example", "correct horse battery")
    client.post(_asked(connected, client), {"act": "new"})
    made = LmsAccount.objects.get()
    assert (made.user.username, made.user.email, made.email) == ("ada.lovelace", "", "ada.lovelace@school.example")


def test_an_account_of_site_staff_is_not_linked(connected: Lms, client: Client) -> None:
    root = Account.objects.create_superuser("root", "root@school.example", "correct horse battery")
    client.force_login(root)
    url = _asked(connected, client)
    response = client.post(url, {"act": "link"})
    assert response.status_code == 409
    assert "site staff cannot be linked" in text_of(response)
    assert not LmsAccount.objects.exists()


def test_a_deactivated_account_does_not_arrive(connected: Lms, client: Client) -> None:
    connected.launch(Client(), connected.link(), connected.student)
    Account.objects.update(is_active=False)
    assert connected.launch(client, connected.link(), connected.student).status_code == 403


# -- courses -----------------------------------------------------------------------------------------------------------------


def test_an_instructor_connects_a_new_course_and_owns_it(lms: Lms, client: Client) -> None:
    response = lms.launch(client, lms.link(), lms.instructor)
    assert response["Location"].startswith("/lti/connect/")
    page = client.get(response["Location"])
    assert "A new course: Autodiff 101" in text_of(page)
    answer = client.post(response["Location"], {"course": "+new"})
    course = Course.objects.get()
    assert answer["Location"] == reverse("overview", args=(course.slug,))
    assert (course.title, course.slug) == ("Autodiff 101", "ad101")
    assert Membership.objects.get().role == Role.OWNER


def test_a_student_cannot_connect_a_course(lms: Lms, client: Client) -> None:
    response = lms.launch(client, lms.link(), lms.student)
    assert response.status_code == 403
    assert "not connected" in text_of(response)
    assert Context.objects.get().course is None


def test_only_own_courses_can_be_connected(lms: Lms, cast: Cast, client: Client) -> None:
    url = lms.launch(client, lms.link(), lms.instructor)["Location"]
    response = client.post(url, {"course": cast.course.slug})
    assert response.status_code == 200
    assert Context.objects.get().course is None


def test_the_launch_of_one_person_is_of_no_use_to_another(lms: Lms, cast: Cast, client: Client) -> None:
    url = lms.launch(client, lms.link(), lms.instructor)["Location"]
    other = Client()
    other.force_login(cast.owner)
    assert other.post(url, {"course": cast.course.slug}).status_code == 403
    assert Context.objects.get().course is None


def test_a_code_of_somebody_who_is_signed_in_signs_nobody_else_in(lms: Lms, client: Client) -> None:
    code = lms.launch(client, lms.link(), lms.instructor)["Location"].rstrip("/").rpartition("/")[2]
    thief = Client()
    assert thief.post("/lti/continue/", {"code": code}).status_code == 403
    assert thief.post(reverse("lti-account", args=(code,)), {"act": "new"}).status_code == 403
    assert "_auth_user_id" not in thief.session


def test_an_instructor_who_has_an_account_under_another_address_can_still_use_it(
    lms: Lms, cast: Cast, client: Client
) -> None:
    url = lms.launch(client, lms.link(), lms.instructor)["Location"]
    assert "Sign in to my other account" in text_of(client.get(url))
    choice = client.post(url, {"act": "other"})["Location"]
    assert "_auth_user_id" not in client.session
    client.force_login(cast.owner)
    connecting = client.post(choice, {"act": "link"})["Location"]
    client.post(connecting, {"course": cast.course.slug})
    assert Context.objects.get().course == cast.course
    assert LmsAccount.objects.get().user == cast.owner
    assert Account.objects.filter(username__startswith="grace.hopper", is_active=True).count() == 0


def test_an_account_with_work_is_not_given_up(connected: Lms, lms: Lms, client: Client) -> None:
    connected.launch(client, connected.link(), connected.instructor)
    second = connected.platform.add_context("Another course")
    connected.platform.enrol(second, connected.instructor, "Instructor")
    link = connected.platform.add_link(second, "Start", client_id=connected.registration.client_id)
    url = connected.launch(client, link, connected.instructor)["Location"]
    page = client.get(url)
    assert "other account" not in text_of(page)
    assert "used already" in text_of(client.post(url, {"act": "other"}, follow=True))
    assert LmsAccount.objects.count() == 1


def test_several_courses_of_the_lms_share_one_course(connected: Lms, cast: Cast, client: Client) -> None:
    second = connected.platform.add_context("Autodiff, evening")
    connected.platform.enrol(second, connected.instructor, "Instructor")
    Membership.objects.create(course=cast.course, user=_arrived(connected), role=Role.INSTRUCTOR)
    link = connected.platform.add_link(second, "Start", client_id=connected.registration.client_id)
    url = connected.launch(client, link, connected.instructor)["Location"]
    client.post(url, {"course": cast.course.slug})
    assert Context.objects.filter(course=cast.course).count() == 2


def _arrived(lms: Lms) -> Account:
    account = Account.objects.create_user("grace.hopper")
    LmsAccount.objects.create(
        issuer=lms.registration.issuer, sub=lms.instructor.sub, user=account, registration=lms.registration
    )
    return account


def test_a_copied_course_of_the_lms_offers_a_copy(connect: Connect, client: Client) -> None:
    lms = connect(CANVAS, custom={"context_id_history": "$Context.id.history"})
    client.post(lms.launch(client, lms.link(), lms.instructor)["Location"], {"course": "+new"})
    copy = lms.platform.copy_context(lms.context, "Autodiff 102")
    lms.platform.enrol(copy, lms.instructor, "Instructor")
    link = lms.platform.add_link(copy, "Start", client_id=lms.registration.client_id)
    url = lms.launch(client, link, lms.instructor)["Location"]
    assert "A copy of Autodiff 101" in text_of(client.get(url))
    client.post(url, {"course": "+copy"})
    assert Course.objects.get(title="Autodiff 102").lms_contexts.get().context_id == copy.id


def test_a_link_without_context_is_a_context_of_its_own(lms: Lms, client: Client) -> None:
    lms.platform.tamper_next("no context")
    link = lms.link()
    assert lms.launch(client, link, lms.instructor)["Location"].startswith("/lti/connect/")
    assert Context.objects.get().context_id == f"link:{link.id}"


# -- roles -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        (["Learner"], Role.STUDENT),
        (["Instructor"], Role.INSTRUCTOR),
        (["TeachingAssistant"], Role.ASSISTANT),
        (["Learner", "Instructor"], Role.INSTRUCTOR),
        (["ContentDeveloper"], Role.INSTRUCTOR),
    ],
)
def test_the_role_in_the_course_counts(connected: Lms, cast: Cast, client: Client, roles: list[str], role: Role) -> None:
    person = connected.person("kim", *roles)
    assert connected.launch(client, connected.link(), person).status_code == 302
    assert Membership.objects.get(course=cast.course, user__username__startswith="kim").role == role


def test_an_observer_has_nothing_to_open(connected: Lms, client: Client) -> None:
    parent = connected.person("pat", "Mentor")
    response = connected.launch(client, connected.link(), parent)
    assert response.status_code == 403
    assert "takes no part" in text_of(response)


def test_a_launch_raises_a_role_and_never_lowers_it(connected: Lms, cast: Cast, client: Client) -> None:
    person = connected.person("kim", "Instructor")
    connected.launch(client, connected.link(), person)
    connected.platform.enrol(connected.context, person, "Learner")
    connected.launch(client, connected.link(), person)
    assert Membership.objects.get(course=cast.course, user__username__startswith="kim").role == Role.INSTRUCTOR
