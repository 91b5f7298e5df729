"""The list of members of an LMS: all pages, with sections where there are any, and trouble in words."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Context
from autograder.lti.services import members
from autograder.lti.services.members import ListedMember, members_of
from autograder.lti.services.outbound import Answer
from autograder.lti.services.service_calls import next_page
from tests.lti.conftest import Connect, Lms
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour
from tests.lti.registered import key_set_served

Listing = Callable[..., tuple[Lms, Context]]
MEMBERS = ".*(memberships|names_and_roles)"


@pytest.fixture
def listing(connect: Connect, client: Client) -> Iterator[Listing]:
    """`listing(CANVAS)` returns an LMS and one of its courses, from which somebody has launched."""
    with key_set_served() as url:

        def launched(flavour: Flavour = MOODLE, **options: Any) -> tuple[Lms, Context]:
            lms = connect(flavour, **options)
            lms.platform.tools[lms.registration.client_id].key_set_url = url
            lms.launch(client, lms.link(), lms.instructor)
            return lms, Context.objects.get(deployment=lms.deployment)

        yield launched


def names_of(found: tuple[ListedMember, ...]) -> list[str]:
    return [member.name for member in found]


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE], ids=lambda flavour: flavour.family)
def test_every_lms_lists_its_members_on_several_pages(listing: Listing, flavour: Flavour) -> None:
    lms, context = listing(flavour)
    lms.platform.page_size = 3
    for number in range(7):
        lms.person(f"person{number}", "Learner")
    found = members_of(context)
    expected = ["Grace Hopper", "Ada Lovelace", *(f"Person{number} Example" for number in range(7))]
    assert names_of(found.members) == expected
    assert found.unreadable == ()
    assert len(lms.platform.requests_to(flavour.memberships_path.rpartition("/")[2].format(context=lms.context.id))) == 3


def test_a_token_that_was_revoked_is_replaced(listing: Listing) -> None:
    lms, context = listing()
    members_of(context)
    lms.platform.revoke_tokens()
    assert len(members_of(context).members) == 2


@pytest.mark.parametrize(
    ("privacy", "shown"),
    [
        ("nothing", ("", "")),
        ("names-only", ("Ada Lovelace", "")),
        ("email-only", ("", "ada.lovelace@school.example")),
    ],
)
def test_names_and_addresses_may_be_missing(listing: Listing, privacy: str, shown: tuple[str, str]) -> None:
    _, context = listing(privacy=privacy)
    (ada,) = [member for member in members_of(context).members if not member.roles[0].endswith("Instructor")]
    assert (ada.name, ada.email) == shown


def test_canvas_names_the_sections_of_a_person_for_a_link(listing: Listing) -> None:
    lms, context = listing(CANVAS, custom={"gradus_sections": "$com.instructure.User.sectionNames"})
    lms.context.members[lms.student.sub].sections = ["Tuesday", "Monday"]
    by_name = {member.name: member.sections for member in members_of(context).members}
    assert by_name == {"Grace Hopper": (), "Ada Lovelace": ("Monday", "Tuesday")}


def test_without_that_parameter_the_groups_are_the_sections(listing: Listing) -> None:
    lms, context = listing(CANVAS)
    lms.context.members[lms.student.sub].sections = ["Monday"]
    assert {member.name: member.sections for member in members_of(context).members}["Ada Lovelace"] == ("Monday",)


def test_groups_that_cannot_be_read_are_left_out(listing: Listing) -> None:
    lms, context = listing(CANVAS)
    lms.context.members[lms.student.sub].sections = ["Monday"]
    lms.platform.fail("/groups/.*", 403, times=9)
    assert [member.sections for member in members_of(context).members] == [(), ()]


def test_a_deleted_link_of_canvas_does_no_harm(listing: Listing) -> None:
    lms, context = listing(CANVAS)
    lms.platform.links.clear()
    assert len(members_of(context).members) == 2


def test_an_entry_that_makes_no_sense_is_named_and_the_others_are_read(listing: Listing) -> None:
    lms, context = listing()
    entries: list[Any] = [{"user_id": ""}, {"user_id": "x" * 300}, {"roles": []}, "text", {"user_id": "7", "name": None}]
    lms.platform.fail(MEMBERS, 200, json.dumps({"members": entries}))
    found = members_of(context)
    assert [member.user_id for member in found.members] == ["7"]
    assert len(found.unreadable) == 4


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "does not let Gradus read its list"),
        (403, "", "does not let Gradus read its list"),
        (403, "Rate Limit Exceeded", "Try again in a minute"),
        (404, "", "does not find this course"),
        (429, "", "Try again in a minute"),
        (503, "", "Try again in a minute"),
        (200, "<html>", "not JSON"),
        (200, "[]", "without members"),
        (200, '{"members": {}}', "without members"),
    ],
)
def test_trouble_of_the_lms_is_said_in_words(listing: Listing, status: int, body: str, words: str) -> None:
    lms, context = listing()
    lms.platform.fail(MEMBERS, status, body, times=9)
    with pytest.raises(PlatformTrouble, match=words):
        members_of(context)


def test_a_scope_that_is_not_allowed_is_said_in_words(listing: Listing) -> None:
    lms, context = listing()
    lms.platform.tools[lms.registration.client_id].scopes = ()
    with pytest.raises(PlatformTrouble, match="allows none of the requested services"):
        members_of(context)


def test_an_lms_without_the_service_is_said_in_words(listing: Listing) -> None:
    _, context = listing(scopes=())
    with pytest.raises(PlatformTrouble, match="offers no list of members"):
        members_of(context)


@pytest.mark.parametrize("link", ['<https://elsewhere.test/next>; rel="next"', '<http://127.0.0.1:1/next>; rel="next"'])
def test_a_next_page_at_another_host_gets_no_token(listing: Listing, link: str) -> None:
    lms, context = listing()
    lms.platform.fail(MEMBERS, 200, '{"members": []}', headers={"Link": link})
    with pytest.raises(PlatformTrouble, match="another host"):
        members_of(context)


def test_pages_that_lead_in_a_circle_end(listing: Listing) -> None:
    lms, context = listing()
    lms.platform.fail(MEMBERS, 200, '{"members": []}', times=9, headers={"Link": f'<{context.memberships_url}>; rel="next"'})
    assert members_of(context).members == ()
    assert len(lms.platform.requests_to("memberships")) == 2


@pytest.mark.parametrize(("limit", "value"), [("MAX_PAGES", 2), ("MAX_MEMBERS", 3), ("MAX_SECONDS", -1.0)])
def test_a_list_without_end_is_given_up(listing: Listing, monkeypatch: pytest.MonkeyPatch, limit: str, value: float) -> None:
    lms, context = listing()
    lms.platform.page_size = 2
    for number in range(7):
        lms.person(f"person{number}", "Learner")
    monkeypatch.setattr(members, limit, value)
    with pytest.raises(PlatformTrouble, match="too long"):
        members_of(context)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", ""),
        ('<https://lms.test/m?page=2>; rel="next"', "https://lms.test/m?page=2"),
        ("</m?page=2>; rel=next", "https://lms.test/m?page=2"),
        ('<https://lms.test/m?page=1>; rel="prev", <https://lms.test/m?page=3>; rel="next"', "https://lms.test/m?page=3"),
        ('<https://lms.test/m?page=2>; rel="differences"', ""),
        ('<https://lms.test/m?a=1,2>; title="x"; rel="next"', "https://lms.test/m?a=1,2"),
        ("<https://lms.test/m?page=2>; rel=\u00e2\u0080\u009cnext\u00e2\u0080\u009d", "https://lms.test/m?page=2"),
    ],
)
def test_the_next_page_is_in_the_link_header(header: str, found: str) -> None:
    assert next_page(Answer(200, {"link": header}, b""), "https://lms.test/m") == found
