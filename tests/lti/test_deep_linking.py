"""Deep linking: exercises are chosen, previewed and assigned, and the LMS gets links and columns for them."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import jwt
import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from autograder.courses.models import AuditEntry, Membership, Role
from autograder.lti import keys
from autograder.lti.models import Launch, LineItem
from tests.cast import Cast, version_of
from tests.lti.conftest import Connect, Lms
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour, Link
from tests.lti.platform.vocabulary import DEEP_LINK, DEEP_LINKING
from tests.lti.registered import key_set_served
from tests.lti.sample_tool import ask
from tests.web.conftest import words

NEW, OTHER = "value-unary", "value-tanh-relu"


@pytest.fixture(autouse=True)
def catalogue(db: None) -> None:
    for slug in (NEW, OTHER):
        version_of(slug)


@pytest.fixture
def lms(lms: Lms) -> Iterator[Lms]:
    with key_set_served() as url:
        lms.platform.tools[lms.registration.client_id].key_set_url = url
        yield lms


def ask_for_links(lms: Lms, client: Client, user: Any = None) -> HttpResponse:
    """Begin deep linking as the LMS does. The session is that of the browser."""
    tool = lms.platform.tools[lms.registration.client_id]
    added = Link("", lms.context, tool, "Add content", tool.deep_link_url)
    return lms.launch(client, added, user or lms.instructor, message_type=DEEP_LINK)


def page_of(lms: Lms, client: Client) -> str:
    """Return the address of the page on which an instructor chooses."""
    response = ask_for_links(lms, client)
    assert response["Location"].startswith("/lti/deep-link/"), response["Location"]
    return str(response["Location"])


def added(client: Client, url: str, *slugs: str, **terms: str) -> HttpResponse:
    """Choose these exercises, and add their links. Points of new exercises are those of the preview."""
    data = {"exercises": list(slugs), "act": "add", **{f"{slug}-points": "10" for slug in slugs}, **terms}
    return client.post(url, data)  # type: ignore[return-value]


def act(client: Client, url: str, what: str) -> HttpResponse:
    return client.post(url, {"act": what})  # type: ignore[return-value]


def token_in(response: HttpResponse) -> str:
    (found,) = re.findall(r'name="JWT"\s+value="([^"]+)"', response.content.decode())
    return unescape(found)


def claims_in(response: HttpResponse, lms: Lms) -> dict[str, Any]:
    (key,) = [jwt.PyJWK(found) for found in keys.key_set()["keys"]]
    claims: dict[str, Any] = jwt.decode(token_in(response), key, algorithms=["RS256"], audience=lms.registration.issuer)
    return claims


def items_in(response: HttpResponse, lms: Lms) -> list[dict[str, Any]]:
    return list(claims_in(response, lms)[f"{DEEP_LINKING}content_items"])


def returned(response: HttpResponse) -> str:
    """Do what the browser does with the last page, and return what the LMS shows."""
    (action,) = re.findall(r'action="(http://127[^"]+)"', response.content.decode())
    answer = ask(unescape(action), f"JWT={token_in(response)}".encode())
    assert answer.status == 200, answer.text
    return words(answer.text)


def test_an_instructor_is_shown_assigned_exercises_first_and_then_the_catalogue(connected: Lms, client: Client) -> None:
    shown = words(client.get(page_of(connected, client)).content.decode())
    assert "Add exercises to Autodiff 101" in shown
    order = [shown.index(title) for title in ("Assigned in this course", "value-engine", version_of(NEW).title)]
    assert order == sorted(order)
    assert version_of("value-engine").title not in shown, "it is assigned, under its title in the course"


def test_the_preview_asks_for_points_and_due_date_of_new_exercises_alone(connected: Lms, client: Client) -> None:
    url = page_of(connected, client)
    html = client.post(url, {"act": "preview", "exercises": ["value-engine", NEW]}).content.decode()
    assert "These links will be added to Autodiff 101" in words(html)
    assert "Already assigned: 10 points, no due date" in words(html)
    assert f'name="{NEW}-points"' in html
    assert f'name="{NEW}-due_at"' in html
    assert 'name="value-engine-points"' not in html
    assert not connected.platform.line_items


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE], ids=lambda flavour: flavour.family)
def test_links_and_columns_are_added_to_every_lms(connect: Connect, cast: Cast, client: Client, flavour: Flavour) -> None:
    lms = connect(flavour)
    lms.deployment.contexts.create(context_id=lms.context.id, course=cast.course)
    with key_set_served() as url:
        lms.platform.tools[lms.registration.client_id].key_set_url = url
        response = added(client, page_of(lms, client), "value-engine", NEW, **{f"{NEW}-points": "7.5"})
        shown = returned(response)
    title = version_of(NEW).title
    assert f"value-engine {title}" in shown
    links = {link.title: link for link in lms.platform.links.values()}
    made = links[title]
    assert made.custom == {"gradus_assignment": NEW}
    assert made.line_item is not None
    assert (made.line_item.label, made.line_item.score_maximum) == (title, 7.5)
    assert (made.line_item.resource_id, made.line_item.tag) == (NEW, "gradus")
    assert cast.course.assignments.get(slug=NEW).points == 7.5


def test_the_answer_is_signed_for_the_platform(connected: Lms, client: Client) -> None:
    claims = claims_in(added(client, page_of(connected, client), "value-engine"), connected)
    assert claims["iss"] == connected.registration.client_id
    assert 0 < claims["exp"] - claims["iat"] <= 600
    assert len(claims["nonce"]) > 20
    assert claims["https://purl.imsglobal.org/spec/lti/claim/message_type"] == "LtiDeepLinkingResponse"
    assert claims["https://purl.imsglobal.org/spec/lti/claim/version"] == "1.3.0"
    deployment = claims["https://purl.imsglobal.org/spec/lti/claim/deployment_id"]
    assert deployment == connected.deployment.deployment_id
    (asked,) = connected.platform.deep_links
    assert claims[f"{DEEP_LINKING}data"] == f"csrf:{asked}"


def test_data_of_any_type_is_sent_back(connected: Lms, client: Client) -> None:
    connected.platform.deep_link_data = {"course": [1, None]}
    claims = claims_in(added(client, page_of(connected, client), "value-engine"), connected)
    assert claims[f"{DEEP_LINKING}data"] == {"course": [1, None]}


def test_data_is_not_sent_back_if_there_was_none(connected: Lms, client: Client) -> None:
    connected.platform.sends_data = False
    assert f"{DEEP_LINKING}data" not in claims_in(added(client, page_of(connected, client), "value-engine"), connected)


def test_a_due_date_is_one_of_the_course_and_of_the_link(connected: Lms, cast: Cast, client: Client) -> None:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    year = timezone.now().year + 1
    response = added(client, page_of(connected, client), NEW, **{f"{NEW}-due_at": f"{year}-01-31T18:00"})
    due = datetime(year, 1, 31, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    assert cast.course.assignments.get(slug=NEW).due_at == due
    (item,) = items_in(response, connected)
    assert datetime.fromisoformat(item["submission"]["endDateTime"]) == due


def test_an_lms_that_takes_no_columns_gets_none(connected: Lms, client: Client) -> None:
    connected.platform.accept_line_items = False
    url = page_of(connected, client)
    preview = words(client.post(url, {"act": "preview", "exercises": NEW}).content.decode())
    assert "adds no columns to its gradebook" in preview
    response = added(client, url, NEW)
    assert "lineItem" not in items_in(response, connected)[0]
    assert version_of(NEW).title in returned(response)


def test_an_lms_that_takes_one_link_is_offered_radio_buttons(connected: Lms, cast: Cast, client: Client) -> None:
    connected.platform.accept_multiple = False
    url = page_of(connected, client)
    html = client.get(url).content.decode()
    assert 'type="radio"' in html
    assert 'type="checkbox"' not in html
    assert len(items_in(added(client, url, NEW, "value-engine"), connected)) == 1


def test_cancel_gives_the_lms_an_empty_list(connected: Lms, client: Client) -> None:
    response = act(client, page_of(connected, client), "cancel")
    assert items_in(response, connected) == []
    returned(response)
    assert not connected.platform.links


def test_an_lms_that_wants_no_links_is_told_why_there_are_none(connected: Lms, cast: Cast, client: Client) -> None:
    connected.platform.accept_types = ("file", "html")
    url = page_of(connected, client)
    assert "does not accept links to a tool" in words(client.get(url).content.decode())
    assert "does not accept" in words(added(client, url, NEW).content.decode()), "nothing else can be done there"
    response = act(client, url, "return")
    claims = claims_in(response, connected)
    assert "accept_types has no ltiResourceLink: file, html" in claims[f"{DEEP_LINKING}errorlog"]
    assert "does not accept links to a tool" in returned(response)
    assert not cast.course.assignments.filter(slug=NEW).exists()


def test_a_launch_is_answered_once(connected: Lms, cast: Cast, client: Client) -> None:
    url = page_of(connected, client)
    assert added(client, url, NEW).status_code == 200
    again = added(client, url, OTHER)
    assert again.status_code == 403
    assert "already used" in again.content.decode()
    assert not cast.course.assignments.filter(slug=OTHER).exists()


def test_the_page_stays_open_for_an_hour(connected: Lms, client: Client) -> None:
    url = page_of(connected, client)
    kept = Launch.objects.order_by("-id")[:1]
    Launch.objects.filter(pk__in=kept.values("pk")).update(made_at=timezone.now() - timedelta(minutes=59))
    assert client.get(url).status_code == 200
    Launch.objects.filter(pk__in=kept.values("pk")).update(made_at=timezone.now() - timedelta(minutes=61))
    assert client.get(url).status_code == 403


def test_all_of_the_exercises_are_assigned_or_none(connected: Lms, cast: Cast, client: Client) -> None:
    url = page_of(connected, client)
    refused = added(client, url, NEW, OTHER, **{f"{OTHER}-due_at": "1999-12-31T00:00"})
    assert "Check the date. Nothing was added." in words(refused.content.decode())
    assert not cast.course.assignments.exclude(slug="value-engine").exists()
    assert added(client, url, NEW).status_code == 200, "the launch was not used up"


@pytest.mark.parametrize("points", ["", "0", "-1", "1.234", "many", "1e9"])
def test_points_that_cannot_be_stored_are_refused_at_their_field(
    connected: Lms, cast: Cast, client: Client, points: str
) -> None:
    response = added(client, page_of(connected, client), NEW, **{f"{NEW}-points": points})
    assert f"id_{NEW}-points_error" in response.content.decode()
    assert not cast.course.assignments.filter(slug=NEW).exists()


@pytest.mark.parametrize("slugs", [(), ("unknown",), (NEW, "unknown")])
def test_nothing_is_added_for_an_unknown_exercise(
    connected: Lms, cast: Cast, client: Client, slugs: tuple[str, ...]
) -> None:
    response = added(client, page_of(connected, client), *slugs)
    assert 'role="alert"' in response.content.decode()
    assert not cast.course.assignments.filter(slug=NEW).exists()


def test_another_instructor_cannot_use_the_page(connected: Lms, client: Client) -> None:
    url = page_of(connected, client)
    other = Client()
    connected.launch(other, connected.link(), connected.person("ines", "Instructor"))
    assert other.get(url).status_code == 403
    assert Client().get(url).status_code == 302


@pytest.mark.parametrize("role", ["Learner", "TeachingAssistant"])
def test_only_instructors_add_exercises(connected: Lms, client: Client, role: str) -> None:
    response = ask_for_links(connected, client, connected.person("sam", role))
    assert client.get(response["Location"]).status_code == 403


def test_somebody_who_lost_the_right_meanwhile_adds_nothing(connected: Lms, cast: Cast, client: Client) -> None:
    url = page_of(connected, client)
    Membership.objects.filter(course=cast.course, user__lms_accounts__isnull=False).update(role=Role.ASSISTANT)
    assert added(client, url, NEW).status_code == 403
    assert not cast.course.assignments.filter(slug=NEW).exists()


def test_a_return_address_without_tls_is_refused(connected: Lms, client: Client, settings: Any) -> None:
    url = page_of(connected, client)
    settings.LTI_PRIVATE_HOSTS = frozenset()
    response = client.get(url)
    assert response.status_code == 403
    assert "not secure" in response.content.decode()


def test_the_answer_may_be_sent_to_the_lms_and_nowhere_else(connected: Lms, client: Client) -> None:
    url = page_of(connected, client)
    assert "form-action 'self';" in client.get(url)["Content-Security-Policy"]
    answer = added(client, url, NEW)
    assert f"form-action 'self' {connected.platform.url};" in answer["Content-Security-Policy"]


def test_the_pages_may_be_in_a_frame_of_the_lms(connected: Lms) -> None:
    client = Client(headers={"sec-fetch-dest": "iframe"})
    url = page_of(connected, client)
    assert connected.platform.url in client.get(url)["Content-Security-Policy"].partition("frame-ancestors")[2]


def test_a_launch_of_an_added_link_opens_its_exercise_and_knows_its_column(
    connected: Lms, cast: Cast, client: Client
) -> None:
    returned(added(client, page_of(connected, client), NEW))
    (link,) = connected.platform.links.values()
    response = connected.launch(Client(), link, connected.student)
    assert response["Location"] == f"/c/{cast.course.slug}/{NEW}/"
    column = LineItem.objects.get(context__course=cast.course)
    assert link.line_item is not None
    assert column.url == connected.platform.line_item_url(link.line_item)
    assert column.assignment.slug == NEW


def test_the_history_says_which_links_were_added(connected: Lms, cast: Cast, client: Client) -> None:
    added(client, page_of(connected, client), "value-engine", NEW)
    entry = AuditEntry.objects.get(action="lms-links-added")
    assert (entry.course, entry.details["assignments"]) == (cast.course, ["value-engine", NEW])
