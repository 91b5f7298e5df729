"""Regrades: a preview of real gradings without effect, then committed or discarded."""

from collections.abc import Sequence

import pytest
from django.db.models import QuerySet

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry
from autograder.gradebook.scores import score_of
from autograder.library.models import ExerciseVersion
from autograder.submissions import intake, queue, regrades
from autograder.submissions.attempts import attempts_used
from autograder.submissions.grader import Grader
from autograder.submissions.models import Batch, Event, Grading, Kind, Lane, Submission, Work
from tests.cast import Cast, source_of, version_of
from tests.submissions.conftest import Bell

pytestmark = pytest.mark.django_db
WRONG = "wrong/missing-upstream"


def asked(cast: Cast, **wanted: object) -> Batch:
    return regrades.start(course=cast.course, by=cast.staff, reason="a better check", **wanted)  # type: ignore[arg-type]


def graded(cast: Cast, *names: str) -> list[Submission]:
    """Create a submission for each student, graded with full marks without a sandbox."""
    submissions = [cast.hands_in(name) for name in names]
    for _ in names:
        done(score=10)
    return submissions


def done(score: float, lane: Lane = Lane.SUBMIT, current: bool | None = None) -> Grading:
    """Finish the next work item of a lane with this score."""
    claim = queue.claim("w", (lane,))
    assert claim is not None
    assert queue.finish(claim)
    work = Work.objects.get(pk=claim.work_id)
    return Grading.objects.create(
        submission_id=work.submission_id,
        work=work,
        version_id=work.version_id,
        current=lane != Lane.REGRADE if current is None else current,
        why=Grading.Why.REGRADE if lane == Lane.REGRADE else Grading.Why.FIRST,
        seed=1,
        verdict="passed" if score == 10 else "partial",
        score=score,
        max_score=10,
        seconds=0.1,
        report={},
        worker="w",
        graded_at=work.queued_at,
    )


def regraded(score: float) -> Grading:
    return done(score, Lane.REGRADE)


def failed(lane: Lane) -> None:
    for _ in range(queue.TRIES):
        claim = queue.claim("w", (lane,))
        assert claim is not None
        queue.give_back(claim, "no more disk")


def what_counts(submission: Submission) -> float | None:
    found = submission.gradings.filter(current=True).first()
    return None if found is None else found.score


def who(changes: Sequence[regrades.Change]) -> list[tuple[str, float]]:
    return [(change.submission.membership.user.username, round(change.difference, 3)) for change in changes]


# -- the preview ----------------------------------------------------------------------------------------------------------


def test_a_preview_is_made_of_real_gradings_that_do_not_count(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada", source_of("value-engine", WRONG))
    assert grader.work_once()
    first = submission.gradings.get()
    asked(cast)
    assert grader.work_once()
    again = submission.gradings.exclude(pk=first.pk).get()
    assert (again.why, again.current) == (Grading.Why.REGRADE, False)
    assert (again.verdict, again.score) == (first.verdict, first.score)
    assert again.report["checks"]
    first.refresh_from_db()
    assert first.current


def test_a_preview_rings_for_regrades_and_not_for_live_work(
    cast: Cast, bell: Bell, django_capture_on_commit_callbacks: "pytest.FixtureRequest"
) -> None:
    graded(cast, "ada")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        asked(cast)
    assert (bell.rung, bell.for_regrades) == (0, 1)


def test_the_preview_tells_who_changes_and_by_how_much_the_largest_loss_first(cast: Cast) -> None:
    graded(cast, "ada", "ben", "cem", "dua")
    Grading.objects.filter(submission__membership=cast.membership("cem")).update(score=5)
    batch = asked(cast)
    for score in (9, 10, 7.5, 2):
        regraded(score)
    assert who(regrades.changes(batch)) == [("dua", -0.8), ("ada", -0.1), ("cem", 0.25)]


def test_scores_are_compared_as_shares_of_what_can_be_reached(cast: Cast) -> None:
    graded(cast, "ada")
    batch = asked(cast)
    new = regraded(20)
    Grading.objects.filter(pk=new.pk).update(max_score=20)
    assert regrades.changes(batch) == []


def test_progress_counts_what_is_done_and_what_failed(cast: Cast) -> None:
    graded(cast, "ada", "ben", "cem")
    batch = asked(cast)
    regraded(10)
    failed(Lane.REGRADE)
    found = regrades.progress(batch)
    assert (found.wanted, found.done, found.failed, found.ready) == (3, 1, 1, False)
    regraded(10)
    assert regrades.progress(batch).ready


def test_a_preview_tells_the_student_nothing(cast: Cast, grader: Grader) -> None:
    """The event stream must reveal neither a score that may never count nor titles of hidden checks."""
    cast.hands_in("ada", source_of("value-engine", WRONG))
    assert grader.work_once()
    Event.objects.all().delete()
    asked(cast)
    assert grader.work_once()
    asked(cast)
    failed(Lane.REGRADE)
    assert list(Event.objects.values_list("name", flat=True)) == []


# -- selection


def names_of(batch: Batch) -> list[str]:
    return list(batch.work.order_by("id").values_list("submission__membership__user__username", flat=True))


def test_a_whole_course_is_all_its_submissions_and_no_others(cast: Cast) -> None:
    other = Cast(slug="seminar")
    cast.assign("vjp-unbroadcast")
    graded(cast, "ada", "ben")
    graded(other, "sol")
    intake.submit(user=cast.student("ada"), course=cast.course, assignment="vjp-unbroadcast", source=b"x = 1")
    batch = asked(cast)
    assert names_of(batch) == ["ada", "ben", "ada"]
    assert list(batch.work.order_by("id").values_list("version__exercise__slug", flat=True)) == [
        *("value-engine", "value-engine", "vjp-unbroadcast"),
    ]


def test_an_assignment(cast: Cast) -> None:
    second = cast.assign("vjp-unbroadcast")
    graded(cast, "ada")
    intake.submit(user=cast.student("ben"), course=cast.course, assignment="vjp-unbroadcast", source=b"x = 1")
    assert names_of(asked(cast, assignment=second)) == ["ben"]


def test_a_selection(cast: Cast) -> None:
    graded(cast, "ada", "ben", "cem")
    chosen: QuerySet[Submission] = Submission.objects.filter(membership__user__username__in=("ada", "cem"))
    assert names_of(asked(cast, submissions=chosen)) == ["ada", "cem"]


def test_a_selection_reaches_into_no_other_course(cast: Cast) -> None:
    other = Cast(slug="seminar")
    graded(other, "sol")
    with pytest.raises(Refused, match="no submissions to grade again"):
        asked(cast, submissions=Submission.objects.all())


def test_another_version_is_for_the_assignments_of_its_exercise(cast: Cast) -> None:
    cast.assign("vjp-unbroadcast")
    graded(cast, "ada")
    intake.submit(user=cast.student("ben"), course=cast.course, assignment="vjp-unbroadcast", source=b"x = 1")
    old = version_of("value-engine")
    newer = ExerciseVersion.objects.create(
        exercise=old.exercise, hash="f" * 16, title="Newer", unit="", kind="engine", profile="python", points=10, archive=b""
    )
    batch = asked(cast, version=newer)
    assert [(work.submission.membership.user.username, work.version) for work in batch.work.all()] == [("ada", newer)]


def test_runs_are_not_graded_again(cast: Cast) -> None:
    cast.hands_in("ada", kind=Kind.RUN)
    with pytest.raises(Refused, match="no submissions to grade again"):
        asked(cast)


def test_what_a_newer_submission_replaced_is_not_graded_again(cast: Cast) -> None:
    cast.course.supersedes = True
    cast.course.save()
    cast.hands_in("ada")
    newer = cast.hands_in("ada")
    assert list(asked(cast).work.values_list("submission", flat=True)) == [newer.pk]


def test_nothing_to_regrade_is_refused_and_leaves_no_batch(cast: Cast) -> None:
    with pytest.raises(Refused, match="no submissions to grade again"):
        asked(cast)
    assert not Batch.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(("reason", "words"), [(" ", "Give a reason"), ("x" * 501, "501 characters")])
def test_a_regrade_needs_a_reason_that_can_be_kept(cast: Cast, reason: str, words: str) -> None:
    graded(cast, "ada")
    with pytest.raises(Refused, match=words):
        regrades.start(course=cast.course, by=cast.staff, reason=reason)


def test_regrades_never_go_ahead_of_live_work(cast: Cast) -> None:
    graded(cast, "ada", "ben")
    asked(cast)
    cast.hands_in("cem")
    cast.hands_in("cem", kind=Kind.RUN)
    cast.hands_in("cem")
    lanes = []
    while claim := queue.claim("w"):
        lanes.append(Work.objects.get(pk=claim.work_id).lane)
    assert lanes == [Lane.RUN, Lane.SUBMIT, Lane.SUBMIT, Lane.REGRADE, Lane.REGRADE]


# -- commit


def test_a_commit_makes_the_new_gradings_count(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(8)
    regraded(4)
    assert who(regrades.commit(batch, by=cast.staff)) == [("ada", 0.4)]
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
    regrades.commit(batch, by=cast.staff)
    entry = AuditEntry.objects.get(action="score-changed")
    assert (entry.subject, entry.actor, entry.course) == (str(ada), cast.owner, cast.course)
    assert entry.details == {"batch": batch.pk, "before": 4, "after": 8, "reason": "a better check"}
    assert AuditEntry.objects.filter(action="regrade-committed").count() == 1


def test_who_follows_a_submission_hears_of_a_commit(cast: Cast) -> None:
    graded(cast, "ada")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(10)
    regrades.commit(batch, by=cast.staff)
    event = Event.objects.last()
    assert event is not None
    assert (event.name, event.data) == ("regraded", {"verdict": "passed"})


def test_a_commit_lowers_no_score(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.filter(submission=ben).update(score=3)
    batch = asked(cast)
    lower, higher = regraded(2), regraded(5)
    assert who(regrades.commit(batch, by=cast.staff)) == [("ben", 0.2)]
    assert (what_counts(ada), what_counts(ben)) == (10, 5)
    lower.refresh_from_db()
    assert not lower.current
    assert AuditEntry.objects.filter(action="score-changed").count() == 1
    assert higher.submission == ben


def test_a_commit_lowers_scores_if_the_instructor_said_so(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    batch = asked(cast, may_lower=True)
    regraded(2)
    assert who(regrades.commit(batch, by=cast.staff)) == [("ada", -0.8)]
    assert what_counts(ada) == 2


def test_only_what_is_stored_says_that_a_batch_may_lower(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    batch = asked(cast)
    regraded(2)
    batch.may_lower = True
    regrades.commit(batch, by=cast.staff)
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
        regrades.commit(batch, by=cast.staff)
    assert (what_counts(ada), what_counts(ben)) == (4, 4)
    assert not AuditEntry.objects.filter(action="score-changed").exists()
    batch.refresh_from_db()
    assert batch.state == Batch.State.PREVIEW


def test_a_preview_that_is_not_ready_is_refused(cast: Cast) -> None:
    graded(cast, "ada", "ben")
    batch = asked(cast)
    regraded(10)
    with pytest.raises(Refused, match="not finished yet"):
        regrades.commit(batch, by=cast.staff)


@pytest.mark.parametrize("first", [regrades.commit, regrades.discard])
@pytest.mark.parametrize("second", [regrades.commit, regrades.discard])
def test_a_batch_ends_once(cast: Cast, first: type, second: type) -> None:
    graded(cast, "ada")
    batch = asked(cast)
    regraded(10)
    stale = Batch.objects.get(pk=batch.pk)
    first(batch, by=cast.staff)
    with pytest.raises(Refused, match=r"is (applied|discarded) already"):
        second(stale, by=cast.staff)


def test_what_could_not_be_graded_again_keeps_its_score(cast: Cast) -> None:
    ada, ben = graded(cast, "ada", "ben")
    Grading.objects.update(score=4)
    batch = asked(cast)
    failed(Lane.REGRADE)
    regraded(8)
    regrades.commit(batch, by=cast.staff)
    assert (what_counts(ada), what_counts(ben)) == (4, 8)


def test_a_regrade_that_failed_gives_no_attempt_back(cast: Cast) -> None:
    graded(cast, "ada")
    asked(cast)
    failed(Lane.REGRADE)
    assert attempts_used(cast.assignment, cast.membership("ada")) == 1


def test_a_submission_that_was_never_graded_gets_its_first_score(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    failed(Lane.SUBMIT)
    batch = asked(cast)
    regraded(6)
    assert who(regrades.changes(batch)) == [("ada", 0.6)]
    regrades.commit(batch, by=cast.staff)
    assert what_counts(ada) == 6
    assert AuditEntry.objects.get(action="score-changed").details["before"] is None


def test_a_first_score_of_nothing_counts_as_well(cast: Cast) -> None:
    ada = cast.hands_in("ada")
    failed(Lane.SUBMIT)
    batch = asked(cast)
    regraded(0)
    regrades.commit(batch, by=cast.staff)
    assert what_counts(ada) == 0


def test_a_submission_handed_in_during_the_preview_is_untouched(cast: Cast) -> None:
    graded(cast, "ada")
    Grading.objects.update(score=4)
    batch = asked(cast)
    new = cast.hands_in("ada")
    done(7)
    regraded(8)
    regrades.commit(batch, by=cast.staff)
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
    assert regrades.changes(batch) == []
    regrades.commit(batch, by=cast.staff)
    assert what_counts(old) is None


# -- concurrent regrades


def test_of_two_batches_on_one_submission_the_later_one_counts(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    first, second = asked(cast), asked(cast)
    regraded(5)
    regraded(7)
    regrades.commit(first, by=cast.staff)
    assert what_counts(ada) == 5
    assert who(regrades.changes(second)) == [("ada", 0.2)]
    regrades.commit(second, by=cast.staff)
    assert what_counts(ada) == 7


def test_a_commit_puts_no_older_grading_in_place_of_a_newer_one(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    older, newer = asked(cast), asked(cast)
    regraded(9)
    regraded(7)
    regrades.commit(newer, by=cast.staff)
    assert regrades.changes(older) == []
    assert regrades.commit(older, by=cast.staff) == []
    assert what_counts(ada) == 7


def test_what_counts_is_looked_at_when_it_is_committed_and_not_before(cast: Cast) -> None:
    """The preview showed a gain over 1, but at commit time it would be a loss."""
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=1)
    first, second = asked(cast), asked(cast)
    regraded(9)
    regraded(5)
    assert who(regrades.changes(second)) == [("ada", 0.4)]
    regrades.commit(first, by=cast.staff)
    regrades.commit(second, by=cast.staff)
    assert what_counts(ada) == 9


def test_live_work_that_ends_after_a_commit_takes_nothing_back(cast: Cast, grader: Grader) -> None:
    """A regrade was graded and committed while a slow worker was still at the first grading."""
    ada = cast.hands_in("ada")
    slow = queue.claim("slow")
    assert slow is not None
    batch = asked(cast)
    assert grader.work_once()
    regrades.commit(batch, by=cast.staff)
    assert queue.give_back(slow, "frozen")
    assert grader.work_once()
    assert ada.gradings.count() == 2
    assert ada.gradings.get(current=True).why == Grading.Why.REGRADE
    assert ada.work.get(batch=None).state == Work.State.DONE


# -- discard


def test_discard_drops_what_waits(cast: Cast) -> None:
    graded(cast, "ada", "ben")
    batch = asked(cast)
    regraded(10)
    regrades.discard(batch, by=cast.staff)
    assert sorted(batch.work.values_list("state", flat=True)) == [Work.State.DONE, Work.State.DROPPED]
    assert queue.claim("w") is None


def test_discard_changes_no_score(cast: Cast) -> None:
    (ada,) = graded(cast, "ada")
    Grading.objects.update(score=4)
    batch = asked(cast)
    regraded(10)
    regrades.discard(batch, by=cast.staff)
    assert what_counts(ada) == 4
    assert not AuditEntry.objects.filter(action="score-changed").exists()
    assert AuditEntry.objects.filter(action="regrade-discarded", actor=cast.owner).count() == 1


def test_what_is_being_graded_while_it_is_discarded_is_thrown_away(cast: Cast) -> None:
    graded(cast, "ada")
    batch = asked(cast)
    claim = queue.claim("w")
    assert claim is not None
    regrades.discard(batch, by=cast.staff)
    assert not queue.finish(claim)
    assert not queue.give_back(claim, "too late")
