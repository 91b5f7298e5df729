"""Who may see the solutions of an exercise, and that no other page contains a line of them."""

from html import unescape

import pytest
from django.urls import reverse

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Extension, Role
from autograder.courses.setup.assignments import assignment_update
from autograder.courses.setup.course_copies import course_copy
from autograder.library.versions import solutions_of
from autograder.submissions.models import Grading, Kind
from tests.cast import Cast, ago, ahead, source_of
from tests.web.conftest import Signed, change, checked, grade, member, page, reported

pytestmark = pytest.mark.django_db


def passes(cast: Cast, name: str = "ada", kind: Kind = Kind.SUBMIT, *, passed: bool = True) -> Grading:
    submission = cast.hands_in(name, b"x = 1\n", kind)
    return grade(submission, reported(checked("one"), checked("two", hidden=True, passed=passed)))


def secret(cast: Cast) -> list[str]:
    """Return lines of the solutions that students are not given otherwise."""
    given = source_of("value-engine", "starter").decode()
    lines = {line.strip() for _, text in solutions_of(cast.assignment.exercise_version) for line in text.splitlines()}
    return sorted(line for line in lines if len(line) > 20 and line not in given)


def where(cast: Cast, name: str = "solutions") -> str:
    return reverse(name, args=(cast.course.slug, cast.assignment.slug))


def sees(cast: Cast, signed: Signed, name: str = "ada") -> bool:
    """Whether the page and the link to it are visible. They must agree."""
    browser = signed(name)
    status = browser.get(where(cast)).status_code
    linked = where(cast) in page(browser, where(cast, "exercise"))
    assert linked is (status == 200)
    return linked


def test_the_reference_comes_first_and_what_is_shown_is_what_was_loaded(cast: Cast, signed: Signed) -> None:
    passes(cast)
    change(cast, show_solutions="after-passing")
    text = page(signed("ada"), where(cast))
    assert len(secret(cast)) > 5
    names = [name for name, _ in solutions_of(cast.assignment.exercise_version)]
    assert names[0] == "solution.py"
    assert len(names) > 1
    assert [text.index(f">{name}</h2>") for name in names] == sorted(text.index(f">{name}</h2>") for name in names)
    assert solutions_of(cast.assignment.exercise_version)[0][1].encode() == source_of("value-engine")


def test_by_default_nobody_sees_them(cast: Cast, signed: Signed) -> None:
    passes(cast)
    assert not sees(cast, signed)
    assert not sees(cast, signed, "autodiff-grace")


def test_only_who_has_passed_all_checks(cast: Cast, signed: Signed) -> None:
    change(cast, show_solutions="after-passing")
    assert not sees(cast, signed)
    passes(cast, passed=False)
    passes(cast, kind=Kind.RUN)
    passes(cast, "ben")
    assert not sees(cast, signed)
    text = unescape(page(signed("ada"), where(cast, "exercise")))
    assert [line for line in secret(cast) if line in text] == []
    passes(cast)
    assert sees(cast, signed)
    assert sees(cast, signed, "ben")


def test_a_grading_that_does_not_count_any_more_opens_nothing(cast: Cast, signed: Signed) -> None:
    change(cast, show_solutions="after-passing")
    grading = passes(cast)
    assert sees(cast, signed)
    grading.current = False
    grading.save()
    assert not sees(cast, signed)


def test_not_while_the_result_itself_is_held_back(cast: Cast, signed: Signed) -> None:
    """The link alone would reveal that all hidden checks pass."""
    change(cast, show_solutions="after-passing", hidden_meanwhile="nothing", due_at=ahead(days=1))
    passes(cast)
    assert not sees(cast, signed)
    change(cast, due_at=ago(days=1))
    assert sees(cast, signed)


def test_after_every_due_date_extensions_included(cast: Cast, signed: Signed) -> None:
    passes(cast)
    change(cast, show_solutions="after-due", due_at=None)
    assert not sees(cast, signed)
    change(cast, due_at=ahead(hours=1))
    assert not sees(cast, signed)
    change(cast, due_at=ago(hours=1))
    assert sees(cast, signed)
    ben = cast.student("ben")
    granted = Extension.objects.create(
        assignment=cast.assignment, membership=cast.membership(ben.username), due_at=ahead(days=1), granted_by=cast.owner
    )
    assert not sees(cast, signed)
    granted.due_at = ago(minutes=1)
    granted.save()
    assert sees(cast, signed)


def test_staff_see_what_students_may_see(cast: Cast, signed: Signed) -> None:
    change(cast, show_solutions="after-due", due_at=ahead(days=1))
    signed("tim")
    member(cast, "tim", Role.ASSISTANT)
    assert "solution.py" in page(signed("tim"), where(cast))


def test_a_copied_course_keeps_the_setting(cast: Cast) -> None:
    change(cast, show_solutions="after-due")
    course_copy(course=cast.course, slug="again", title="Again", term="", days=7, by=cast.staff)
    assert Assignment.objects.get(course__slug="again").show_solutions == "after-due"


def test_a_setting_that_does_not_exist_is_refused(cast: Cast) -> None:
    with pytest.raises(
        Refused, match=r"'always' is not a choice for when solutions are shown\. The choices are: never, after-passing"
    ):
        assignment_update(assignment=cast.assignment, by=cast.staff, show_solutions="always")
