"""A frozen gradebook shows the points at the time of freezing everywhere and rejects changes until it is unfrozen."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, AuditEntry, Extension, Membership, Role
from autograder.courses.people.extensions import extension_grant, terms_of_student
from autograder.gradebook.decisions.overrides import override, undo_override
from autograder.gradebook.exports import EXPORTS, Options
from autograder.gradebook.grades.freezing import freeze, unfreeze
from autograder.gradebook.grades.scores import scores_of_student
from autograder.gradebook.grades.sheet import sheet_of
from autograder.gradebook.grades.totals import plan_of_course, totals_of
from autograder.gradebook.models import Freeze, Override, UnitRule
from autograder.gradebook.regrades import regrading
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Grading, Submission, Work
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import add_grading, graded

pytestmark = pytest.mark.django_db


def points(cast: Cast, login: str = "ada") -> list[Decimal | None]:
    sheet = sheet_of(cast.course)
    return next(sheet.points(student) for student in sheet.students if student.login == login)


def own(cast: Cast, login: str = "ada") -> Decimal | None:
    """The points on the student's own pages."""
    member = cast.membership(login)
    terms = terms_of_student(member, [cast.assignment])
    return scores_of_student(member, [cast.assignment], terms)[cast.assignment.pk].points


def decide(cast: Cast) -> Override:
    member = cast.membership("ada")
    return override(assignment=cast.assignment, membership=member, points=Decimal(3), reason="On paper.", by=cast.staff)


def preview(cast: Cast, submission: Submission, score: float) -> Batch:
    """A finished regrade with this score."""
    batch = regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.")
    work = Work.objects.get(batch=batch, submission=submission)
    add_grading(submission, work, score, current=False, why=Grading.Why.REGRADE)
    return batch


def test_what_comes_after_does_not_change_the_points(cast: Cast) -> None:
    graded(cast, "ada", 4)
    cast.student("ben")
    freeze(course=cast.course, by=cast.staff)
    graded(cast, "ada", 9)
    graded(cast, "ben", 9)
    assert (points(cast), points(cast, "ben")) == ([Decimal("4.00")], [None])
    assert (own(cast), own(cast, "ben")) == (Decimal("4.00"), None)


def test_exports_write_what_stood(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    graded(cast, "ada", 9)
    assert b"4.00" in EXPORTS["csv"].write(sheet_of(cast.course), Options())


def test_who_or_what_came_after_has_no_points(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    graded(cast, "new", 9)
    cast.assign("fn-cubic", position=2)
    assert points(cast) == [Decimal("4.00"), None]
    assert points(cast, "new") == [None, None]


def test_who_was_removed_comes_back_to_the_points_of_then(cast: Cast) -> None:
    graded(cast, "ada", 4)
    Membership.objects.filter(user__username="ada").update(removed_at="2026-01-01T00:00Z")
    freeze(course=cast.course, by=cast.staff)
    Membership.objects.filter(user__username="ada").update(removed_at=None)
    graded(cast, "ada", 9)
    assert points(cast) == [Decimal("4.00")]


def test_what_counts_is_told_where_it_still_counts(cast: Cast) -> None:
    counts = graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    assert next(iter(sheet_of(cast.course).cells.values())).submission_id == counts.pk
    graded(cast, "ada", 9)
    assert next(iter(sheet_of(cast.course).cells.values())).submission_id is None


def test_open_again_everything_counts(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    graded(cast, "ada", 9)
    unfreeze(course=cast.course, by=cast.staff)
    assert (points(cast), own(cast)) == ([Decimal("9.00")], Decimal("9.00"))


def test_no_score_is_set_or_taken_back(cast: Cast) -> None:
    decide(cast)
    freeze(course=cast.course, by=cast.staff)
    with pytest.raises(
        Refused, match=r"No score can be set now: autodiff-grace froze the gradebook on .* Unfreeze it first"
    ):
        decide(cast)
    with pytest.raises(Refused, match="A score set by hand cannot be undone now"):
        undo_override(assignment=cast.assignment, membership=cast.membership("ada"), by=cast.staff)
    assert Override.objects.filter(undone_at=None).count() == 1


def test_no_regrade_counts(cast: Cast) -> None:
    batch = preview(cast, graded(cast, "ada", 4), 9)
    freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="A regrade cannot change scores now"):
        regrading.commit(batch, by=cast.staff, lower=False)
    assert Grading.objects.get(current=True).score == 4
    unfreeze(course=cast.course, by=cast.staff)
    regrading.commit(batch, by=cast.staff, lower=False)
    assert Grading.objects.get(current=True).score == 9


def test_another_course_is_not_frozen_with_it(cast: Cast) -> None:
    other = Cast(slug="other", exercise="value-unary")
    graded(other, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    graded(other, "ada", 9)
    assert points(other) == [Decimal("9.00")]


def test_it_is_written_down_who_froze_and_who_lifted(cast: Cast) -> None:
    freeze(course=cast.course, by=cast.staff)
    unfreeze(course=cast.course, by=cast.staff)
    assert [entry.action for entry in AuditEntry.objects.all()] == ["gradebook-unfrozen", "gradebook-frozen"]
    row = Freeze.objects.get()
    assert (row.by, row.lifted_by) == (cast.owner, cast.owner)
    assert row.lifted_at is not None


def test_twice_is_refused(cast: Cast) -> None:
    with pytest.raises(Refused, match="is not frozen"):
        unfreeze(course=cast.course, by=cast.staff)
    freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="cannot be frozen twice"):
        freeze(course=cast.course, by=cast.staff)


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_it_is_for_instructors(cast: Cast, role: Role) -> None:
    member = cast.membership("ann")
    member.role = role
    member.save()
    for deed in (freeze, unfreeze):
        with pytest.raises(Refused, match="You may not freeze"):
            deed(course=cast.course, by=member)
    assert not Freeze.objects.exists()


# -- totals


def two_units(cast: Cast) -> Assignment:
    """Weighted units: the first drops one of two exercises, the second has one that is not due yet."""
    Assignment.objects.filter(pk=cast.assignment.pk).update(unit="A", due_at=ago(days=1))
    cast.assign("fn-cubic", unit="A", points=20, due_at=ago(days=1))
    other = cast.assign("value-unary", unit="B", points=30, due_at=ahead(days=5))
    UnitRule.objects.create(course=cast.course, unit="A", weight=60, drop_lowest=1)
    UnitRule.objects.create(course=cast.course, unit="B", weight=40)
    graded(cast, "ada", 7.5)
    override(assignment=other, membership=cast.membership("ada"), points=Decimal(21), reason="Oral.", by=cast.staff)
    extension_grant(
        assignment=cast.assign("vjp-unbroadcast", unit="B", due_at=ago(days=1)), membership=cast.membership("ada"),
        by=cast.staff, reason="Ill.", due_at=ahead(days=5),
    )  # fmt: skip
    return other


def total(cast: Cast, login: str = "ada") -> tuple[Decimal | None, Decimal, bool]:
    sheet = sheet_of(cast.course)
    student = next(one for one in sheet.students if one.login == login)
    found = totals_of(sheet, plan_of_course(cast.course, sheet))[student.membership_id]
    return found.rounded, found.of, found.so_far


def changed(cast: Cast, **settings: Any) -> None:
    Assignment.objects.filter(course=cast.course).update(**settings)


@pytest.mark.parametrize(
    "change",
    [
        lambda cast: changed(cast, points=3),
        lambda cast: changed(cast, unit="C"),
        lambda cast: changed(cast, due_at=ahead(days=9)),
        lambda cast: changed(cast, due_at=ago(days=9)),
        lambda cast: changed(cast, removed_at=ago(hours=1)),
        lambda cast: changed(cast, policy="last", late_share=0),
        lambda cast: UnitRule.objects.filter(course=cast.course).delete(),
        lambda cast: UnitRule.objects.filter(course=cast.course).update(drop_lowest=0, weight=50),
        lambda cast: Extension.objects.all().delete(),
        lambda cast: cast.assign("value-topo", unit="A", points=99, due_at=ago(days=30)),
    ],
    ids=["points", "unit", "later", "sooner", "removed", "policy", "no-rules", "other-rules", "extension", "assigned"],
)
def test_a_total_stays_whatever_is_set_up_later(cast: Cast, change: Callable[[Cast], object]) -> None:
    two_units(cast)
    before, others = total(cast), total(cast, cast.student("ben").username)
    freeze(course=cast.course, by=cast.staff)
    assert (total(cast), total(cast, "ben")) == (before, others)
    change(cast)
    assert (total(cast), total(cast, "ben")) == (before, others)


def test_exports_and_her_own_page_say_what_points_were_out_of(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    changed(cast, points=50)
    assert [column.points for column in sheet_of(cast.course).columns] == [Decimal(10)]
    member = cast.membership("ada")
    cast.assignment.refresh_from_db()
    score = scores_of_student(member, [cast.assignment], terms_of_student(member, [cast.assignment]))[cast.assignment.pk]
    assert (score.points, score.of) == (Decimal("4.00"), Decimal("10.00"))


def test_an_older_freeze_keeps_its_points_and_counts_as_the_course_does(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    Freeze.objects.update(basis=None)
    changed(cast, points=50)
    assert points(cast) == [Decimal("4.00")]
    assert total(cast)[1] == 50
