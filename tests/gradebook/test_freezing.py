"""A gradebook that is closed: what stood then is shown everywhere, and nobody changes it, until it is open again."""

from decimal import Decimal

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Membership, Role
from autograder.courses.selectors import terms_of_student
from autograder.gradebook import regrading
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.freezing import freeze, unfreeze
from autograder.gradebook.models import Freeze, Override
from autograder.gradebook.scores import override, scores_of_student, undo_override
from autograder.gradebook.sheet import sheet_of
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Grading, Submission, Work
from tests.cast import Cast
from tests.gradebook.conftest import add_grading, graded

pytestmark = pytest.mark.django_db


def points(cast: Cast, login: str = "ada") -> list[Decimal | None]:
    sheet = sheet_of(cast.course)
    return next(sheet.points(student) for student in sheet.students if student.login == login)


def own(cast: Cast, login: str = "ada") -> Decimal | None:
    """As the student's own pages have it."""
    member = cast.membership(login)
    terms = terms_of_student(member, [cast.assignment])
    return scores_of_student(member, [cast.assignment], terms)[cast.assignment.pk].points


def decide(cast: Cast) -> Override:
    member = cast.membership("ada")
    return override(assignment=cast.assignment, membership=member, points=Decimal(3), reason="On paper.", by=cast.owner)


def preview(cast: Cast, submission: Submission, score: float) -> Batch:
    """A regrade that is finished and found this score."""
    batch = regrades.start(course=cast.course, by=cast.owner, reason="A check was wrong.")
    work = Work.objects.get(batch=batch, submission=submission)
    add_grading(submission, work, score, current=False, why=Grading.Why.REGRADE)
    return batch


def test_what_comes_after_does_not_change_the_points(cast: Cast) -> None:
    graded(cast, "ada", 4)
    cast.student("ben")
    freeze(course=cast.course, by=cast.owner)
    graded(cast, "ada", 9)
    graded(cast, "ben", 9)
    assert (points(cast), points(cast, "ben")) == ([Decimal("4.00")], [None])
    assert (own(cast), own(cast, "ben")) == (Decimal("4.00"), None)


def test_exports_write_what_stood(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.owner)
    graded(cast, "ada", 9)
    assert b"4.00" in EXPORTS["csv"].write(sheet_of(cast.course), Options())


def test_who_or_what_came_after_has_no_points(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.owner)
    graded(cast, "new", 9)
    cast.assign("fn-cubic", position=2)
    assert points(cast) == [Decimal("4.00"), None]
    assert points(cast, "new") == [None, None]


def test_who_was_removed_comes_back_to_the_points_of_then(cast: Cast) -> None:
    graded(cast, "ada", 4)
    Membership.objects.filter(user__username="ada").update(removed_at="2026-01-01T00:00Z")
    freeze(course=cast.course, by=cast.owner)
    Membership.objects.filter(user__username="ada").update(removed_at=None)
    graded(cast, "ada", 9)
    assert points(cast) == [Decimal("4.00")]


def test_what_counts_is_told_where_it_still_counts(cast: Cast) -> None:
    counts = graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.owner)
    assert next(iter(sheet_of(cast.course).cells.values())).submission_id == counts.pk
    graded(cast, "ada", 9)
    assert next(iter(sheet_of(cast.course).cells.values())).submission_id is None


def test_open_again_everything_counts(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.owner)
    graded(cast, "ada", 9)
    unfreeze(course=cast.course, by=cast.owner)
    assert (points(cast), own(cast)) == ([Decimal("9.00")], Decimal("9.00"))


def test_no_score_is_set_or_taken_back(cast: Cast) -> None:
    decide(cast)
    freeze(course=cast.course, by=cast.owner)
    with pytest.raises(Refused, match=r"is frozen since .* by autodiff-grace: no score can be set now. Unfreeze it first"):
        decide(cast)
    with pytest.raises(Refused, match="no score can be taken back now"):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.owner)
    assert Override.objects.filter(undone_at=None).count() == 1


def test_no_regrade_counts(cast: Cast) -> None:
    batch = preview(cast, graded(cast, "ada", 4), 9)
    freeze(course=cast.course, by=cast.owner)
    with pytest.raises(Refused, match="a regrade cannot change scores now"):
        regrading.commit(batch, by=cast.owner, lower=False)
    assert Grading.objects.get(current=True).score == 4
    unfreeze(course=cast.course, by=cast.owner)
    regrading.commit(batch, by=cast.owner, lower=False)
    assert Grading.objects.get(current=True).score == 9


def test_another_course_is_not_frozen_with_it(cast: Cast) -> None:
    other = Cast(slug="other", exercise="value-unary")
    graded(other, "ada", 4)
    freeze(course=cast.course, by=cast.owner)
    graded(other, "ada", 9)
    assert points(other) == [Decimal("9.00")]


def test_it_is_written_down_who_froze_and_who_lifted(cast: Cast) -> None:
    freeze(course=cast.course, by=cast.owner)
    unfreeze(course=cast.course, by=cast.owner)
    assert [entry.action for entry in AuditEntry.objects.all()] == ["gradebook-unfrozen", "gradebook-frozen"]
    row = Freeze.objects.get()
    assert (row.by, row.lifted_by) == (cast.owner, cast.owner)
    assert row.lifted_at is not None


def test_twice_is_refused(cast: Cast) -> None:
    with pytest.raises(Refused, match="is not frozen"):
        unfreeze(course=cast.course, by=cast.owner)
    freeze(course=cast.course, by=cast.owner)
    with pytest.raises(Refused, match="cannot be frozen twice"):
        freeze(course=cast.course, by=cast.owner)


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_it_is_for_instructors(cast: Cast, role: Role) -> None:
    member = cast.membership("ann")
    member.role = role
    member.save()
    for deed in (freeze, unfreeze):
        with pytest.raises(Refused, match="You may not freeze the gradebook"):
            deed(course=cast.course, by=member.user)
    assert not Freeze.objects.exists()
