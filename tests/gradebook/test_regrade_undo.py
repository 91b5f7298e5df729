"""Undoing a committed regrade restores the previous gradings; permissions, and what prevents an undo."""

from decimal import Decimal

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Role
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.freezing import freeze
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.regrades import regrading
from autograder.gradebook.regrades.regrade_undo import undo
from autograder.submissions.models import Batch, Event, Grading, Replacement, Submission
from tests.cast import Cast, ago
from tests.gradebook.conftest import add_grading, graded
from tests.gradebook.test_regrading import _text, again, asked, points

pytestmark = pytest.mark.django_db


def committed(cast: Cast, scores: dict[Submission, float], lower: bool = True) -> Batch:
    batch = again(asked(cast, may_lower=True), scores)
    regrading.commit(batch, by=cast.staff, lower=lower)
    return Batch.objects.get(pk=batch.pk)


def back(cast: Cast, batch: Batch, reason: str = "The check was right.") -> list[tuple[str, str | None, str | None]]:
    made = undo(batch, by=cast.staff, reason=reason)
    return [(change.membership.user.username, _text(change.before), _text(change.after)) for change in made]


def what_counts() -> list[int]:
    return list(Grading.objects.filter(current=True).order_by("pk").values_list("pk", flat=True))


def test_the_earlier_gradings_count_again_exactly(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    before = what_counts()
    batch = committed(cast, {ada: 7, ben: 6})
    assert (points(cast, "ada"), points(cast, "ben")) == (7, 6)
    assert back(cast, batch) == [("ada", "7.00", "5.00"), ("ben", "6.00", "8.00")]
    assert what_counts() == before
    batch.refresh_from_db()
    assert batch.state == Batch.State.UNDONE
    assert Grading.objects.count() == 4


def test_what_the_commit_left_alone_is_left_alone(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    batch = committed(cast, {ada: 7, ben: 6}, lower=False)
    assert back(cast, batch) == [("ada", "7.00", "5.00")]
    assert points(cast, "ben") == 8


def test_what_was_never_graded_before_has_no_grade_again(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    ada.work.update(state="failed", ended_at=ago(hours=1))
    batch = committed(cast, {ada: 7})
    assert back(cast, batch) == [("ada", "7.00", None)]
    assert score_of(cast.assignment, cast.membership("ada")).points is None


def test_its_own_grading_counts_where_that_came_meanwhile(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    batch = committed(cast, {ada: 7})
    add_grading(ada, ada.work.get(batch=None), 4, current=False)
    back(cast, batch)
    assert points(cast, "ada") == 4


def test_it_is_written_down_and_followers_hear_of_it(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    Event.objects.all().delete()
    back(cast, batch)
    grade = AuditEntry.objects.filter(details__taken_back=True, action="grade-changed").get()
    assert grade.details == {
        "assignment": "value-engine", "before": "7.00", "after": "5.00", "reason": "The check was right.", "batch": batch.pk,
        "overridden": False, "taken_back": True,
    }  # fmt: skip
    score = AuditEntry.objects.filter(details__taken_back=True, action="score-changed").get()
    assert (score.details["before"], score.details["after"]) == (7, 5)
    assert AuditEntry.objects.get(action="regrade-undone").actor == cast.owner
    assert list(Event.objects.values_list("name", flat=True)) == ["regraded"]


def test_what_was_set_by_hand_stays(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(9), reason="Oral.", by=cast.staff)
    back(cast, batch)
    assert points(cast, "ada") == 9
    assert AuditEntry.objects.get(details__taken_back=True, action="grade-changed").details["overridden"]


def test_what_was_handed_in_since_counts_as_it_does(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5, ago(hours=1)): 7})
    graded(cast, "ada", 6)
    assert back(cast, batch) == [("ada", "7.00", "6.00")]


def test_a_later_regrade_is_taken_back_first(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", 5), graded(cast, "ben", 8)
    first = committed(cast, {ada: 7, ben: 9})
    later = asked(cast, submissions=Submission.objects.filter(pk=ada.pk))
    regrading.commit(again(later, {ada: 8}), by=cast.staff, lower=False)
    with pytest.raises(Refused, match=f"Regrade {later.pk} has since regraded 1 of these 2 submissions"):
        back(cast, first)
    assert (points(cast, "ada"), points(cast, "ben")) == (8, 9)
    back(cast, Batch.objects.get(pk=later.pk))
    assert points(cast, "ada") == 7
    back(cast, first)
    assert (points(cast, "ada"), points(cast, "ben")) == (5, 8)


def test_only_what_counts_is_taken_back(cast: Cast) -> None:
    ada = graded(cast, "ada", 5)
    preview = again(asked(cast), {ada: 7})
    with pytest.raises(Refused, match="this one is preview"):
        back(cast, preview)
    regrading.commit(preview, by=cast.staff, lower=False)
    back(cast, preview)
    with pytest.raises(Refused, match="this one is undone"):
        back(cast, preview)
    with pytest.raises(Refused, match="is already undone"):
        regrading.commit(preview, by=cast.staff, lower=False)


def test_what_was_committed_before_this_was_kept_is_refused(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    Replacement.objects.all().delete()
    with pytest.raises(Refused, match="applied by an older version of Gradus"):
        back(cast, batch)
    assert points(cast, "ada") == 7


def test_a_commit_that_took_nothing_has_nothing_to_take_back(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 3}, lower=False)
    with pytest.raises(Refused, match="changed nothing"):
        back(cast, batch)


def test_a_frozen_gradebook_takes_nothing_back(cast: Cast) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    freeze(course=cast.course, by=cast.staff)
    with pytest.raises(Refused, match="A regrade cannot be undone now"):
        back(cast, batch)
    assert points(cast, "ada") == 7


@pytest.mark.parametrize(("reason", "words"), [(" ", "Give a reason"), ("x" * 501, "501 characters")])
def test_it_needs_a_reason(cast: Cast, reason: str, words: str) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    with pytest.raises(Refused, match=words):
        back(cast, batch, reason)


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_it_is_for_instructors(cast: Cast, role: Role) -> None:
    batch = committed(cast, {graded(cast, "ada", 5): 7})
    member = cast.membership("ann")
    member.role = role
    member.save()
    with pytest.raises(Refused, match="You may not regrade"):
        undo(batch, by=member, reason="mine")
    assert points(cast, "ada") == 7
