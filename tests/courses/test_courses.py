"""Course setup services: what is rejected, stored and recorded in the audit trail."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.assignments import assignment_create, assignment_update
from autograder.courses.courses import course_create, section_create
from autograder.courses.errors import AtField, Refused
from autograder.courses.extensions import extension_grant, terms_of
from autograder.courses.members import member_add, member_remove, member_role_update
from autograder.courses.models import Assignment, AuditEntry, Course, Extension, Membership, Role, Section, User
from autograder.courses.rights import OPERATOR
from tests.cast import Cast, ago, ahead, version_of

pytestmark = pytest.mark.django_db


def made(**settings: Any) -> Course:
    given: dict[str, Any] = {"slug": "autodiff", "title": "Autodiff", "by": OPERATOR}
    return course_create(**given | settings)


def assigned(course: Course, **settings: Any) -> Assignment:
    given: dict[str, Any] = {"course": course, "version": version_of("value-engine"), "by": OPERATOR}
    return assignment_create(**given | settings)


def last_entry() -> AuditEntry:
    last: AuditEntry = AuditEntry.objects.all()[0]
    return last


# -- courses and people


def test_a_course_is_made_with_its_owner_and_written_down() -> None:
    grace = User.objects.create_user("grace")
    course = made(owner=grace, by=OPERATOR)
    assert course.memberships.get().role == Role.OWNER
    assert set(AuditEntry.objects.filter(actor=None).values_list("action", flat=True)) == {"course-created", "member-added"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"slug": "auto diff"}, "cannot be part of a URL"),
        ({"slug": "a" * 51}, "at most 50 are allowed"),
        ({"title": " "}, "needs a title"),
        ({"time_zone": "Europe/Nowhere"}, "no time zone 'Europe/Nowhere'"),
    ],
)
def test_a_course_that_cannot_be(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        made(**settings)
    assert not Course.objects.exists()
    assert not AuditEntry.objects.exists()


def test_two_courses_of_one_name() -> None:
    made()
    with pytest.raises(Refused, match="course 'autodiff' already exists"):
        made()


def test_two_sections_of_one_name() -> None:
    course = made()
    section_create(course=course, name="Monday", by=OPERATOR)
    with pytest.raises(Refused, match="section 'Monday' already exists in Autodiff"):
        section_create(course=course, name=" Monday ", by=OPERATOR)


def test_a_member_is_added_once() -> None:
    course, ada = made(), User.objects.create_user("ada")
    member_add(course=course, user=ada, by=OPERATOR)
    with pytest.raises(Refused, match="ada is already a member of Autodiff"):
        member_add(course=course, user=ada, by=OPERATOR)


def test_whoever_is_removed_and_comes_back_finds_the_old_work() -> None:
    cast = Cast()
    handed_in = cast.hands_in("ada")
    member_remove(membership=cast.membership("ada"), by=cast.staff)
    with pytest.raises(Refused, match="not a member"):
        cast.hands_in("ada")
    back = member_add(course=cast.course, user=cast.student("ada"), by=cast.staff)
    assert list(back.submissions.all()) == [handed_in]
    assert last_entry().action == "member-back"


def test_a_section_of_another_course() -> None:
    course, other = made(), made(slug="other")
    section = Section.objects.create(course=other, name="Monday")
    with pytest.raises(Refused, match="'Monday' does not belong to Autodiff"):
        member_add(course=course, user=User.objects.create_user("ada"), section=section, by=OPERATOR)


def test_a_role_changes_and_both_are_written_down() -> None:
    cast = Cast()
    member_role_update(membership=cast.membership("ada"), role=Role.ASSISTANT, by=cast.staff)
    assert cast.membership("ada").role == Role.ASSISTANT
    assert last_entry().details == {"before": "student", "after": "assistant"}


def test_a_role_that_there_is_not() -> None:
    cast = Cast()
    with pytest.raises(Refused, match=r"no role 'dean'. The roles are: student, assistant, instructor, owner"):
        member_role_update(membership=cast.membership("ada"), role="dean", by=cast.staff)


def test_a_course_keeps_an_owner() -> None:
    cast = Cast()
    owner = Membership.objects.get(user=cast.owner)
    with pytest.raises(Refused, match="the only owner of Autodiff"):
        member_role_update(membership=owner, role=Role.STUDENT, by=cast.staff)
    with pytest.raises(Refused, match="the only owner of Autodiff"):
        member_remove(membership=owner, by=cast.staff)
    member_role_update(membership=cast.membership("ada"), role=Role.OWNER, by=cast.staff)
    member_remove(membership=owner, by=cast.staff)


def test_who_was_removed_has_no_role_to_change() -> None:
    cast = Cast()
    member_remove(membership=cast.membership("ada"), by=OPERATOR)
    with pytest.raises(Refused, match="no longer a member of Autodiff"):
        member_role_update(membership=Membership.objects.get(user__username="ada"), role=Role.ASSISTANT, by=OPERATOR)


# -- assignments


def test_what_is_not_said_is_as_the_exercise_says() -> None:
    assignment = assigned(made())
    assert (assignment.slug, assignment.title) == ("value-engine", "A scalar engine: addition and multiplication")
    assert (assignment.unit, assignment.points) == (assignment.exercise_version.unit, Decimal(10))


def test_assignments_stand_in_the_order_they_were_made() -> None:
    course = made()
    names = [assigned(course, slug=slug).slug for slug in ("b", "a", "c")]
    assert list(course.assignments.values_list("slug", flat=True)) == names


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"opens_at": ahead(days=2), "due_at": ahead(days=1)}, "is due .* before it opens"),
        ({"due_at": ahead(days=2), "closes_at": ahead(days=1)}, "closes .* before it is due"),
        ({"opens_at": ahead(days=2), "closes_at": ahead(days=1)}, "closes .* before it opens"),
        ({"due_at": ahead(days=1).replace(tzinfo=None)}, "needs a time zone"),
        ({"late_share": Decimal("1.5")}, "a share from 0 to 1, not 1.5"),
        ({"policy": "worst"}, "no policy 'worst'. The policies are: best, last"),
        ({"due_at": ahead(days=1).replace(year=1, month=1, day=1)}, "is due in the year 1. Check the date"),
        ({"points": Decimal(0)}, "more than 0 points"),
        ({"points": Decimal("0.001")}, "at most two decimals, not 0.001"),
        ({"points": Decimal(100_000)}, "at most 99999.99 points"),
        ({"attempt_limit": 0}, "at least 1 submission"),
        ({"cool_down": timedelta(minutes=-1)}, "cannot be negative"),
        ({"show_hidden": "sometimes"}, "'sometimes' is not a choice for when hidden results are shown"),
        ({"slug": "no slug"}, "cannot be part of a URL"),
    ],
)
def test_terms_that_make_no_sense(terms: dict[str, Any], words: str) -> None:
    course = made()
    with pytest.raises(Refused, match=words):
        assigned(course, **terms)
    assert not course.assignments.exists()


def test_two_assignments_of_one_name() -> None:
    course = made()
    assigned(course)
    with pytest.raises(Refused, match="Autodiff already has the exercise"):
        assigned(course)


def test_a_change_is_written_down_with_old_and_new_values() -> None:
    assignment, due = assigned(made()), ahead(days=1)
    assignment_update(assignment=assignment, by=OPERATOR, due_at=due, policy="last", points=Decimal(10))
    assignment.refresh_from_db()
    assert (assignment.due_at, assignment.policy) == (due, "last")
    assert last_entry().details == {"changes": {"due_at": [None, str(due)], "policy": ["best", "last"]}}


def test_a_change_that_makes_no_sense_changes_nothing() -> None:
    assignment = assigned(made(), closes_at=ahead(days=1))
    with pytest.raises(Refused, match="before it is due"):
        assignment_update(assignment=assignment, by=OPERATOR, due_at=ahead(days=2), title="New")
    assignment.refresh_from_db()
    assert (assignment.due_at, assignment.title) == (None, "A scalar engine: addition and multiplication")


def test_an_assignment_stays_its_exercise() -> None:
    assignment = assigned(made())
    with pytest.raises(Refused, match="Assign the other exercise separately"):
        assignment_update(assignment=assignment, by=OPERATOR, version=version_of("value-unary"))


# -- extensions


def granted(cast: Cast, **settings: Any) -> Extension:
    given: dict[str, Any] = {
        "assignment": cast.assignment,
        "membership": cast.membership("ada"),
        "by": cast.staff,
        "reason": "Ill.",
    }
    return extension_grant(**given | settings)


def test_an_extension_is_granted_and_granted_again() -> None:
    cast = Cast(settings={"closes_at": ago(hours=1), "attempt_limit": 1})
    granted(cast, closes_at=ahead(days=1))
    cast.hands_in("ada")
    granted(cast, closes_at=ahead(days=1), extra_attempts=1)
    assert terms_of(cast.assignment, cast.membership("ada")).attempts == 2
    assert [entry.action for entry in AuditEntry.objects.all()[:2]] == ["extension-changed", "extension-granted"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "must grant a later date or extra submissions"),
        ({"extra_attempts": -1}, "cannot reduce"),
        ({"extra_attempts": 1, "reason": ""}, "Give a reason"),
        ({"due_at": ahead(days=2), "closes_at": ahead(days=1)}, "before it is due"),
    ],
)
def test_an_extension_that_makes_no_sense(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        granted(Cast(), **settings)
    assert not Extension.objects.exists()


def test_an_extension_for_a_member_of_another_course() -> None:
    cast, other = Cast(), Cast(slug="other")
    with pytest.raises(Refused, match="not a member of the course"):
        granted(cast, membership=other.membership("ben"), by=other.staff, extra_attempts=1)


@pytest.mark.parametrize(("field", "value"), [("title", "=1+1"), ("title", " @x"), ("unit", "+1")])
def test_a_title_is_nothing_that_a_spreadsheet_would_run(field: str, value: str) -> None:
    cast = Cast()
    wanted: dict[str, Any] = {field: value}
    with pytest.raises(AtField, match="spreadsheets would treat it as a formula"):
        assignment_update(assignment=cast.assignment, by=cast.staff, **wanted)
