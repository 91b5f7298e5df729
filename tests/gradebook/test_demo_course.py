"""The course of `manage.py demo` is realistic, and created through the normal services."""

from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from autograder.courses.models import Course, Extension, Membership, Role
from autograder.courses.people.extensions import terms_of
from autograder.gradebook.demo import course as demo
from autograder.gradebook.demo.people import BEGINNER, DOMAIN, STUCK, VISITOR
from autograder.gradebook.demo.visitors import visitor_create
from autograder.gradebook.demo.week import FIRST_MISTAKE, STUCK_ATTEMPTS, TASKS, Habit, habit_of
from autograder.gradebook.grades.matrix import STUCK_AFTER
from autograder.library import versions
from autograder.library.catalogue import UNITS
from autograder.library.versions import pack_of
from autograder.submissions import counters
from autograder.submissions.models import Kind, Submission, Work

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Course]:
    """Create the course once. Changes of a test are rolled back, and the course itself after the last test."""
    versions.forget()  # version ids repeat
    with django_db_blocker.unblock(), transaction.atomic():
        yield demo.build(10)
        transaction.set_rollback(True)
    versions.forget()


@pytest.fixture
def course(made: Course, db: None) -> Course:
    return Course.objects.get(pk=made.pk)


def of_the_week(course: Course) -> list[Submission]:
    return list(
        Submission.objects.filter(assignment__course=course)
        .select_related("assignment", "membership__user")
        .order_by("submitted_at")
    )


def students(course: Course) -> list[Membership]:
    return list(course.memberships.filter(role=Role.STUDENT).select_related("user", "section").order_by("id"))


def test_the_people_are_known_to_lms_and_sis_and_cannot_log_in(course: Course) -> None:
    roles = Counter(course.memberships.values_list("role", flat=True))
    assert roles == {"student": 10, "assistant": 2, "instructor": 1, "owner": 1}
    for student in students(course):
        assert student.section
        assert student.lms_id
        assert student.sis_id
        assert student.user.get_full_name().count(" ") == 1
        assert student.user.email.endswith(f"@{DOMAIN}")
        assert not student.user.has_usable_password()


def test_every_assignment_that_is_open_has_its_submissions(course: Course) -> None:
    handed_in = Counter(submission.assignment.slug for submission in of_the_week(course))
    assert set(handed_in) == {task.exercise for task in TASKS if task.opens < 0}
    assert course.assignments.count() == len(TASKS)
    assert set(course.assignments.values_list("unit", flat=True)) == set(UNITS)


def test_everything_was_handed_in_while_it_was_open_in_the_week_before(course: Course) -> None:
    week = of_the_week(course)
    assert week
    for submission in week:
        terms = terms_of(submission.assignment, submission.membership)
        assert terms.opens_at and terms.closes_at
        assert terms.opens_at <= submission.submitted_at <= min(terms.closes_at, course.created_at)
        assert submission.work.get().queued_at >= course.created_at


def test_some_are_late_some_never_begin_and_some_never_get_there(course: Course) -> None:
    week = of_the_week(course)
    assert any(one.assignment.due_at and one.submitted_at > one.assignment.due_at for one in week)
    assert any(one.kind == Kind.RUN for one in week)
    by_student = Counter(submission.membership_id for submission in week)
    for n, student in enumerate(students(course)):
        assert (by_student[student.pk] == 0) == (habit_of(n) == Habit.ABSENT)
        solutions = {pack_of(a.version_id).solution for a in course.assignments.select_related("version")}
        if habit_of(n) == Habit.STUCK:
            assert not solutions & {bytes(one.source) for one in week if one.membership_id == student.pk}


def test_whom_a_visitor_can_be_does_what_the_sign_in_page_says(course: Course) -> None:
    habits = {student.user.username: habit_of(n) for n, student in enumerate(students(course))}
    assert {BEGINNER: Habit.BEGINS, STUCK: Habit.STUCK}.items() <= habits.items()


def test_whoever_is_new_begins_with_the_first_step_which_is_open_and_not_late(course: Course) -> None:
    first = course.assignments.order_by("position", "id")[0]
    terms = terms_of(first, students(course)[-1])
    assert terms.opens_at and terms.due_at and terms.opens_at < timezone.now() < terms.due_at


def test_the_beginner_has_made_the_mistake_that_the_front_page_plays(course: Course) -> None:
    handed_in = [one for one in of_the_week(course) if one.membership.user.username == BEGINNER and one.kind == Kind.SUBMIT]
    (only,) = handed_in
    wrong = pack_of(only.assignment.version_id).wrong[FIRST_MISTAKE]
    assert wrong.endswith(bytes(only.source))
    assert b'"""' not in bytes(only.source), "it does not say itself what is wrong with it"


def test_one_is_stuck_by_the_measure_of_the_overview(course: Course) -> None:
    tried = Counter(
        one.assignment.slug
        for one in of_the_week(course)
        if one.membership.user.username == STUCK and one.kind == Kind.SUBMIT
    )
    assert tried["value-engine"] == STUCK_ATTEMPTS > STUCK_AFTER


def test_one_works_with_an_extension_while_it_is_closed_for_the_others(course: Course) -> None:
    extension = Extension.objects.get(assignment__course=course)
    assert extension.assignment.closes_at and extension.assignment.closes_at < timezone.now()
    terms = terms_of(extension.assignment, extension.membership)
    assert terms.due_at and terms.due_at > timezone.now()
    assert terms.closes_at is None or terms.closes_at > timezone.now()


def test_one_grading_is_tried_again_after_an_internal_error(course: Course) -> None:
    (work,) = Work.objects.filter(course=course, tries=1)
    assert (work.state, work.submission.kind) == (Work.State.QUEUED, Kind.SUBMIT)
    assert "the zygote ended" in work.trouble
    assert counters.counts()[counters.RETRIES] == {"error": 1}
    demo.build(10)
    assert counters.counts()[counters.RETRIES] == {"error": 1}


def test_called_again_it_adds_nothing(course: Course) -> None:
    before = [(one.pk, one.submitted_at) for one in of_the_week(course)]
    assert demo.build(10) == course
    assert [(one.pk, one.submitted_at) for one in of_the_week(course)] == before


def test_called_again_with_more_students_it_adds_those(course: Course) -> None:
    before = {one.pk for one in of_the_week(course)}
    demo.build(13)
    new = {one.membership.user.username for one in of_the_week(course) if one.pk not in before}
    assert new <= {"demo-11", "demo-12", "demo-13"}
    assert new
    assert len(students(course)) == 13


def test_a_visitors_own_student_stays_without_a_past(course: Course) -> None:
    visitor = visitor_create("shown-to-all")
    assert visitor.username == f"{VISITOR}1" and visitor.check_password("shown-to-all")
    demo.build(13)
    assert not Submission.objects.filter(membership__user=visitor).exists()
    assert visitor_create("shown-to-all").username == f"{VISITOR}2"
