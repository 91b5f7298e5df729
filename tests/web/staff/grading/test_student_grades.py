"""The grades page of a student: overrides, undo, extensions, concurrent changes and permissions."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from autograder.courses.models import Extension, Membership, Role, Section, User
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.freezing import freeze
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.models import Override
from tests.cast import Cast, ago
from tests.gradebook.conftest import graded
from tests.web.conftest import browser_of, change, member, page, words

pytestmark = pytest.mark.django_db


def where(cast: Cast, login: str = "ada") -> str:
    return reverse("student-grades", args=(cast.course.slug, cast.membership(login).pk))


def shown(cast: Cast, who: User | None = None, *, opened: bool = True) -> str:
    query = {"a": cast.assignment.slug} if opened else {}
    response = browser_of(who or cast.owner).get(where(cast), query)
    assert response.status_code == 200
    return str(response.content.decode())


def sent(cast: Cast, do: str, who: User | None = None, **fields: object) -> Any:
    given = {"assignment": cast.assignment.slug, "do": do} | {name: str(value) for name, value in fields.items()}
    response: Any = browser_of(who or cast.owner).post(where(cast), given, follow=True)
    return response


def said(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def points(cast: Cast) -> Decimal | None:
    return score_of(cast.assignment, cast.membership("ada")).points


def decided(cast: Cast, points: str) -> Override:
    ada = cast.membership("ada")
    return override(assignment=cast.assignment, membership=ada, points=Decimal(points), reason="Oral exam.", by=cast.staff)


# -- content


def test_every_exercise_with_points_and_how_they_come_about(cast: Cast) -> None:
    change(cast, due_at=ago(days=3), late_share=Decimal("0.9"), policy="last")
    graded(cast, "ada", 8, at=ago(days=1, hours=1))
    html = shown(cast, opened=False)
    assert "Submission 1: 80% of 10; 2 days late: 10% off." in html
    assert "7.20 of 10</b>total" in html
    assert "How 7.20 is calculated" in html


def test_what_was_set_says_by_whom_and_why(cast: Cast) -> None:
    decided(cast, "9")
    assert "Set by autodiff-grace: Oral exam." in shown(cast)


# -- overrides


def test_a_score_is_set_and_undone(cast: Cast) -> None:
    graded(cast, "ada", 4)
    html = said(sent(cast, "override", points="9.5", reason="She explained it.", seen=0))
    assert "9.5 points set by hand." in html
    assert points(cast) == Decimal("9.50")
    html = said(sent(cast, "undo", seen=Override.objects.get().pk))
    assert "the computed score counts again" in html
    assert points(cast) == 4


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"points": "-1", "reason": "r"}, "greater than or equal to 0"),
        ({"points": "9.555", "reason": "r"}, "no more than 2 decimal places"),
        ({"points": "many", "reason": "r"}, "Enter a number"),
        ({"points": "9", "reason": ""}, "This field is required"),
    ],
)
def test_what_is_wrong_is_said_at_the_field_and_what_was_typed_stays(cast: Cast, fields: dict[str, Any], words: str) -> None:
    html = said(sent(cast, "override", seen=0, **fields))
    assert words in html
    assert f'value="{fields["points"]}"' in html
    assert points(cast) is None


def test_the_second_of_two_sees_both_values_and_is_asked_again(cast: Cast) -> None:
    stands = decided(cast, "8")
    html = said(sent(cast, "override", points="6", reason="Mine.", seen=0))
    assert "autodiff-grace set 8.00 points in the meantime: Oral exam." in html
    assert "The points that you entered (6) are still in the form." in html
    assert f'name="seen" value="{stands.pk}"' in html
    assert 'value="6"' in html
    assert 'value="Mine."' in html
    assert points(cast) == 8
    said(sent(cast, "override", points="6", reason="Mine.", seen=stands.pk))
    assert points(cast) == 6


def test_an_undo_of_what_is_another_by_now_asks_again(cast: Cast) -> None:
    first = decided(cast, "8")
    decided(cast, "7")
    assert "in the meantime" in said(sent(cast, "undo", seen=first.pk))
    assert points(cast) == 7


def test_frozen_no_score_is_set(cast: Cast) -> None:
    freeze(course=cast.course, by=cast.staff)
    assert "No score can be set now" in said(sent(cast, "override", points="6", reason="Mine.", seen=0))
    assert points(cast) is None


def test_frozen_no_form_stays_that_would_be_refused(cast: Cast) -> None:
    """Extensions are still possible, because they change how long submissions are accepted."""
    decided(cast, "8")
    before = shown(cast)
    for act in ("override", "undo", "extend"):
        assert f'name="do" value="{act}"' in before
    freeze(course=cast.course, by=cast.staff)
    html = shown(cast)
    for act in ("override", "undo", "excuse", "withdraw-excuse"):
        assert f'name="do" value="{act}"' not in html
    assert 'name="do" value="extend"' in html
    assert words(html).count("The gradebook is frozen (by") == 1
    assert "You and the other instructors can unfreeze it." in words(html)


def test_frozen_an_assistant_reads_who_can_unfreeze(cast: Cast) -> None:
    member(cast, "ann", Role.ASSISTANT)
    freeze(course=cast.course, by=cast.staff)
    html = page(browser_of(cast.student("ann")), reverse("student-grades", args=("autodiff", cast.membership("ada").pk)))
    assert "Instructors of this course can unfreeze it." in words(html)
    assert reverse("freeze", args=("autodiff",)) not in html


# -- extensions


def test_an_extension_is_granted_in_the_courses_time_and_withdrawn(cast: Cast) -> None:
    change(cast, due_at=ago(days=1))
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    User.objects.filter(pk=cast.owner.pk).update(time_zone="Asia/Tokyo")
    html = said(sent(cast, "extend", due_at="2031-07-01T23:59", extra_attempts="1", reason="Ill."))
    assert "extension granted" in html
    assert "2031, 23:59" in html
    found = Extension.objects.get()
    assert found.due_at is not None
    assert found.due_at.isoformat() == "2031-07-01T21:59:00+00:00"
    assert (found.extra_attempts, found.granted_by) == (1, cast.owner)
    assert 'value="2031-07-01T23:59"' in shown(cast)
    said(sent(cast, "withdraw", reason="Granted to the wrong one."))
    assert not Extension.objects.exists()


def test_an_extension_of_nothing_is_said_at_the_field(cast: Cast) -> None:
    assert "Grant a later date, or more submissions." in said(sent(cast, "extend", extra_attempts="0", reason="Ill."))
    sent(cast, "extend", extra_attempts="1", reason="Ill.")
    assert "This field is required" in said(sent(cast, "withdraw", reason=""))
    assert Extension.objects.exists()


# -- permissions


def test_an_assistant_sees_and_decides_nothing(cast: Cast) -> None:
    ann = member(cast, "ann", Role.ASSISTANT).user
    html = shown(cast, ann)
    assert "Only instructors of the course can set scores and extensions" in html
    assert 'value="override"' not in html
    assert "You may not set a score" in said(sent(cast, "override", ann, points="9", reason="r", seen=0))
    assert "You may not grant more time" in said(sent(cast, "extend", ann, extra_attempts="2", reason="r"))
    assert not Override.objects.exists()
    assert not Extension.objects.exists()


def test_another_section_and_another_course_are_not_there(cast: Cast) -> None:
    own, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, own)
    ann = member(cast, "ann", Role.ASSISTANT, other).user
    assert browser_of(ann).get(where(cast)).status_code == 404
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").membership("mallory")
    address = reverse("student-grades", args=(cast.course.slug, elsewhere.pk))
    assert browser_of(cast.owner).get(address).status_code == 404
    assert browser_of(cast.owner).get(where(cast), {"a": "no-such"}).status_code == 404


def test_who_was_removed_keeps_a_page(cast: Cast) -> None:
    graded(cast, "ada", 4)
    Membership.objects.filter(pk=cast.membership("ada").pk).update(removed_at=timezone.now() - timedelta(days=1))
    assert "Removed from the course. All work is kept." in shown(cast)


def test_more_than_the_maximum_is_asked_about(cast: Cast) -> None:
    graded(cast, "ada", 4)
    assert "More than the maximum" not in shown(cast)
    html = said(sent(cast, "override", points="12", reason="Extra work.", seen=0))
    assert "The maximum is 10 points. If you mean bonus points, tick the box below." in html
    assert "More than the maximum, as bonus points" in html
    assert points(cast) == 4
    sent(cast, "override", points="12", reason="Extra work.", seen=0, above="on")
    assert points(cast) == 12
