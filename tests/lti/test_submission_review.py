"""Submission review: "view submission" in the LMS opens the right work, for those who may see it."""

import pytest
from django.http import HttpResponse
from django.test import Client

from autograder.courses.models import Membership, Role, Section
from autograder.lti.models import LineItem, LmsAccount
from autograder.submissions.messages import doorbell
from tests.cast import Cast
from tests.lti.conftest import Lms
from tests.lti.platform import Link, User
from tests.lti.platform.vocabulary import SUBMISSION_REVIEW
from tests.web.conftest import checked, grade, reported


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)


@pytest.fixture
def link(connected: Lms, cast: Cast) -> Link:
    """A link of the assignment, which Ada, the student of the LMS, has opened."""
    link = connected.link(custom={"gradus_assignment": cast.assignment.slug})
    connected.launch(Client(), link, connected.student)
    return link


def review(lms: Lms, link: Link, reader: User, whose: User) -> tuple[Client, HttpResponse]:
    client = Client()
    options = {"message_type": SUBMISSION_REVIEW, "line_item": link.line_item, "for_user": whose}
    return client, lms.launch(client, link, reader, **options)


def member(cast: Cast, lms: Lms, user: User) -> Membership:
    account = LmsAccount.objects.get(issuer=lms.registration.issuer, sub=user.sub)
    return Membership.objects.get(course=cast.course, user=account.user)


def hands_in(cast: Cast, lms: Lms, user: User, passes: bool | None = None) -> int:
    submission = cast.hands_in(member(cast, lms, user).user.username, f"x = {passes}".encode())
    if passes is not None:
        grade(submission, reported(checked("forward", passed=passes)))
    return submission.pk


def opened(lms: Lms, link: Link, reader: User, whose: User) -> str:
    client, response = review(lms, link, reader, whose)
    assert response.status_code == 302, response.content.decode()
    assert client.get(response["Location"]).status_code == 200
    return response["Location"]


def refused(lms: Lms, link: Link, reader: User, whose: User) -> str:
    _, response = review(lms, link, reader, whose)
    assert response.status_code == 403
    return response.content.decode()


def test_a_student_sees_their_own_submissions(connected: Lms, cast: Cast, link: Link) -> None:
    hands_in(cast, connected, connected.student)
    expected = f"/c/{cast.course.slug}/{cast.assignment.slug}/history/"
    assert opened(connected, link, connected.student, connected.student) == expected


def test_a_student_does_not_see_the_work_of_another(connected: Lms, cast: Cast, link: Link) -> None:
    hands_in(cast, connected, connected.student)
    words = refused(connected, link, connected.person("ben", "Learner"), connected.student)
    assert "You may not see the work of this person." in words


def test_an_instructor_sees_the_submission_that_counts(connected: Lms, cast: Cast, link: Link) -> None:
    best, _ = (hands_in(cast, connected, connected.student, passes) for passes in (True, False))
    assert opened(connected, link, connected.instructor, connected.student) == f"/t/{cast.course.slug}/submissions/{best}/"


def test_while_nothing_is_graded_an_instructor_sees_the_latest_submission(connected: Lms, cast: Cast, link: Link) -> None:
    _, latest = (hands_in(cast, connected, connected.student) for _ in range(2))
    expected = f"/t/{cast.course.slug}/submissions/{latest}/"
    assert opened(connected, link, connected.instructor, connected.student) == expected


def test_without_a_submission_an_instructor_sees_the_student(connected: Lms, cast: Cast, link: Link) -> None:
    student = member(cast, connected, connected.student)
    expected = f"/t/{cast.course.slug}/students/{student.pk}/"
    assert opened(connected, link, connected.instructor, connected.student) == expected


@pytest.mark.parametrize(("section", "sees"), [("Monday", True), ("Tuesday", False), (None, True)])
def test_an_assistant_sees_the_students_of_their_section(
    connected: Lms, cast: Cast, link: Link, section: str | None, sees: bool
) -> None:
    sections = {name: Section.objects.create(course=cast.course, name=name) for name in ("Monday", "Tuesday")}
    student = member(cast, connected, connected.student)
    student.section = sections["Monday"]
    student.save()
    number = hands_in(cast, connected, connected.student)
    tara = connected.person("tara", "TeachingAssistant")
    connected.launch(Client(), link, tara)
    assistant = member(cast, connected, tara)
    assert assistant.role == Role.ASSISTANT
    Membership.objects.filter(pk=assistant.pk).update(section=sections.get(section or ""))
    if sees:
        expected = f"/t/{cast.course.slug}/submissions/{number}/"
        assert opened(connected, link, tara, connected.student) == expected
    else:
        assert "You may not see the work of this person." in refused(connected, link, tara, connected.student)


def test_a_removed_students_work_is_still_there_for_staff(connected: Lms, cast: Cast, link: Link) -> None:
    number = hands_in(cast, connected, connected.student)
    Membership.objects.filter(pk=member(cast, connected, connected.student).pk).update(removed_at="2026-01-01T00:00Z")
    expected = f"/t/{cast.course.slug}/submissions/{number}/"
    assert opened(connected, link, connected.instructor, connected.student) == expected


def test_somebody_who_never_came_has_no_work(connected: Lms, link: Link) -> None:
    ben = connected.person("ben", "Learner")
    assert "Gradus has no work of this person" in refused(connected, link, connected.instructor, ben)


def test_a_column_of_another_tool_has_no_work(connected: Lms, cast: Cast, link: Link) -> None:
    other = connected.link("Other")
    assert "Gradus has no work of this person" in refused(connected, other, connected.instructor, connected.student)


def test_the_work_of_a_removed_assignment_is_not_shown(connected: Lms, cast: Cast, link: Link) -> None:
    cast.assignment.removed_at = "2026-01-01T00:00Z"  # type: ignore[assignment]
    cast.assignment.save()
    words = refused(connected, link, connected.student, connected.student)
    assert "Gradus has no work of this person" in words


def test_a_column_that_is_not_known_yet_is_found_by_its_link(connected: Lms, cast: Cast, link: Link) -> None:
    number = hands_in(cast, connected, connected.student)
    LineItem.objects.all().delete()
    expected = f"/t/{cast.course.slug}/submissions/{number}/"
    assert opened(connected, link, connected.instructor, connected.student) == expected
