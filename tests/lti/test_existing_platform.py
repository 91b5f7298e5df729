"""Gradus as a tool of an LMS that others wrote: launches, columns and scores, links and members, over HTTP on both sides."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import jwt
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lti1p3platform.exceptions import LtiException
from pytest_django import Settings

from autograder.courses.models import Course, Membership, Role
from autograder.lti.models import (
    Context,
    Deployment,
    LineItem,
    LmsAccount,
    OutgoingScore,
    Registration,
    ResourceLink,
    SigningKey,
)
from autograder.lti.registration.readiness import readiness
from autograder.lti.registration.tool_configuration import tool_addresses
from autograder.lti.roster import RowKind, roster_preview
from autograder.lti.roster_refresh import Refreshed, roster_apply
from autograder.lti.sending import columns, results
from autograder.lti.services.members import members_of
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Grading
from tests.cast import Cast, version_of
from tests.gradebook.conftest import graded
from tests.lti.connected_course import collect, send
from tests.lti.existing_platform import ExistingPlatform
from tests.lti.existing_platform_classes import Link, Person, Tool
from tests.lti.platform.vocabulary import DEEP_LINKING
from tests.lti.registered import key_set_served
from tests.lti.sample_tool import Answer, ask

SITE = "http://testserver"
NEW = "value-unary"


@pytest.fixture
def platform(db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ExistingPlatform]:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    with ExistingPlatform() as started, key_set_served() as key_set_url:
        started.tool = Tool(SITE + reverse("lti-login"), SITE + reverse("lti-launch"), key_set_url)
        registered = Registration.objects.create(name="School", **started.copied_values)
        Deployment.objects.create(registration=registered, deployment_id="1", state=Deployment.State.APPROVED)
        yield started
    assert started.errors == []


@pytest.fixture
def ada(platform: ExistingPlatform) -> Person:
    return platform.add_person("ada", "Ada Lovelace")


@pytest.fixture
def grace(platform: ExistingPlatform) -> Person:
    return platform.add_person("grace", "Grace Hopper", "Instructor")


@pytest.fixture
def cast(platform: ExistingPlatform) -> Cast:
    """A course that is connected with the one of the LMS."""
    made = Cast()
    context = Deployment.objects.get().contexts.create(context_id=platform.course.id, course=made.course)
    assert context.course == made.course
    return made


def login_at(platform: ExistingPlatform, link: Link | None, person: Person) -> str:
    """Return the address at which the LMS begins a launch, as a path of this site."""
    return str(ask(platform.launch_url(link, person)).headers["Location"]).removeprefix(SITE)


def launch(client: Client, platform: ExistingPlatform, link: Link | None, person: Person) -> HttpResponse:
    """Do what a browser does with a link, up to the first page of Gradus."""
    authorize = client.get(login_at(platform, link, person))["Location"]
    action, fields = form_in(ask(authorize).text)
    return client.post(action.removeprefix(SITE), fields)  # type: ignore[return-value]


def form_in(html: str) -> tuple[str, dict[str, str]]:
    (action,) = re.findall(r'<form[^>]*? action="(http[^"]+)"', html)
    return unescape(action), dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', html))


def test_a_registration_is_ready(platform: ExistingPlatform) -> None:
    found = {finding.title: finding.passed for finding in readiness(Registration.objects.get(), tool_addresses(SITE))}
    assert set(found) >= {"Key set", "Access token", "Columns", "Scores", "Results", "Members", "Clock"}
    assert all(found.values()), found


# -- launches ----------------------------------------------------------------------------------------------------------------


def test_a_student_arrives_at_the_assignment_of_the_link(
    platform: ExistingPlatform, cast: Cast, ada: Person, client: Client
) -> None:
    link = platform.add_link("Engine", custom={"gradus_assignment": cast.assignment.slug})
    response = launch(client, platform, link, ada)
    assert response["Location"] == reverse("exercise", args=(cast.course.slug, cast.assignment.slug))
    assert client.get(response["Location"]).status_code == 200
    member = Membership.objects.get(course=cast.course, role=Role.STUDENT)
    assert member.user.get_full_name() == "Ada Lovelace"
    assert LmsAccount.objects.get().sub == "ada"


def test_an_instructor_connects_a_course_and_students_come_in(
    platform: ExistingPlatform, ada: Person, grace: Person, client: Client
) -> None:
    link = platform.add_link("Start")
    assert launch(Client(), platform, link, ada).status_code == 403
    page = launch(client, platform, link, grace)["Location"]
    client.post(page, {"course": "+new"})
    course = Course.objects.get()
    assert (course.title, course.slug) == ("Autodiff 101", "ad101")
    assert launch(Client(), platform, link, ada)["Location"] == reverse("home", args=(course.slug,))
    assert set(course.memberships.values_list("user__username", "role")) == {("grace", Role.OWNER), ("ada", Role.STUDENT)}


def test_a_message_that_was_opened_before_is_refused(
    platform: ExistingPlatform, cast: Cast, ada: Person, client: Client
) -> None:
    action, fields = form_in(ask(client.get(login_at(platform, platform.add_link("Engine"), ada))["Location"]).text)
    assert client.post(action.removeprefix(SITE), fields).status_code == 302
    assert Client().post(action.removeprefix(SITE), fields).status_code == 403


# -- grades ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def column(platform: ExistingPlatform, cast: Cast, ada: Person) -> LineItem:
    """The column of a link whose LMS made none, after a student has opened the link."""
    launch(Client(), platform, platform.add_link("Engine", custom={"gradus_assignment": cast.assignment.slug}), ada)
    columns.column_make(ResourceLink.objects.get())
    return LineItem.objects.get()


def posted(platform: ExistingPlatform, person: Person) -> list[dict[str, Any]]:
    (by_person,) = platform.course.scores.values()
    return by_person[person.sub]


def test_a_column_is_made_once(platform: ExistingPlatform, cast: Cast, column: LineItem) -> None:
    (item,) = platform.course.line_items.values()
    assert (item["id"], item["label"], item["scoreMaximum"]) == (column.url, cast.assignment.title, 10)
    assert (item["resourceId"], item["resourceLinkId"]) == (cast.assignment.slug, "link-1")
    LineItem.objects.all().delete()
    columns.column_make(ResourceLink.objects.get())
    assert LineItem.objects.get().url == column.url
    assert len(platform.course.line_items) == 1


def test_a_score_and_its_regrade_arrive(platform: ExistingPlatform, cast: Cast, column: LineItem, ada: Person) -> None:
    submission = graded(cast, "ada", 5)
    collect()
    send(column.context.registration)
    Grading.objects.filter(submission=submission).update(score=8)
    Context.objects.update(collected_at=None)
    collect()
    send(column.context.registration)
    assert [(score["scoreGiven"], score["scoreMaximum"]) for score in posted(platform, ada)] == [(5, 10), (8, 10)]
    assert {(score["activityProgress"], score["gradingProgress"]) for score in posted(platform, ada)} == {
        ("Completed", "FullyGraded")
    }
    assert OutgoingScore.objects.get().state == OutgoingScore.State.SENT


def test_a_score_with_a_later_time_in_the_lms_does_not_stop_a_newer_one(
    platform: ExistingPlatform, cast: Cast, column: LineItem, ada: Person
) -> None:
    (item,) = platform.course.line_items
    soon = timezone.now() + timedelta(seconds=30)
    platform.course.scores[item] = {"ada": [{"userId": "ada", "timestamp": soon.isoformat()}]}
    graded(cast, "ada", 5)
    collect()
    send(column.context.registration)
    score = OutgoingScore.objects.get()
    assert (score.state, score.trouble) == (OutgoingScore.State.WAITING, "The LMS has a score with a later time.")
    OutgoingScore.objects.update(try_at=timezone.now())
    send(column.context.registration)
    assert posted(platform, ada)[-1]["scoreGiven"] == 5


def test_results_of_all_pages_are_read(platform: ExistingPlatform, cast: Cast, column: LineItem) -> None:
    platform.course.page_size = 2  # so that there is a third page
    link = platform.course.links["link-1"]
    for number in range(6):
        launch(Client(), platform, link, platform.add_person(f"student{number}", f"Student {number}"))
        graded(cast, f"student{number}", number)
    collect()
    send(column.context.registration)
    (context,) = results.contexts_to_read()
    assert results.results_read(context) == 6
    scores = OutgoingScore.objects.filter(points__isnull=False).order_by("points")
    assert [score.lms_points for score in scores] == [Decimal(number) for number in range(6)]
    assert not OutgoingScore.objects.filter(results.changed_in_lms()).exists()


def test_a_person_who_left_the_course_stops_no_other(
    platform: ExistingPlatform, cast: Cast, column: LineItem, ada: Person
) -> None:
    ben = platform.add_person("ben", "Ben Okoro")
    launch(Client(), platform, platform.course.links["link-1"], ben)
    graded(cast, "ada", 4)
    graded(cast, "ben", 6)
    del platform.course.people["ada"]
    collect()
    send(column.context.registration)
    assert posted(platform, ben)[-1]["scoreGiven"] == 6
    refused = OutgoingScore.objects.get(membership__user__username="ada")
    assert refused.state != OutgoingScore.State.SENT
    assert refused.trouble


# -- links -------------------------------------------------------------------------------------------------------------------


def choose(client: Client, platform: ExistingPlatform, grace: Person, *slugs: str) -> str:
    """Choose exercises for the LMS, and return the page that takes them there."""
    url = launch(client, platform, None, grace)["Location"]
    points = {f"{slug}-points": "7.5" for slug in slugs}
    return client.post(url, {"act": "add", "exercises": slugs, **points}).content.decode()


def deliver(html: str) -> Answer:
    action, fields = form_in(html)
    return ask(action, f"JWT={fields['JWT']}".encode())


def test_the_lms_accepts_links_and_columns_and_a_student_opens_one(
    platform: ExistingPlatform, cast: Cast, ada: Person, grace: Person, client: Client
) -> None:
    title = version_of(NEW).title
    answer = deliver(choose(client, platform, grace, cast.assignment.slug, NEW))
    assert (answer.status, answer.text) == (200, "<h1>Links added: 2</h1>")
    assert [link.title for link in platform.course.links.values()] == [cast.assignment.title, title]
    new = platform.course.links["link-2"]
    assert new.column is not None
    assert (new.column["label"], new.column["scoreMaximum"], new.column["resourceId"]) == (title, 7.5, NEW)
    assert launch(Client(), platform, new, ada)["Location"] == reverse("exercise", args=(cast.course.slug, NEW))
    assert LineItem.objects.get(assignment__slug=NEW).url == new.column["id"]


def test_the_data_of_the_lms_comes_back(platform: ExistingPlatform, cast: Cast, grace: Person, client: Client) -> None:
    _, fields = form_in(choose(client, platform, grace, cast.assignment.slug))
    claims = jwt.decode(fields["JWT"], options={"verify_signature": False})
    assert claims[f"{DEEP_LINKING}data"] == platform.deep_link_data


def test_the_lms_refuses_links_that_somebody_else_signed(
    platform: ExistingPlatform, cast: Cast, grace: Person, client: Client
) -> None:
    page = choose(client, platform, grace, cast.assignment.slug)
    SigningKey.objects.all().delete()
    with key_set_served() as url:  # of another key pair, as after a forgery
        platform.tool = replace(platform.tool, key_set_url=url)
        assert deliver(page).status == 500
    assert [type(error) for error in platform.errors] == [LtiException]
    assert platform.course.links == {}
    platform.errors.clear()


# -- members -----------------------------------------------------------------------------------------------------------------


# -- members -----------------------------------------------------------------------------------------------------------------


def test_all_pages_of_the_members_are_read(platform: ExistingPlatform, cast: Cast, ada: Person, grace: Person) -> None:
    platform.course.page_size = 2
    for number in range(4):
        platform.add_person(f"student{number}", f"Student {number}")
    launch(Client(), platform, platform.add_link("Start"), grace)
    found = members_of(Context.objects.get(course=cast.course))
    expected = ["Ada Lovelace", "Grace Hopper", *(f"Student {number}" for number in range(4))]
    assert [member.name for member in found.members] == expected
    assert found.unreadable == ()


def test_a_refresh_adds_the_students_and_removes_who_left(
    platform: ExistingPlatform, cast: Cast, ada: Person, grace: Person
) -> None:
    launch(Client(), platform, platform.add_link("Start"), grace)
    assert refresh(cast) == Refreshed(added=1)
    student = Membership.objects.get(course=cast.course, role=Role.STUDENT)
    assert student.user.get_full_name() == "Ada Lovelace"
    del platform.course.people["ada"]
    assert refresh(cast) == Refreshed(removed=1)
    student.refresh_from_db()
    assert student.removed_at is not None


def refresh(cast: Cast) -> Refreshed:
    rows = roster_preview(course=cast.course, by=cast.staff).rows
    return roster_apply(course=cast.course, rows=rows, kinds=frozenset(RowKind), by=cast.staff)
