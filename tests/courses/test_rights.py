"""Who may do what, and for whom. Pages and services are asked for every role elsewhere; here are the rules themselves."""

import pytest

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership, Role, Section, User
from autograder.courses.rights import OPERATOR, Right, has, may_make_courses, require_people, students_of

pytestmark = pytest.mark.django_db
ROLES = (Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR, Role.OWNER)


@pytest.fixture
def course() -> Course:
    return Course.objects.create(slug="autodiff", title="Autodiff")


def member(course: Course, name: str, role: Role = Role.STUDENT, section: Section | None = None) -> Membership:
    user, _ = User.objects.get_or_create(username=name)
    return Membership.objects.create(course=course, user=user, role=role, section=section)


def test_students_have_no_right_and_owners_have_all(course: Course) -> None:
    student, owner = member(course, "ada"), member(course, "grace", Role.OWNER)
    assert [right for right in Right if has(student, right)] == []
    assert [right for right in Right if not has(owner, right)] == []


@pytest.mark.parametrize("right", Right)
def test_who_has_a_right_keeps_it_with_more_responsibility(course: Course, right: Right) -> None:
    having = [has(member(course, role.value, role), right, course) for role in ROLES]
    assert having == sorted(having)


def test_a_right_ends_with_the_membership_and_with_the_course(course: Course) -> None:
    owner, other = member(course, "grace", Role.OWNER), Course.objects.create(slug="other", title="Other")
    abroad = member(other, "ada")
    assert has(owner, Right.OWN, course) and not has(owner, Right.OWN, other)
    assert has(owner, Right.SEE, owner) and not has(owner, Right.SEE, abroad)
    owner.removed_at = course.created_at
    assert not has(owner, Right.SEE) and not students_of(owner).exists()


def test_the_operator_may_do_everything_everywhere(course: Course) -> None:
    ada = member(course, "ada")
    assert all(has(OPERATOR, right, where) for right in Right for where in (None, course, ada))


def test_an_assistant_of_a_section_has_its_students_alone(course: Course) -> None:
    monday, thursday = (course.sections.create(name=name) for name in ("Monday", "Thursday"))
    ada, ben, cy = member(course, "ada", section=monday), member(course, "ben", section=thursday), member(course, "cy")
    bound, free = member(course, "mei", Role.ASSISTANT, monday), member(course, "tomas", Role.ASSISTANT)
    ines = member(course, "ines", Role.INSTRUCTOR, monday)
    assert [has(bound, Right.SEE, one) for one in (ada, ben, cy)] == [True, False, False]
    assert set(students_of(bound)) == {ada}
    for everywhere in (free, ines):
        assert all(has(everywhere, Right.SEE, one) for one in (ada, ben, cy))
        assert set(students_of(everywhere)) == {ada, ben, cy}
    assert not students_of(ada).exists()


def test_only_an_owner_manages_owners(course: Course) -> None:
    instructor, owner = member(course, "ines", Role.INSTRUCTOR), member(course, "grace", Role.OWNER)
    require_people(instructor, course, Role.STUDENT, Role.ASSISTANT, Role.INSTRUCTOR)
    require_people(owner, course, Role.OWNER)
    with pytest.raises(Refused, match="You may not"):
        require_people(instructor, course, Role.STUDENT, Role.OWNER)
    with pytest.raises(Refused):
        require_people(owner, course, "emperor")


@pytest.mark.parametrize(
    ("role", "staff", "active", "may"),
    [
        *((role, False, True, role in (Role.INSTRUCTOR, Role.OWNER)) for role in ROLES),
        (None, False, True, False),
        (None, True, True, True),
        (None, True, False, False),
        (Role.OWNER, False, False, False),
    ],
)
def test_who_may_create_courses(course: Course, role: Role | None, staff: bool, active: bool, may: bool) -> None:
    user = User.objects.create(username="ines", is_staff=staff, is_active=active)
    if role is not None:
        member(course, "ines", role)
    assert may_make_courses(user) == may
    Membership.objects.update(removed_at=course.created_at)
    assert may_make_courses(user) == (staff and active), "not because of a course that one has left"
    assert rights.has(OPERATOR, Right.OWN)
