"""Services of the test platform: what four LMSs do with line items, scores and members, and faults on demand."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.client import RemoteDisconnected
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.lti.classroom import START, Classroom, classroom
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour, Platform
from tests.lti.platform.vocabulary import (
    CANVAS_SUBMISSION,
    GROUPS_SCOPE,
    GROUPS_TYPE,
    LINE_ITEM_READ_SCOPE,
    LINE_ITEM_SCOPE,
    LINE_ITEM_TYPE,
    LINE_ITEMS_TYPE,
    LTI,
    MEMBERSHIPS_SCOPE,
    MEMBERSHIPS_TYPE,
    RESULT_SCOPE,
    RESULTS_TYPE,
    SCORE_SCOPE,
    SCORE_TYPE,
)
from tests.lti.sample_tool import Answer, ask

FLAVOURS = [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE]
NAMES = ["moodle", "canvas", "blackboard", "brightspace"]


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, Classroom]]:
    with (
        classroom(MOODLE) as moodle,
        classroom(CANVAS) as canvas,
        classroom(BLACKBOARD) as blackboard,
        classroom(BRIGHTSPACE) as brightspace,
    ):
        yield dict(zip(NAMES, (moodle, canvas, blackboard, brightspace), strict=True))


def fresh(room: Classroom) -> Classroom:
    """Return the classroom with a new activity, whose column is empty."""
    link = room.platform.add_link(room.context, "Softmax backward")
    assert link.line_item
    return replace(room, link=link, item=link.line_item)


@pytest.fixture
def moodle(sites: dict[str, Classroom]) -> Classroom:
    return fresh(sites["moodle"])


@pytest.fixture
def canvas(sites: dict[str, Classroom]) -> Classroom:
    return fresh(sites["canvas"])


@pytest.fixture
def blackboard(sites: dict[str, Classroom]) -> Classroom:
    return fresh(sites["blackboard"])


@pytest.fixture
def brightspace(sites: dict[str, Classroom]) -> Classroom:
    return fresh(sites["brightspace"])


@pytest.fixture(params=NAMES)
def room(request: pytest.FixtureRequest, sites: dict[str, Classroom]) -> Classroom:
    """Each LMS in turn."""
    return fresh(sites[request.param])


def results(room: Classroom, query: str = "") -> Answer:
    url = room.platform.line_item_url(room.item, "/results")
    url += ("&" if "?" in url else "?") + query if query else ""
    return room.tool.call(url, RESULT_SCOPE, RESULTS_TYPE)


def next_page(answer: Answer) -> str | None:
    link = answer.headers["Link"]
    return link[1 : link.index(">")] if link else None


# Line items


def items_url(room: Classroom) -> str:
    return room.platform.line_items_url(room.context, room.tool.registration.deployment_id)


def add_item(room: Classroom, **body: Any) -> Answer:
    return room.tool.call(items_url(room), LINE_ITEM_SCOPE, LINE_ITEM_TYPE, body)


def test_a_line_item_can_be_added_read_changed_and_deleted(room: Classroom) -> None:
    added = add_item(room, label="Extra", scoreMaximum=5, resourceId="extra", tag="exercise")
    assert added.status == 201
    url = added.json["id"]
    read = room.tool.call(url, LINE_ITEM_READ_SCOPE, LINE_ITEM_TYPE)
    assert read.json == {"id": url, "label": "Extra", "scoreMaximum": 5, "resourceId": "extra", "tag": "exercise"}
    body = {"label": "More", "scoreMaximum": 8}
    assert room.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEM_TYPE, body, "PUT").json == {"id": url, **body}
    assert room.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEM_TYPE, method="DELETE").status == 204
    assert room.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEM_TYPE).status == 404


@pytest.mark.parametrize(
    "body", [{"scoreMaximum": 5}, {"label": "A"}, {"label": "A", "scoreMaximum": 0}, {"label": "A", "scoreMaximum": "5"}]
)
def test_a_line_item_needs_a_label_and_a_maximum(moodle: Classroom, body: dict[str, Any]) -> None:
    assert add_item(moodle, **body).status == 400


def test_a_line_item_of_an_unknown_link_is_refused(moodle: Classroom) -> None:
    assert add_item(moodle, label="A", scoreMaximum=1, resourceLinkId="unknown").status == 403
    added = add_item(moodle, label="A", scoreMaximum=1, resourceLinkId=moodle.link.id)
    assert added.json["resourceLinkId"] == moodle.link.id


def test_the_line_item_of_an_activity_is_not_deleted(canvas: Classroom) -> None:
    url = canvas.platform.line_item_url(canvas.item)
    assert canvas.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEM_TYPE, method="DELETE").status == 401


def test_line_items_are_filtered(brightspace: Classroom) -> None:
    for number in range(3):
        add_item(brightspace, label=f"Column {number}", scoreMaximum=1, resourceId=f"filter-{number % 2}", tag="filtered")
    url = items_url(brightspace)

    def labels(query: str) -> list[str]:
        return [item["label"] for item in brightspace.tool.call(f"{url}?{query}", LINE_ITEM_SCOPE, LINE_ITEMS_TYPE).json]

    assert labels("tag=filtered&resource_id=filter-0") == ["Column 0", "Column 2"]
    assert labels("tag=filtered") == ["Column 0", "Column 1", "Column 2"]
    assert labels(f"resource_link_id={brightspace.link.id}") == ["Softmax backward"]


@pytest.mark.parametrize(("flavour", "relation"), [(MOODLE, "rel=“next”"), (CANVAS, 'rel="next"')])
def test_line_items_come_in_pages(flavour: Flavour, relation: str) -> None:
    with classroom(flavour) as room:
        for number in range(5):
            add_item(room, label=f"Column {number}", scoreMaximum=1)
        url: str | None = items_url(room)
        url = f"{url}{'&' if '?' in str(url) else '?'}limit=2"
        first = room.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEMS_TYPE)
        assert relation.encode() in first.headers["Link"].encode("latin-1")
        found = []
        while url:
            answer = room.tool.call(url, LINE_ITEM_SCOPE, LINE_ITEMS_TYPE)
            found += [item["label"] for item in answer.json]
            url = next_page(answer)
    assert found == ["ReLU backward", *(f"Column {number}" for number in range(5))]


def test_canvas_pages_without_being_asked_and_moodle_does_not() -> None:
    sizes = []
    for flavour in (CANVAS, MOODLE):
        with classroom(flavour) as room:
            for number in range(10):
                add_item(room, label=f"Column {number}", scoreMaximum=1)
            sizes.append(len(room.tool.call(items_url(room), LINE_ITEM_SCOPE, LINE_ITEMS_TYPE).json))
    assert sizes == [10, 11]


def test_a_tool_sees_no_line_items_of_another_tool(moodle: Classroom) -> None:
    other = replace(moodle.item, id="of-another-tool", client_id="another")
    moodle.platform.tools["another"] = replace(moodle.link.tool, client_id="another")
    moodle.platform.add_line_item(other)
    try:
        urls = [item["id"] for item in moodle.tool.call(items_url(moodle), LINE_ITEM_SCOPE, LINE_ITEMS_TYPE).json]
        assert moodle.platform.line_item_url(other) not in urls
        assert moodle.post(moodle.score(moodle.ana, 5), other).status == 403
    finally:
        del moodle.platform.line_items["of-another-tool"], moodle.platform.tools["another"]


# Access


def test_a_request_without_a_valid_token_is_refused(room: Classroom) -> None:
    url = room.platform.line_item_url(room.item)
    assert ask(url).status == 401
    assert ask(url, headers={"Authorization": "Bearer unknown"}).status == 401


def test_a_token_expires_and_can_be_revoked(moodle: Classroom) -> None:
    url, headers = moodle.platform.line_item_url(moodle.item), {"Accept": LINE_ITEM_TYPE}
    token = moodle.tool.request_token(LINE_ITEM_SCOPE).json["access_token"]
    headers["Authorization"] = f"Bearer {token}"
    assert ask(url, headers=headers).status == 200
    moodle.platform.revoke_tokens()
    assert ask(url, headers=headers).status == 401
    moodle.platform.token_seconds = -1
    try:
        expired = moodle.tool.request_token(LINE_ITEM_SCOPE).json["access_token"]
    finally:
        moodle.platform.token_seconds = 3600
    assert ask(url, headers={"Authorization": f"Bearer {expired}"}).status == 401


def test_a_token_is_good_for_its_scopes_only(room: Classroom) -> None:
    url = room.platform.line_item_url(room.item, "/scores")
    assert room.tool.call(url, RESULT_SCOPE, SCORE_TYPE, room.score(room.ana, 5)).status == 403
    body = {"label": "Renamed", "scoreMaximum": 1}
    url = room.platform.line_item_url(room.item)
    assert room.tool.call(url, LINE_ITEM_READ_SCOPE, LINE_ITEM_TYPE, body, "PUT").status == 403
    assert room.item.label == "Softmax backward"


@pytest.mark.parametrize(("name", "content", "accept"), [("moodle", 400, 400), ("canvas", 415, 406)])
def test_media_types_are_checked(sites: dict[str, Classroom], name: str, content: int, accept: int) -> None:
    room = sites[name]
    scores = room.platform.line_item_url(room.item, "/scores")
    assert room.tool.call(scores, SCORE_SCOPE, "application/json", room.score(room.ana, 5)).status == content
    assert room.tool.call(items_url(room), LINE_ITEM_SCOPE, "application/json").status == accept


def test_moodle_refuses_a_content_type_with_a_charset(moodle: Classroom, canvas: Classroom) -> None:
    for room, status in ((moodle, 400), (canvas, 200)):
        url = room.platform.line_item_url(room.item, "/scores")
        answer = room.tool.call(url, SCORE_SCOPE, f"{SCORE_TYPE}; charset=utf-8", room.score(room.ana, 5))
        assert answer.status == status


def test_the_query_string_of_moodle_has_to_be_kept(moodle: Classroom) -> None:
    url = moodle.platform.line_item_url(moodle.item, "/scores")
    assert url.endswith(f"/lineitem/scores?type_id={moodle.tool.registration.deployment_id}")
    assert moodle.tool.call(url.partition("?")[0], SCORE_SCOPE, SCORE_TYPE, moodle.score(moodle.ana, 5)).status == 403
    assert moodle.tool.call(url, SCORE_SCOPE, SCORE_TYPE, moodle.score(moodle.ana, 5)).status == 200


# Scores on each LMS


def test_a_final_score_is_scaled_to_the_column(room: Classroom) -> None:
    assert room.post(room.score(room.ana, 3, scoreMaximum=4)).status == 200
    assert results(room).json == [
        {
            "id": results(room).json[0]["id"],
            "scoreOf": room.platform.line_item_url(room.item),
            "userId": room.ana.sub,
            "resultScore": 7.5,
            "resultMaximum": 10,
            "timestamp": START.isoformat(),
        }
    ]


@pytest.mark.parametrize(("name", "told"), [("moodle", False), ("canvas", True), ("blackboard", False)])
def test_only_canvas_tells_the_address_of_the_result(sites: dict[str, Classroom], name: str, told: bool) -> None:
    room = fresh(sites[name])
    assert ("resultUrl" in room.post(room.score(room.ana, 5)).text) is told


def test_a_line_item_that_an_instructor_deleted_is_gone(room: Classroom) -> None:
    room.platform.delete_line_item(room.item)
    assert room.post(room.score(room.ana, 5)).status == 404
    assert room.link.line_item is None


def test_a_score_of_zero_is_a_score(room: Classroom) -> None:
    room.post(room.score(room.ana, 0))
    assert results(room).json[0]["resultScore"] == 0


def test_a_later_score_replaces_an_earlier_one(room: Classroom) -> None:
    assert [room.post(room.score(room.ana, points, seconds=points)).status for points in (3, 9)] == [200, 200]
    assert room.result(room.ana).final_score == 9
    assert len(room.result(room.ana).scores) == 2


INVALID: list[dict[str, Any]] = [
    {"timestamp": None},
    {"timestamp": "yesterday"},
    {"timestamp": "2026-03-01T12:00:00"},  # no offset
    {"activityProgress": None},
    {"activityProgress": "Done"},
    {"gradingProgress": None},
    {"gradingProgress": "Graded"},
    {"scoreGiven": "9"},
]


@pytest.mark.parametrize("changes", INVALID)
def test_an_invalid_score_is_refused(room: Classroom, changes: dict[str, Any]) -> None:
    assert room.post(room.score(room.ana, 9, **changes)).status == 400
    assert room.item.results == {}


def test_a_body_that_is_no_object_is_refused(room: Classroom) -> None:
    assert room.post(["score"]).status in (400, 422)


@pytest.mark.parametrize(("name", "status"), list(zip(NAMES, (400, 422, 404, 404), strict=True)))
def test_only_students_of_the_course_are_graded(sites: dict[str, Classroom], name: str, status: int) -> None:
    room = fresh(sites[name])
    left = room.platform.add_user("Lee", "Left")
    room.platform.enrol(room.context, left, status="Inactive")
    answers = [room.post(room.score(user, 5)) for user in (room.tara, room.gus, left)]
    assert [answer.status for answer in answers] == [status] * 3
    assert room.item.results == {}


@pytest.mark.parametrize(("name", "status"), list(zip(NAMES, (400, 422, 400, 400), strict=True)))
def test_points_need_a_maximum(sites: dict[str, Classroom], name: str, status: int) -> None:
    room = fresh(sites[name])
    assert room.post(room.score(room.ana, 5, scoreMaximum=None)).status == status


@pytest.mark.parametrize(("name", "status"), list(zip(NAMES, (409, 400, 409, 409), strict=True)))
def test_an_older_score_is_refused(sites: dict[str, Classroom], name: str, status: int) -> None:
    room = fresh(sites[name])
    room.post(room.score(room.ana, 5, seconds=10))
    assert room.post(room.score(room.ana, 9)).status == status
    assert room.result(room.ana).final_score == 5


@pytest.mark.parametrize(("name", "status"), list(zip(NAMES, (409, 200, 200, 200), strict=True)))
def test_a_score_of_the_same_second_is_refused_by_moodle(sites: dict[str, Classroom], name: str, status: int) -> None:
    room = fresh(sites[name])
    room.post(room.score(room.ana, 5))
    assert room.post(room.score(room.ana, 9, seconds=0.5)).status == status


def test_results_of_one_user_and_in_pages(room: Classroom) -> None:
    room.post(room.score(room.ana, 5))
    room.post(room.score(room.ben, 6))
    assert [row["userId"] for row in results(room, f"user_id={room.ben.sub}").json] == [room.ben.sub]
    first = results(room, "limit=1")
    url = next_page(first)
    assert url is not None
    second = room.tool.call(url, RESULT_SCOPE, RESULTS_TYPE)
    assert [row["userId"] for row in (*first.json, *second.json)] == [room.ana.sub, room.ben.sub]
    assert next_page(second) is None


def test_an_excused_student_has_no_score(room: Classroom) -> None:
    room.post(room.score(room.ana, 5))
    room.platform.excuse(room.item, room.ana)
    assert "resultScore" not in results(room).json[0]


# Moodle


def test_moodle_says_incorrect_score_for_every_error(moodle: Classroom) -> None:
    for body in (moodle.score(moodle.tara, 5), moodle.score(moodle.ana, 5, timestamp=None)):
        assert moodle.post(body).json["reason"].startswith("Incorrect score received")


def test_moodle_keeps_five_decimals(moodle: Classroom) -> None:
    moodle.post(moodle.score(moodle.ana, 3.14159265))
    assert moodle.result(moodle.ana).final_score == 3.14159


@pytest.mark.parametrize("progress", ["Pending", "PendingManual", "Failed", "NotReady"])
def test_moodle_drops_points_that_are_not_final(moodle: Classroom, progress: str) -> None:
    assert moodle.post(moodle.score(moodle.ana, 9, gradingProgress=progress)).status == 200
    assert moodle.result(moodle.ana).final_score is None


def test_moodle_keeps_a_grade_by_hand_and_says_200(moodle: Classroom) -> None:
    moodle.post(moodle.score(moodle.ana, 5, seconds=10))
    moodle.platform.override(moodle.item, moodle.ana, 8)
    assert moodle.post(moodle.score(moodle.ana, 9, seconds=20)).status == 200
    assert moodle.post(moodle.score(moodle.ana, 4, seconds=5)).status == 200  # older, and accepted nevertheless
    assert (moodle.result(moodle.ana).tool_score, results(moodle).json[0]["resultScore"]) == (4, 8)


# Canvas


def submission(**extension: Any) -> dict[str, Any]:
    return {CANVAS_SUBMISSION: extension}


def test_canvas_marks_work_late_when_it_is_graded_late(canvas: Classroom) -> None:
    canvas.item.due = datetime.now(UTC) - timedelta(days=1)
    canvas.post(canvas.score(canvas.ana, 5))
    canvas.post(canvas.score(canvas.ben, 5, **submission(submitted_at=START.isoformat())))
    assert (canvas.item.late(canvas.ana.sub), canvas.item.late(canvas.ben.sub)) == (True, False)


def test_canvas_reads_the_standard_time_of_submission(canvas: Classroom) -> None:
    canvas.item.due = datetime.now(UTC) - timedelta(days=1)
    canvas.post(canvas.score(canvas.ana, 5, submission={"submittedAt": START.isoformat()}))
    assert canvas.result(canvas.ana).submissions[0].submitted_at == START
    assert not canvas.item.late(canvas.ana.sub)


def test_a_regrade_on_canvas_is_a_new_submission_unless_the_tool_says_otherwise(canvas: Classroom) -> None:
    canvas.post(canvas.score(canvas.ana, 5))
    canvas.post(canvas.score(canvas.ana, 6, seconds=1, **submission(new_submission=False)))
    assert len(canvas.result(canvas.ana).submissions) == 1
    canvas.post(canvas.score(canvas.ana, 7, seconds=2))
    assert len(canvas.result(canvas.ana).submissions) == 2
    assert canvas.result(canvas.ana).final_score == 7


def test_canvas_counts_attempts(canvas: Classroom) -> None:
    canvas.item.attempts_allowed = 1
    canvas.post(canvas.score(canvas.ana, 5))
    refused = canvas.post(canvas.score(canvas.ana, 6, seconds=1))
    assert refused.status == 422 and "maximum number of allowed attempts" in refused.text
    regrade = canvas.score(canvas.ana, 6, seconds=1, **submission(new_submission=False))
    assert canvas.post(regrade).status == 200


def test_canvas_refuses_a_submission_in_the_future(canvas: Classroom) -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert canvas.post(canvas.score(canvas.ana, 5, **submission(submitted_at=later))).status == 400


@pytest.mark.parametrize("progress", ["Pending", "Failed", "NotReady"])
def test_canvas_ignores_points_that_are_not_final_and_removes_earlier_ones(canvas: Classroom, progress: str) -> None:
    canvas.post(canvas.score(canvas.ana, 5))
    canvas.post(canvas.score(canvas.ana, 9, seconds=1, gradingProgress=progress, **submission(preserve_score=True)))
    assert canvas.result(canvas.ana).final_score == 5
    assert canvas.post(canvas.score(canvas.ana, 9, seconds=2, gradingProgress=progress)).status == 200
    assert canvas.result(canvas.ana).final_score is None


def test_canvas_replaces_a_grade_by_hand_unless_the_tool_yields(canvas: Classroom) -> None:
    canvas.platform.override(canvas.item, canvas.ana, 8)
    canvas.post(canvas.score(canvas.ana, 5, **submission(prioritize_non_tool_grade=True)))
    assert canvas.result(canvas.ana).final_score == 8
    canvas.post(canvas.score(canvas.ana, 5, seconds=1))
    assert canvas.result(canvas.ana).final_score == 5


def test_canvas_adds_each_comment(canvas: Classroom) -> None:
    for seconds in range(2):
        canvas.post(canvas.score(canvas.ana, 5, seconds=seconds, comment="2 of 3 checks passed"))
    assert canvas.result(canvas.ana).comments == ["2 of 3 checks passed"] * 2


def test_canvas_limits_the_rate_with_403(canvas: Classroom) -> None:
    canvas.platform.limit_rate(times=2)
    answers = [canvas.post(canvas.score(canvas.ana, 5)) for _ in range(3)]
    assert [answer.status for answer in answers] == [403, 403, 200]
    assert "Rate Limit Exceeded" in answers[0].text


# Blackboard and Brightspace


def test_blackboard_removes_a_comment_that_is_not_sent_again(blackboard: Classroom) -> None:
    blackboard.post(blackboard.score(blackboard.ana, 5, comment="2 of 3"))
    blackboard.platform.override(blackboard.item, blackboard.ana, 6, "Well done")
    blackboard.post(blackboard.score(blackboard.ana, 7, seconds=1))
    assert blackboard.result(blackboard.ana).comment is None
    assert blackboard.result(blackboard.ana).final_score == 6


def test_blackboard_does_not_return_comments(blackboard: Classroom, brightspace: Classroom) -> None:
    for room in (blackboard, brightspace):
        room.post(room.score(room.ana, 5, comment="2 of 3"))
    assert "comment" not in results(blackboard).json[0]
    assert results(brightspace).json[0]["comment"] == "2 of 3"


def test_brightspace_keeps_the_comment_of_an_instructor(brightspace: Classroom) -> None:
    brightspace.platform.override(brightspace.item, brightspace.ana, 6, "Well done")
    brightspace.post(brightspace.score(brightspace.ana, 7))
    assert brightspace.result(brightspace.ana).comment == "Well done"


# Members


def members(room: Classroom, query: str = "", media_type: str = MEMBERSHIPS_TYPE) -> Answer:
    url = room.platform.memberships_url(room.context, room.tool.registration.deployment_id)
    url += ("&" if "?" in url else "?") + query if query else ""
    return room.tool.call(url, MEMBERSHIPS_SCOPE, media_type)


@pytest.fixture(scope="module")
def class_of_five() -> Iterator[Classroom]:
    with classroom(CANVAS, custom={"sections": "$com.instructure.User.sectionNames"}) as room:
        room.platform.enrol(room.context, room.gus, status="Inactive")
        room.platform.enrol(room.context, room.platform.add_user("Test", "Student"), "TestUser")
        room.context.members[room.ana.sub].sections = ["Monday"]
        yield room


def test_members_have_names_roles_and_a_status(class_of_five: Classroom) -> None:
    room, answer = class_of_five, members(class_of_five)
    assert answer.json["context"] == {"id": room.context.id, "label": "AD101", "title": "Automatic Differentiation"}
    ana, _, tara, gus, test = answer.json["members"]
    assert (ana["user_id"], ana["name"], ana["email"]) == (room.ana.sub, "Ana Silva", "ana.silva@school.example")
    assert tara["roles"] == ["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"]
    assert (ana["status"], gus["status"]) == ("Active", "Inactive")
    assert "http://purl.imsglobal.org/vocab/lti/system/person#TestUser" in test["roles"]


def test_members_come_in_pages(class_of_five: Classroom) -> None:
    class_of_five.platform.page_size = 2
    try:
        first = members(class_of_five)
        url = next_page(first)
        found, sizes = list(first.json["members"]), [2]
        while url:
            answer = class_of_five.tool.call(url, MEMBERSHIPS_SCOPE, MEMBERSHIPS_TYPE)
            found += answer.json["members"]
            sizes.append(len(answer.json["members"]))
            url = next_page(answer)
    finally:
        class_of_five.platform.page_size = None
    assert sizes == [2, 2, 1]
    assert [member["user_id"] for member in found] == list(class_of_five.context.members)


@pytest.mark.parametrize("role", ["Instructor", "http://purl.imsglobal.org/vocab/lis/v2/membership%23Instructor"])
def test_members_are_filtered_by_role(class_of_five: Classroom, role: str) -> None:
    found = members(class_of_five, f"role={role}").json["members"]
    assert [member["user_id"] for member in found] == [class_of_five.tara.sub]


def test_members_of_a_link_have_its_parameters(class_of_five: Classroom) -> None:
    ana = members(class_of_five, f"rlid={class_of_five.link.id}").json["members"][0]
    assert ana["message"][0][LTI + "custom"] == {"sections": '["Monday"]', "exercise": "fn-relu"}
    assert members(class_of_five, "rlid=unknown").status == 404


def test_sections_of_canvas_are_groups(class_of_five: Classroom) -> None:
    assert members(class_of_five).json["members"][0]["group_enrollments"] == [{"group_id": "Monday"}]
    url = class_of_five.platform.groups_url(class_of_five.context)
    groups = class_of_five.tool.call(url, GROUPS_SCOPE, GROUPS_TYPE).json["groups"]
    assert groups == [{"id": "Monday", "name": "Monday"}]


def test_moodle_lists_active_members_only(moodle: Classroom) -> None:
    moodle.platform.enrol(moodle.context, moodle.gus, status="Inactive")
    found = [member["user_id"] for member in members(moodle).json["members"]]
    del moodle.context.members[moodle.gus.sub]
    assert moodle.ana.sub in found and moodle.gus.sub not in found


def test_members_have_no_names_if_the_tool_may_not_know_them(moodle: Classroom) -> None:
    moodle.link.tool.privacy = "nothing"
    try:
        assert members(moodle).json["members"][0].keys() == {"user_id", "status", "roles"}
    finally:
        moodle.link.tool.privacy = "everything"


def test_members_need_the_media_type_and_an_existing_course(moodle: Classroom) -> None:
    assert members(moodle, media_type="text/html").status == 400
    unknown = replace(moodle.context, id="unknown")
    assert members(replace(moodle, context=unknown)).status == 404


# Faults


def test_a_fault_lasts_as_many_times_as_told(moodle: Classroom) -> None:
    moodle.platform.scores_answer(503, "down", times=2, headers={"Retry-After": "7"})
    answers = [moodle.post(moodle.score(moodle.ana, 5)) for _ in range(3)]
    assert [answer.status for answer in answers] == [503, 503, 200]
    assert answers[0].headers["Retry-After"] == "7"


def test_a_rate_limit_elsewhere_is_429(moodle: Classroom) -> None:
    moodle.platform.limit_rate()
    answer = moodle.post(moodle.score(moodle.ana, 5))
    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")


def test_malformed_json(moodle: Classroom) -> None:
    moodle.platform.fail(".*/results", 200, '[{"userId": ')
    assert results(moodle).text == '[{"userId": '


def test_the_answer_to_a_score_that_was_stored_is_lost(moodle: Classroom) -> None:
    moodle.platform.fail(".*/scores", closes=True, after=True)
    with pytest.raises(RemoteDisconnected):
        moodle.post(moodle.score(moodle.ana, 5))
    assert moodle.result(moodle.ana).final_score == 5


def test_a_connection_is_closed_before_anything_is_stored(moodle: Classroom) -> None:
    moodle.platform.fail(".*/scores", closes=True)
    with pytest.raises(RemoteDisconnected):
        moodle.post(moodle.score(moodle.ana, 5))
    assert moodle.item.results == {}
    assert moodle.platform.requests[-1].status is None


def test_a_request_that_hangs_times_out_and_ends_with_the_platform() -> None:
    with Platform() as platform:
        platform.fail("/jwks", hangs=True)
        with pytest.raises(TimeoutError):
            ask(f"{platform.url}/jwks", timeout=0.2)
        assert ask(f"{platform.url}/jwks").status == 200


def test_one_address_can_be_slow() -> None:
    with Platform() as platform:
        platform.slow("/jwks", 0.5)
        with pytest.raises(TimeoutError):
            ask(f"{platform.url}/jwks", timeout=0.1)
        assert len(ask(f"{platform.url}/jwks", timeout=10).json["keys"]) == 1


def test_all_answers_can_be_slow() -> None:
    with Platform() as platform:
        platform.delay = 0.3
        start = time.monotonic()
        ask(f"{platform.url}/jwks")
        assert time.monotonic() - start >= 0.3


def test_requests_are_recorded(moodle: Classroom) -> None:
    body = moodle.score(moodle.ana, 5)
    moodle.post(body)
    request = moodle.platform.requests_to("/scores")[-1]
    assert (request.method, request.json, request.status) == ("POST", body, 200)
    assert request.headers["content-type"] == SCORE_TYPE
    assert parse_qs(urlsplit(request.target).query) == {"type_id": [moodle.tool.registration.deployment_id]}
    assert datetime.now(UTC) - request.time < timedelta(minutes=10)
