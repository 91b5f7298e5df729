"""Effect of a regrade on grades: computed by the policy over all submissions of a student, and never lowered by accident."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Extension
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrading import GradeChange
from autograder.submissions import regrades
from autograder.submissions.models import Batch, Grading, Submission
from tests.cast import Cast, ago
from tests.gradebook.conftest import add_grading, graded

pytestmark = pytest.mark.django_db


def asked(cast: Cast, may_lower: bool = False, **wanted: object) -> Batch:
    return regrades.start(course=cast.course, by=cast.staff, reason="a better check", may_lower=may_lower, **wanted)  # type: ignore[arg-type]


def again(batch: Batch, scores: dict[Submission, float]) -> Batch:
    """Finish the preview with these scores."""
    for submission, score in scores.items():
        add_grading(submission, batch.work.get(submission=submission), score, current=False, why=Grading.Why.REGRADE)
    return batch


def told(changes: Sequence[GradeChange]) -> list[tuple[str, str | None, str | None]]:
    return [(change.membership.user.username, _text(change.before), _text(change.after)) for change in changes]


def _text(points: Decimal | None) -> str | None:
    return None if points is None else str(points)


def points(cast: Cast, name: str) -> float:
    found = score_of(cast.assignment, cast.membership(name)).points
    assert found is not None
    return float(found)


def policy(cast: Cast, name: str, late_share: str = "1") -> None:
    cast.assignment.policy, cast.assignment.late_share = name, Decimal(late_share)
    cast.assignment.save()


# -- the preview ----------------------------------------------------------------------------------------------------------


def test_every_grade_of_the_batch_with_the_largest_loss_first(cast: Cast) -> None:
    ada, ben, cem = (graded(cast, name, score) for name, score in (("ada", 5), ("ben", 8), ("cem", 3)))
    batch = again(asked(cast), {ada: 7, ben: 6, cem: 3})
    assert told(regrading.preview(batch)) == [("ben", "8.00", "6.00"), ("cem", "3.00", "3.00"), ("ada", "5.00", "7.00")]
    assert points(cast, "ben") == 8


def test_a_score_that_falls_costs_nothing_where_another_submission_counts(cast: Cast) -> None:
    worse, best = graded(cast, "ada", 4, ago(hours=2)), graded(cast, "ada", 9, ago(hours=1))
    batch = again(asked(cast), {worse: 2, best: 9})
    assert told(regrading.preview(batch)) == [("ada", "9.00", "9.00")]


def test_by_the_last_submission_where_the_last_counts(cast: Cast) -> None:
    policy(cast, "last")
    first, last = graded(cast, "ada", 9, ago(hours=2)), graded(cast, "ada", 4, ago(hours=1))
    batch = again(asked(cast), {first: 10, last: 5})
    assert told(regrading.preview(batch)) == [("ada", "4.00", "5.00")]


def test_the_last_is_the_last_by_its_time_whatever_its_number(cast: Cast) -> None:
    """Submissions with the same time may be numbered in either order."""
    policy(cast, "last")
    last, first = graded(cast, "ada", 9, ago(hours=1)), graded(cast, "ada", 4, ago(hours=2))
    batch = again(asked(cast), {last: 5})
    assert told(regrading.preview(batch)) == [("ada", "9.00", "5.00")]
    batch = again(asked(cast), {last: 9, first: 10})
    assert told(regrading.preview(batch)) == [("ada", "9.00", "9.00")]


def test_one_without_a_verdict_takes_its_place_by_its_time(cast: Cast) -> None:
    policy(cast, "last")
    last, first = graded(cast, "ada", 9, ago(hours=1)), graded(cast, "ada", 4, ago(hours=2), verdict="internal")
    batch = again(asked(cast), {first: 10})
    assert told(regrading.preview(batch)) == [("ada", "9.00", "9.00")]
    Grading.objects.filter(submission__in=[first, last]).update(verdict="internal")
    assert told(regrading.preview(batch)) == [("ada", None, "10.00")]


def test_a_late_submission_is_worth_its_share_before_and_after(cast: Cast) -> None:
    policy(cast, "best", "0.5")
    cast.assignment.due_at = ago(days=1)
    cast.assignment.save()
    early, late = graded(cast, "ada", 4, ago(days=2)), graded(cast, "ada", 6, ago(hours=1))
    batch = again(asked(cast), {early: 4, late: 10})
    assert told(regrading.preview(batch)) == [("ada", "4.00", "5.00")]


def test_what_was_never_graded_is_late_by_the_students_own_terms(cast: Cast) -> None:
    policy(cast, "best", "0.5")
    waiting = cast.hands_in("ada")
    cast.assignment.due_at = ago(days=1)
    cast.assignment.save()
    batch = again(asked(cast), {waiting: 8})
    assert told(regrading.preview(batch)) == [("ada", None, "4.00")]
    more = {"reason": "ill", "granted_by": cast.owner, "due_at": ago(days=1) + timedelta(days=9)}
    Extension.objects.create(assignment=cast.assignment, membership=cast.membership("ada"), **more)
    assert told(regrading.preview(batch)) == [("ada", None, "8.00")]


def test_an_override_is_told_and_stands(cast: Cast) -> None:
    ada = graded(cast, "ada", 5)
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(6), reason="r", by=cast.staff)
    (change,) = regrading.preview(again(asked(cast), {ada: 9}))
    assert (change.before, change.after) == (Decimal(5), Decimal(9))
    assert (change.stands_before, change.stands_after) == (Decimal(6), Decimal(6))


def test_queries_do_not_grow_with_the_class(cast: Cast, django_assert_max_num_queries: Any) -> None:
    many = [graded(cast, f"s{n}", 5) for n in range(8)]
    batch = again(asked(cast), dict.fromkeys(many, 6.0))
    with django_assert_max_num_queries(13):
        assert len(regrading.preview(batch)) == 8


def test_a_first_score_comes_where_its_submission_belongs(cast: Cast) -> None:
    policy(cast, "last")
    waiting = cast.hands_in("ada")
    last = graded(cast, "ada", 6)
    assert told(regrading.preview(again(asked(cast), {waiting: 9, last: 6}))) == [("ada", "6.00", "6.00")]


# -- commit


def test_a_commit_applies_the_gains_and_keeps_the_rest(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    batch = again(asked(cast, may_lower=True), {ada: 7, ben: 6})
    assert told(regrading.commit(batch, by=cast.staff, lower=False)) == [("ada", "5.00", "7.00")]
    assert (points(cast, "ada"), points(cast, "ben")) == (7, 8)


def test_a_commit_that_may_lower_applies_all(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    batch = again(asked(cast, may_lower=True), {ada: 7, ben: 6})
    regrading.commit(batch, by=cast.staff, lower=True)
    assert (points(cast, "ada"), points(cast, "ben")) == (7, 6)


def test_lowering_is_for_batches_that_may(cast: Cast) -> None:
    ben = graded(cast, "ben", 8)
    batch = again(asked(cast), {ben: 6})
    with pytest.raises(Refused, match="does not lower grades"):
        regrading.commit(batch, by=cast.staff, lower=True)
    assert points(cast, "ben") == 8
    batch.refresh_from_db()
    assert batch.state == Batch.State.PREVIEW


def test_of_one_grade_all_new_scores_count_or_none(cast: Cast) -> None:
    """Ada's best submission falls below her old grade, so her other one, which rises, keeps its grading as well."""
    best, other = graded(cast, "ada", 9, ago(hours=2)), graded(cast, "ada", 4, ago(hours=1))
    batch = again(asked(cast), {best: 6, other: 7})
    assert regrading.commit(batch, by=cast.staff, lower=False) == []
    assert sorted(Grading.objects.filter(current=True).values_list("score", flat=True)) == [4, 9]


def test_a_score_may_fall_where_the_grade_does_not(cast: Cast) -> None:
    worse, best = graded(cast, "ada", 4, ago(hours=2)), graded(cast, "ada", 8, ago(hours=1))
    batch = again(asked(cast), {worse: 2, best: 9})
    regrading.commit(batch, by=cast.staff, lower=False)
    assert points(cast, "ada") == 9
    assert sorted(Grading.objects.filter(current=True).values_list("score", flat=True)) == [2, 9]


def test_the_grade_below_an_override_does_not_fall_either(cast: Cast) -> None:
    ada = graded(cast, "ada", 8)
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(9), reason="r", by=cast.staff)
    regrading.commit(again(asked(cast), {ada: 2}), by=cast.staff, lower=False)
    assert Grading.objects.get(current=True).score == 8


def test_two_regrades_of_one_grade_do_not_lower_it_together(cast: Cast) -> None:
    """Each regrade alone keeps the grade, because of the submission that the other one lowers."""
    one, two = graded(cast, "ada", 9, ago(hours=2)), graded(cast, "ada", 9, ago(hours=1))
    batches = [
        again(asked(cast, submissions=Submission.objects.filter(pk=submission.pk)), {submission: 3})
        for submission in (one, two)
    ]
    for batch in batches:
        regrading.commit(batch, by=cast.staff, lower=False)
    assert points(cast, "ada") == 9


def test_each_changed_grade_is_audited_and_no_other(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    batch = again(asked(cast), {ada: 7, ben: 8})
    regrading.commit(batch, by=cast.staff, lower=False)
    entry = AuditEntry.objects.get(action="grade-changed")
    assert (entry.subject, entry.actor, entry.course) == (str(cast.membership("ada")), cast.owner, cast.course)
    assert entry.details == {
        "assignment": "value-engine", "before": "5.00", "after": "7.00", "reason": "a better check", "batch": batch.pk,
        "overridden": False,
    }  # fmt: skip


def test_a_commit_that_breaks_changes_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = graded(cast, "ada", 5)
    batch = again(asked(cast), {ada: 7})
    monkeypatch.setattr(regrading, "_text", lambda points: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        regrading.commit(batch, by=cast.staff, lower=False)
    assert points(cast, "ada") == 5
    assert not AuditEntry.objects.filter(action__in=("grade-changed", "score-changed")).exists()
