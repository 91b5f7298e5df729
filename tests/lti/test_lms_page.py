"""The page about the LMS of a course: what was sent, what failed and why, and what instructors can do about it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.courses.models import Membership, Role, Section, User
from autograder.gradebook.decisions import excuses
from autograder.lti.models import Context, LineItem, OutgoingScore, ResourceLink
from autograder.submissions.messages import doorbell
from tests.cast import Cast
from tests.lti.connected_course import ConnectedCourse, connected_course
from tests.lti.platform import CANVAS
from tests.web.conftest import browser_of, words

pytestmark = pytest.mark.django_db
PAGE = "/t/autodiff/lms/"
State = OutgoingScore.State


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(doorbell, "ring", lambda: None)


@pytest.fixture
def course(db: None) -> Iterator[ConnectedCourse]:
    with connected_course(CANVAS) as made:
        yield made


@pytest.fixture
def owner(course: ConnectedCourse) -> Client:
    return browser_of(course.cast.owner)


def shown(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return words(response.content.decode())


def press(client: Client, course: ConnectedCourse, **fields: object) -> str:
    """Submit a form of the page, and return the page that follows."""
    response = client.post(PAGE, {"context": course.context.pk, **fields}, follow=True)
    assert response.status_code == 200
    return words(response.content.decode())


def test_without_a_connection_the_page_says_how_to_make_one() -> None:
    page = shown(browser_of(Cast().owner))
    assert "No LMS is connected with this course." in page
    assert "open a link to Gradus from your course in the LMS" in page


def test_each_column_has_the_numbers_of_its_scores(course: ConnectedCourse, owner: Client) -> None:
    for name in ("ada", "bob", "cyd"):
        course.graded(name, 5)
    course.send()
    OutgoingScore.objects.filter(membership__user__username="bob").update(state=State.FAILED, trouble="The LMS is odd.")
    OutgoingScore.objects.filter(membership__user__username="cyd").update(state=State.WAITING)
    assert "value-engine 1 1 1 0 Scores are sent." in shown(owner)


def test_a_failed_score_has_its_cause_and_can_be_sent_again(course: ConnectedCourse, owner: Client) -> None:
    course.platform.scores_answer(422, '{"errors": {"message": "User not found in course or is not a student"}}')
    course.graded("ada", 5)
    course.send()
    assert "This person is not a student of the course in the LMS." in shown(owner)
    page = press(owner, course, act="again", score=course.score("ada").pk)
    assert "The score will be sent again." in page
    course.send()
    assert course.result("ada").final_score == 5


def test_points_that_differ_in_the_lms_are_shown_side_by_side(course: ConnectedCourse, owner: Client) -> None:
    course.graded("ada", 5)
    course.send()
    OutgoingScore.objects.update(lms_points=Decimal(9), lms_read_at=timezone.now())
    assert "ada value-engine 5 9" in shown(owner)


def test_all_scores_can_be_sent_again(course: ConnectedCourse, owner: Client) -> None:
    for name in ("ada", "bob"):
        course.graded(name, 5)
    course.send()
    assert "2 scores will be sent again." in press(owner, course, act="again")
    assert course.send() == 2


def test_a_lost_column_is_used_again_when_all_is_sent_again(course: ConnectedCourse, owner: Client) -> None:
    LineItem.objects.update(trouble="The column was deleted in the LMS.")
    assert "The column was deleted in the LMS." in shown(owner)
    press(owner, course, act="again")
    assert not LineItem.objects.exclude(trouble="").exists()


def test_switches_change_what_is_sent(course: ConnectedCourse, owner: Client) -> None:
    press(owner, course, act="settings", sends_zeros="on", lateness_by_lms="on")
    context = Context.objects.get()
    assert (context.sends_zeros, context.lateness_by_lms, context.collected_at) == (True, True, None)
    press(owner, course, act="settings")
    context.refresh_from_db()
    assert (context.sends_zeros, context.lateness_by_lms) == (False, False)


def test_excused_students_are_listed_because_the_lms_cannot_be_told(course: ConnectedCourse, owner: Client) -> None:
    course.student("ada")
    excuses.excuse(
        assignment=course.cast.assignment, membership=course.cast.membership("ada"), reason="Ill.", by=course.cast.staff
    )
    page = shown(owner)
    assert "Excuse them in the LMS, too." in page
    assert "Student Exercise ada value-engine" in page


def test_a_link_can_open_another_exercise_and_leaves_its_column(course: ConnectedCourse, owner: Client) -> None:
    other = course.cast.assign("value-unary")
    link = ResourceLink.objects.create(
        context=course.context, link_id="1", title="Week 1", assignment=course.cast.assignment
    )
    page = press(owner, course, act="link", link=link.pk, **{f"link-{link.pk}-assignment": other.pk})
    assert "“Week 1” now opens value-unary." in page
    link.refresh_from_db()
    assert link.assignment == other
    assert not LineItem.objects.exists()


def test_disconnecting_asks_first(course: ConnectedCourse, owner: Client) -> None:
    assert "Tick the box to confirm" in press(owner, course, act="disconnect")
    assert Context.objects.get().course == course.cast.course
    assert "No LMS is connected with this course." in press(owner, course, act="disconnect", confirmed="yes")
    assert Context.objects.get().course is None


def staff_of(course: ConnectedCourse, name: str, role: Role, section: Section | None = None) -> Client:
    user = User.objects.create_user(name)
    Membership.objects.create(course=course.cast.course, user=user, role=role, section=section)
    return browser_of(user)


def test_assistants_look_and_change_nothing(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.send()
    assistant = staff_of(course, "ann", Role.ASSISTANT)
    assert "value-engine 1 0 0 0" in shown(assistant)
    assert "Disconnect" not in shown(assistant)
    assert "You may not change this course." in press(assistant, course, act="disconnect", confirmed="yes")
    assert Context.objects.get().course == course.cast.course


def test_an_assistant_of_a_section_sees_no_other_students(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.collect()
    OutgoingScore.objects.update(state=State.FAILED, trouble="Odd.")
    section = Section.objects.create(course=course.cast.course, name="Monday")
    assert "Odd." not in shown(staff_of(course, "ann", Role.ASSISTANT, section))
    assert "Odd." in shown(staff_of(course, "bea", Role.ASSISTANT))


def test_a_connection_of_another_course_cannot_be_changed(course: ConnectedCourse) -> None:
    other = Cast(slug="other", exercise="value-unary")
    response = browser_of(other.owner).post(
        "/t/other/lms/", {"context": course.context.pk, "act": "disconnect", "confirmed": "yes"}, follow=True
    )
    assert "not connected any more" in response.content.decode()
    assert Context.objects.get().course == course.cast.course


def test_the_gradebook_leads_to_it_when_connected(course: ConnectedCourse, owner: Client) -> None:
    assert f'href="{PAGE}"' in b"".join(owner.get("/t/autodiff/gradebook/")).decode()  # type: ignore[arg-type]
    Context.objects.update(course=None)
    assert f'href="{PAGE}"' not in b"".join(owner.get("/t/autodiff/gradebook/")).decode()  # type: ignore[arg-type]
    assert f'href="{PAGE}"' in owner.get("/t/autodiff/settings/").content.decode()


def test_the_number_of_queries_does_not_depend_on_the_students(course: ConnectedCourse, owner: Client) -> None:
    course.graded("ada", 5)
    course.collect()
    OutgoingScore.objects.update(state=State.FAILED)
    numbers = []
    for name in ("bob", "cyd"):
        with CaptureQueriesContext(connection) as queries:
            shown(owner)
        numbers.append(len(queries))
        course.graded(name, 5)
        course.collect()
        OutgoingScore.objects.update(state=State.FAILED)
    assert numbers[0] == numbers[1]
