"""The client of the grade services: results, columns, and pages of lists that do not leave the platform."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from autograder.lti.errors import PlatformTrouble
from autograder.lti.models import Context, LineItem, OutgoingScore, ResourceLink
from autograder.lti.sending import columns, results
from autograder.lti.services import ags, tokens
from autograder.lti.services.outbound import Answer
from autograder.lti.services.service_calls import next_page
from autograder.submissions.messages import doorbell
from tests.lti.connected_course import ConnectedCourse, connected_course, send
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE

pytestmark = pytest.mark.django_db
FLAVOURS = [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE]
FIRST = "https://lms.test/results?type_id=1"


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(doorbell, "ring", lambda: None)


@pytest.fixture(params=FLAVOURS, ids=lambda flavour: flavour.family)
def course(request: pytest.FixtureRequest, db: None) -> Iterator[ConnectedCourse]:
    with connected_course(request.param) as made:
        yield made


@pytest.fixture
def moodle(db: None) -> Iterator[ConnectedCourse]:
    with connected_course(MOODLE) as made:
        yield made


def read(course: ConnectedCourse) -> int:
    Context.objects.update(results_at=None)
    (context,) = results.contexts_to_read()
    return results.results_read(context)


def changed() -> list[str]:
    found = OutgoingScore.objects.filter(results.changed_in_lms())
    return list(found.order_by("pk").values_list("membership__user__username", flat=True))


# -- results -----------------------------------------------------------------------------------------------------------------


def test_results_of_all_pages_are_read(course: ConnectedCourse) -> None:
    course.platform.page_size = 3
    for number in range(8):
        course.graded(f"student-{number}", number)
    course.send()
    assert read(course) == 8
    assert [score.lms_points for score in OutgoingScore.objects.order_by("pk")] == [Decimal(n) for n in range(8)]
    assert changed() == []


def test_a_grade_that_an_instructor_changed_is_noticed_and_never_sent_over(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.graded("bob", 5)
    course.send()
    course.platform.override(course.column, course.student("ada"), 9)
    read(course)
    assert changed() == ["ada"]
    assert course.score("ada").lms_points == 9
    assert course.send() == 0
    assert course.result("ada").final_score == 9


def test_an_lms_with_another_maximum_has_the_same_share(moodle: ConnectedCourse) -> None:
    moodle.column.score_maximum = 30
    moodle.graded("ada", 3.33)
    moodle.send()
    assert moodle.result("ada").final_score == pytest.approx(9.99)
    read(moodle)
    assert changed() == []


def test_a_score_that_was_sent_after_reading_is_not_said_to_differ(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.send()
    moodle.platform.override(moodle.column, moodle.student("ada"), 9)
    read(moodle)
    OutgoingScore.objects.update(sent_at=timezone.now())
    assert changed() == []


def test_results_are_read_only_now_and_then_and_only_if_allowed(moodle: ConnectedCourse) -> None:
    assert results.contexts_to_read() == []
    moodle.graded("ada", 5)
    moodle.send()
    (context,) = results.contexts_to_read()
    assert results.results_read(context) == 1
    assert results.results_read(context) == 0  # as another process that has read it at the same time
    assert results.contexts_to_read() == []
    Context.objects.update(results_at=timezone.now() - results.EVERY)
    assert len(results.contexts_to_read()) == 1
    Context.objects.update(scopes=[tokens.SCORES])
    assert results.contexts_to_read() == []


@pytest.mark.parametrize(
    ("value", "points"), [(7, 7), (7.25, 7.25), (None, None), ("7", None), (True, None), (float("nan"), None), (1e30, None)]
)
def test_a_result_is_a_number_or_nothing(value: Any, points: float | None) -> None:
    assert ags._number(value) == (None if points is None else Decimal(str(points)))


# -- pages -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "url"),
    [
        ("", ""),
        ('<https://lms.test/results?page=2>; rel="next"', "https://lms.test/results?page=2"),
        ("<https://lms.test/results?page=2>; rel=“next”".encode().decode("latin-1"), "https://lms.test/results?page=2"),
        (
            '<https://lms.test/a>; rel="first", <https://lms.test/b>; rel="next", <https://lms.test/c>; rel="last"',
            "https://lms.test/b",
        ),
        ('<https://lms.test/a>; rel="prev"', ""),
        ("</results?page=2>; rel=next", "https://lms.test/results?page=2"),
    ],
)
def test_the_next_page_is_found(header: str, url: str) -> None:
    assert next_page(Answer(200, {"link": header}, b""), FIRST) == url


@pytest.mark.parametrize(
    "url", ["https://other.test/results", "http://lms.test/results", "https://lms.test:444/results", "//other.test/"]
)
def test_a_page_elsewhere_is_not_followed(url: str) -> None:
    with pytest.raises(PlatformTrouble, match="another host"):
        next_page(Answer(200, {"link": f'<{url}>; rel="next"'}, b""), FIRST)


def test_a_list_without_end_ends(moodle: ConnectedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ags, "MAX_PAGES", 5)
    moodle.graded("ada", 5)
    moodle.send()
    column = LineItem.objects.get()
    path = ags.service_url(column.url, "results")
    link = {"Link": f'<{path}&more=1>; rel="next"'}
    moodle.platform.fail(".*/results", 200, "[]", times=100, headers=link)
    before = len(moodle.platform.requests)
    assert list(ags.results(moodle.registration, column.url)) == []
    assert len(moodle.platform.requests) - before <= 2 + 1  # the second page names itself


def test_the_query_string_of_a_line_item_stays() -> None:
    assert (
        ags.service_url("https://lms.test/a/lineitem?type_id=1", "scores") == "https://lms.test/a/lineitem/scores?type_id=1"
    )


# -- columns -----------------------------------------------------------------------------------------------------------------


def without_column(course: ConnectedCourse) -> ResourceLink:
    """Let the LMS have a link without a column, as if it sent no `lineitem`."""
    LineItem.objects.all().delete()
    made = course.platform.add_link(course.lms_course, "Engine", score_maximum=None)
    return ResourceLink.objects.create(
        context=course.context, link_id=made.id, title="Engine", assignment=course.cast.assignment
    )


def test_a_missing_column_is_made_and_gets_its_scores(course: ConnectedCourse) -> None:
    link = without_column(course)
    course.graded("ada", 5)
    assert columns.links_without_column() == [link]
    columns.column_make(link)
    assert columns.links_without_column() == []
    course.send()
    made = [item for item in course.platform.line_items.values() if item.resource_id == "value-engine"]
    assert [(item.label, item.score_maximum, item.tag, item.link_id) for item in made] == [
        ("value-engine", 10.0, ags.TAG, link.link_id)
    ]
    assert course.platform.result(made[0], course.student("ada")).final_score == 5


def test_a_column_that_exists_already_is_found(course: ConnectedCourse) -> None:
    link = without_column(course)
    columns.column_make(link)
    before = LineItem.objects.get().url
    LineItem.objects.all().delete()
    columns.column_make(link)
    assert LineItem.objects.get().url == before
    assert len([item for item in course.platform.line_items.values() if item.tag == ags.TAG]) == 1


def test_without_the_permission_no_column_is_made(moodle: ConnectedCourse) -> None:
    without_column(moodle)
    Context.objects.update(scopes=[tokens.SCORES])
    assert columns.links_without_column() == []


def test_a_column_that_the_lms_refuses_is_shown_to_the_instructor(moodle: ConnectedCourse) -> None:
    link = without_column(moodle)
    moodle.platform.fail(".*/lineitems", 200, "[]")
    moodle.platform.fail(".*/lineitems", 400, "{}")
    columns.column_make(link)
    assert LineItem.objects.get().trouble == "The LMS did not make a column (status 400)."
    moodle.graded("ada", 5)
    assert moodle.send() == 0
    assert columns.links_without_column() == []


def test_a_busy_platform_makes_the_column_later(moodle: ConnectedCourse) -> None:
    link = without_column(moodle)
    moodle.platform.fail(".*/lineitems", 503)
    with pytest.raises(PlatformTrouble):
        columns.column_make(link)
    assert columns.links_without_column() == [link]
    columns.column_make(link)
    assert LineItem.objects.get().trouble == ""


def test_a_column_at_another_host_is_not_used(moodle: ConnectedCourse) -> None:
    link = without_column(moodle)
    moodle.platform.fail(".*/lineitems", 200, "[]")
    moodle.platform.fail(".*/lineitems", 201, '{"id": "https://other.test/lineitem"}')
    columns.column_make(link)
    column = LineItem.objects.get()
    assert (column.url, bool(column.trouble)) == ("", True)


def test_a_token_is_sent_with_each_request(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.send()
    (request,) = moodle.platform.requests_to("/scores")
    assert request.headers["content-type"] == ags.SCORE
    assert request.headers["authorization"].startswith("Bearer ")
    assert send(moodle.registration) == 0
