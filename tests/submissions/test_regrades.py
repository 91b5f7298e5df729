"""Regrades: a preview of real gradings without effect, and its end without one."""

import pytest
from django.db.models import QuerySet

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry
from autograder.library.models import ExerciseVersion
from autograder.submissions import regrades
from autograder.submissions.grader import Grader
from autograder.submissions.handing_in import intake
from autograder.submissions.handing_in.attempts import attempts_used
from autograder.submissions.models import Batch, Event, Grading, Kind, Lane, Submission, Work
from autograder.submissions.work import queue
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
    assert queue.gradings.finish(claim)
    work = Work.objects.get(pk=claim.pk)
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
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("w", (lane,))
        assert claim is not None
        queue.gradings.give_back(claim, "no more disk")


def what_counts(submission: Submission) -> float | None:
    found = submission.gradings.filter(current=True).first()
    return None if found is None else found.score


def changes(batch: Batch) -> list[tuple[str, float]]:
    """Return whose score would change by how much."""
    changed = [result for result in regrades.results(batch) if result.changed]
    return sorted((result.submission.membership.user.username, round(result.difference, 3)) for result in changed)


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


def test_the_preview_tells_who_changes_and_by_how_much(cast: Cast) -> None:
    graded(cast, "ada", "ben", "cem", "dua")
    Grading.objects.filter(submission__membership=cast.membership("cem")).update(score=5)
    batch = asked(cast)
    for score in (9, 10, 7.5, 2):
        regraded(score)
    assert changes(batch) == [("ada", -0.1), ("cem", 0.25), ("dua", -0.8)]


def test_scores_are_compared_as_shares_of_what_can_be_reached(cast: Cast) -> None:
    graded(cast, "ada")
    batch = asked(cast)
    new = regraded(20)
    Grading.objects.filter(pk=new.pk).update(max_score=20)
    assert changes(batch) == []


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
        lanes.append(Work.objects.get(pk=claim.pk).lane)
    assert lanes == [Lane.RUN, Lane.SUBMIT, Lane.SUBMIT, Lane.REGRADE, Lane.REGRADE]


def test_a_regrade_that_failed_gives_no_attempt_back(cast: Cast) -> None:
    graded(cast, "ada")
    asked(cast)
    failed(Lane.REGRADE)
    assert attempts_used(cast.assignment, cast.membership("ada")) == 1


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
    assert not queue.gradings.finish(claim)
    assert not queue.gradings.give_back(claim, "too late")
