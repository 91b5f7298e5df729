"""The page of a student for staff: exercises, submissions, extensions, overrides and audit trail."""

from decimal import Decimal

import pytest
from django.urls import reverse

from autograder.courses.models import HiddenMeanwhile, Membership, Role, Section
from autograder.courses.people.extensions import extension_grant
from autograder.gradebook.decisions.overrides import override
from autograder.submissions.comments import comment_add
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, change, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return member(cast, "ines", Role.INSTRUCTOR)


def at(whose: Membership) -> str:
    return reverse("student", args=(whose.course.slug, whose.pk))


def test_steps_with_points_that_the_student_may_not_know_yet(cast: Cast, signed: Signed, ines: Membership) -> None:
    change(cast, hidden_meanwhile=HiddenMeanwhile.NOTHING, due_at=ahead(days=3))
    given = cast.hands_in("ada", b"x = 1\n")
    grade(given, reported(checked("one"), checked("two", hidden=True, passed=False)))
    text = page(signed("ines"), at(cast.membership("ada")))
    assert "5 <span" in text
    assert reverse("submission", args=(cast.course.slug, given.pk)) in text


def test_submissions_with_results_the_newest_first(cast: Cast, signed: Signed, ines: Membership) -> None:
    grade(cast.hands_in("ada", b"x = 1\n"), reported(checked("one"), checked("two", passed=False)))
    cast.hands_in("ada", b"x = 2\n")
    cast.hands_in("ben", b"x = 3\n")
    text = page(signed("ines"), at(cast.membership("ada")))
    assert text.index("Submission 2<") < text.index("Submission 1<")
    assert "5 of 10" in text
    assert "waiting" in text
    assert text.count("Submission ") == 2


def test_what_was_granted_and_decided_and_by_whom(cast: Cast, signed: Signed, ines: Membership) -> None:
    change(cast, due_at=ahead(days=1))
    ada = cast.membership("ada")
    extension_grant(assignment=cast.assignment, membership=ada, by=ines, reason="Was ill.", due_at=ahead(days=9))
    override(assignment=cast.assignment, membership=ada, points=Decimal("7.5"), reason="By hand.", by=ines)
    given = cast.hands_in("ada", b"x = 1\n")
    comment_add(submission=given, by=ines, text="Hm.", line=1)
    other = cast.membership("ben")
    override(assignment=cast.assignment, membership=other, points=Decimal(1), reason="Of Ben.", by=ines)
    text = page(signed("ines"), at(ada))
    for words in ("Was ill.", "By hand.", "7.5 of 10", "granted an extension to", "after: 7.5", "commented on"):
        assert words in text, words
    assert "Of Ben." not in text


def test_whoever_was_removed_is_still_shown(cast: Cast, signed: Signed, ines: Membership) -> None:
    ada = cast.membership("ada")
    ada.removed_at = ahead(days=0)
    ada.save()
    assert "all work is kept" in page(signed("ines"), at(ada))


def test_an_assistant_sees_only_their_own_section(cast: Cast, signed: Signed) -> None:
    mine, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ann", Role.ASSISTANT, mine)
    page(signed("ann"), at(member(cast, "ada", Role.STUDENT, mine)))
    page(signed("ann"), at(member(cast, "ben", Role.STUDENT, other)), 404)
    page(signed("ada"), at(cast.membership("ada")), 404)


def test_queries_do_not_grow_with_what_was_handed_in(
    cast: Cast, signed: Signed, ines: Membership, django_assert_max_num_queries: object
) -> None:
    for n in range(6):
        grade(cast.hands_in("ada", f"x = {n}\n".encode()), reported(checked("one")))
    browser, where = signed("ines"), at(cast.membership("ada"))
    with django_assert_max_num_queries(28):  # type: ignore[operator]
        page(browser, where)
