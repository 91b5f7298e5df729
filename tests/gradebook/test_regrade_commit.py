"""Committing a regrade: which gradings count afterwards, and what two regrades of one submission do."""

from collections.abc import Callable

import pytest

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry
from autograder.gradebook.grades.scores import score_of
from autograder.gradebook.regrades import regrading
from autograder.submissions import regrades
from autograder.submissions.grader import Grader
from autograder.submissions.models import Batch, Event, Grading, Lane, Work
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.gradebook.test_regrading import _text as text
from tests.submissions.conftest import grader, nothing_remembered, warm_grader  # noqa: F401 - fixtures
from tests.submissions.test_regrades import asked, changes, done, failed, graded, regraded, what_counts

pytestmark = pytest.mark.django_db


def commit(cast: Cast, batch: Batch, lower: bool = False) -> list[tuple[str, str | None, str | None]]:
    made = regrading.commit(batch, by=cast.staff, lower=lower)
    return [(change.membership.user.username, text(change.before), text(change.after)) for change in made]


def discard(cast: Cast, batch: Batch) -> None:
    regrades.discard(batch, by=cast.staff)


def test_a_commit_makes_the_new_gradings_count(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(8)
    regraded(4)
    assert commit(cast, batch) == [("ada", "4.00", "8.00")]
    assert (what_counts(ada), what_counts(ben)) == (8, 4)
    assert set(Grading.objects.filter(current=True).values_list("why", flat=True)) == {"regrade"}
    assert str(score_of(cast.assignment, cast.membership("ada")).points) == "8.00"
    batch.refresh_from_db()
    assert batch.state == Batch.State.COMMITTED
    assert batch.ended_at is not None


def test_each_changed_score_is_audited_and_no_other(cast: Cast) -> None:
    ada, _ = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(8)
    regraded(4)
    commit(cast, batch)
    entry = AuditEntry.objects.get(action="score-changed")
    assert (entry.subject, entry.actor, entry.course) == (str(ada), cast.owner, cast.course)
    assert entry.details == {"batch": batch.pk, "before": 4, "after": 8, "reason": "a better check"}
    assert AuditEntry.objects.filter(action="regrade-committed").count() == 1


def test_who_follows_a_submission_hears_of_a_commit(cast: Cast) -> None:
    graded(cast, "ada")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(10)
    commit(cast, batch)
    event = Event.objects.last()
    assert event is not None
    assert (event.name, event.data) == ("regraded", {"verdict": "passed"})


def test_a_commit_lowers_no_score(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.filter(submission=ben).update(score=3)
    batch = asked(cast)
    lower, higher = regraded(2), regraded(5)
    assert commit(cast, batch) == [("ben", "3.00", "5.00")]
    assert (what_counts(ada), what_counts(ben)) == (10, 5)
    lower.refresh_from_db()
    assert not lower.current
    assert AuditEntry.objects.filter(action="score-changed").count() == 1
    assert higher.submission == ben


def test_a_commit_lowers_scores_if_the_instructor_said_so(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    batch = asked(cast, may_lower=True)
    regraded(2)
    assert commit(cast, batch, lower=True) == [("ada", "10.00", "2.00")]
    assert what_counts(ada) == 2


def test_only_what_is_stored_says_that_a_batch_may_lower(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    batch = asked(cast)
    regraded(2)
    batch.may_lower = True
    with pytest.raises(Refused, match="does not lower grades"):
        commit(cast, batch, lower=True)
    assert what_counts(ada) == 10


def test_a_commit_that_breaks_changes_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(8)
    regraded(8)
    record, calls = audit.record, []

    def breaks_at_the_second(*args: object, **details: object) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError("the machine went away")
        return record(*args, **details)  # type: ignore[arg-type]

    monkeypatch.setattr(audit, "record", breaks_at_the_second)
    with pytest.raises(RuntimeError):
        commit(cast, batch)
    assert (what_counts(ada), what_counts(ben)) == (4, 4)
    assert not AuditEntry.objects.filter(action="score-changed").exists()
    batch.refresh_from_db()
    assert batch.state == Batch.State.PREVIEW


def test_a_preview_that_is_not_ready_is_refused(cast: Cast) -> None:
    graded(cast, "ada", "ben")
    batch = asked(cast)
    regraded(10)
    with pytest.raises(Refused, match="not finished yet"):
        commit(cast, batch)


@pytest.mark.parametrize("first", [commit, discard])
@pytest.mark.parametrize("second", [commit, discard])
def test_a_batch_ends_once(
    cast: Cast, first: Callable[[Cast, Batch], object], second: Callable[[Cast, Batch], object]
) -> None:
    graded(cast, "ada")
    batch = asked(cast)
    regraded(10)
    stale = Batch.objects.get(pk=batch.pk)
    first(cast, batch)
    with pytest.raises(Refused, match=r"is already (applied|discarded)"):
        second(cast, stale)


def test_what_could_not_be_graded_again_keeps_its_score(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    failed(Lane.REGRADE)
    regraded(8)
    commit(cast, batch)
    assert (what_counts(ada), what_counts(ben)) == (4, 8)


def test_a_submission_that_was_never_graded_gets_its_first_score(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    failed(Lane.SUBMIT)
    batch = asked(cast)
    regraded(6)
    assert changes(batch) == [("ada", 0.6)]
    commit(cast, batch)
    assert what_counts(ada) == 6
    assert AuditEntry.objects.get(action="score-changed").details["before"] is None


def test_a_first_score_of_nothing_counts_as_well(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    failed(Lane.SUBMIT)
    batch = asked(cast)
    regraded(0)
    commit(cast, batch)
    assert what_counts(ada) == 0


def test_a_submission_handed_in_during_the_preview_is_untouched(cast: Cast) -> None:
    graded(cast, "ada")
    Grading.objects.update(score=4)
    batch = asked(cast)
    new = cast.hands_in("ada")
    done(7)
    regraded(8)
    commit(cast, batch)
    assert what_counts(new) == 7
    assert new.work.count() == 1


def test_a_submission_replaced_during_the_preview_gets_no_score(cast: Cast) -> None:
    cast.course.supersedes = True
    cast.course.save()
    old = cast.hands_in("ada")
    batch = asked(cast)
    cast.hands_in("ada")
    done(7)
    regraded(10)
    assert changes(batch) == []
    commit(cast, batch)
    assert what_counts(old) is None


# -- concurrent regrades


def test_of_two_batches_on_one_submission_the_later_one_counts(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    first, second = asked(cast), asked(cast)
    regraded(5)
    regraded(7)
    commit(cast, first)
    assert what_counts(ada) == 5
    assert changes(second) == [("ada", 0.2)]
    commit(cast, second)
    assert what_counts(ada) == 7


def test_a_commit_puts_no_older_grading_in_place_of_a_newer_one(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    older, newer = asked(cast), asked(cast)
    regraded(9)
    regraded(7)
    commit(cast, newer)
    assert changes(older) == []
    assert commit(cast, older) == []
    assert what_counts(ada) == 7


def test_what_counts_is_looked_at_when_it_is_committed_and_not_before(cast: Cast) -> None:
    """The preview showed a gain over 1, but at commit time it would be a loss."""
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    first, second = asked(cast), asked(cast)
    regraded(9)
    regraded(5)
    assert changes(second) == [("ada", 0.4)]
    commit(cast, first)
    commit(cast, second)
    assert what_counts(ada) == 9


def test_live_work_that_ends_after_a_commit_takes_nothing_back(cast: Cast, grader: Grader) -> None:  # noqa: F811
    """A regrade was graded and committed while a slow worker was still at the first grading."""
    ada = cast.hands_in("ada")
    slow = queue.claim("slow")
    assert slow is not None
    batch = asked(cast)
    assert grader.work_once()
    commit(cast, batch)
    assert queue.gradings.give_back(slow, "frozen")
    assert grader.work_once()
    assert ada.gradings.count() == 2
    assert ada.gradings.get(current=True).why == Grading.Why.REGRADE
    assert ada.work.get(batch=None).state == Work.State.DONE
