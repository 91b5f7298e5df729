"""A submission from the queue to its verdict, with the real judge and sandbox."""

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from django.conf import settings
from django.utils import timezone

from autograder.examiner.examiners import Examination
from autograder.explain.batch import GradedSource, explained
from autograder.explain.diagnosis import Explanation
from autograder.library.models import ExerciseVersion
from autograder.library.versions import pack_of
from autograder.submissions.grader import Grader
from autograder.submissions.models import Event, Grading, Kind, Work, Worker
from autograder.submissions.work import queue
from autograder.submissions.work.leases import LEASE
from autograder.trace.model import Trace
from tests.cast import Cast, source_of
from tests.submissions.conftest import judge_of

pytestmark = pytest.mark.django_db


def test_a_right_solution_gets_full_marks(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada")
    assert grader.work_once()
    grading = submission.gradings.get()
    assert (grading.verdict, grading.score, grading.max_score, grading.current) == ("passed", 10, 10, True)
    assert grading.why == Grading.Why.FIRST
    assert grading.version == cast.assignment.exercise_version
    assert grading.report["seed"] == grading.seed
    assert submission.work.get().state == Work.State.DONE
    assert [event.name for event in Event.objects.order_by("id")] == ["queued", "running", "graded", "explained"]


def test_a_wrong_solution_is_explained_after_its_verdict(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada", source_of("value-engine", "wrong/missing-upstream"))
    assert grader.work_once()
    grading = submission.gradings.get()
    assert grading.verdict == "partial"
    assert [told["key"] for told in grading.diagnosis] == ["missing-upstream"]
    names = list(Event.objects.order_by("id").values_list("name", flat=True))
    assert names.index("explained") > names.index("graded")


def test_the_backward_pass_of_a_wrong_answer_is_kept_without_any_dictionary(
    cast: Cast, grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "CACHE", tmp_path)
    submission = cast.hands_in("ada", source_of("value-engine", "wrong/overwrites-instead-of-accumulating"))
    assert grader.work_once()
    traces = msgspec.convert(submission.gradings.get().traces, tuple[Trace, ...])
    assert [trace.check for trace in traces] == ["example", "same-operand", "two-consumers", "random-programs"]
    first = traces[0].events[traces[0].first_wrong or 0]
    assert first.reason == "The contribution overwrites b.grad, which already held 8, instead of being added to it."
    assert [event.name for event in Event.objects.order_by("id")].count("explained") == 0, "that may still come"


def test_a_right_answer_keeps_the_pass_of_its_first_public_check(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada")
    assert grader.work_once()
    (trace,) = msgspec.convert(submission.gradings.get().traces, tuple[Trace, ...])
    assert (trace.check, trace.first_wrong) == ("one-operation", None)


def test_a_page_says_what_grade_says(cast: Cast, grader: Grader) -> None:
    """Compared with another grading of the same file, with a different seed."""
    source = source_of("value-engine", "wrong/overwrites-instead-of-accumulating")
    submission = cast.hands_in("ada", source)
    assert grader.work_once()
    pack = pack_of(cast.assignment.exercise_version.pk)
    report = judge_of(grader).grade(pack, source, seed=7)
    _, told = explained(judge_of(grader), pack, GradedSource(source, report, settings.CACHE / "diagnosis"))
    assert told[0].key == "overwrites-instead-of-accumulating"
    assert msgspec.convert(submission.gradings.get().diagnosis, tuple[Explanation, ...]) == told


def test_a_run_tries_the_public_checks_alone(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada", kind=Kind.RUN)
    assert grader.work_once()
    report = submission.gradings.get().report
    assert report["checks"]
    assert not any(check["hidden"] for check in report["checks"])
    assert report["score"] == report["max_score"] < 10


def test_an_empty_queue_is_no_work(grader: Grader) -> None:
    assert not grader.work_once()
    assert Worker.objects.filter(name=grader.name).count() <= 1


def test_a_busy_grader_takes_back_what_a_dead_one_held(cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """During a storm, workers have no time for the scheduler's messages."""
    submission = cast.hands_in("ada")
    assert queue.claim("dead", lease=timedelta(seconds=-1)) is not None
    monkeypatch.setattr(grader, "_seen", 0.0)
    assert grader.work_once()
    assert submission.gradings.get().why == Grading.Why.RETRY


def test_a_lease_lost_while_grading_leaves_nothing(cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = cast.hands_in("ada")
    grade = Examination.grade

    def slowly(*args: object, **options: object) -> object:
        assert queue.gradings.reap(timezone.now() + 2 * LEASE) == 1
        return grade(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Examination, "grade", slowly)
    assert grader.work_once()
    assert not submission.gradings.exists()
    monkeypatch.undo()
    assert grader.work_once()
    assert submission.gradings.get().why == Grading.Why.RETRY


def test_a_broken_check_costs_no_student_and_is_told_to_staff(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada")
    broken = ExerciseVersion.objects.create(
        exercise=cast.assignment.exercise_version.exercise,
        hash="0" * 16,
        title="Broken",
        unit="Tests",
        kind="engine",
        profile="python",
        points=10,
        archive=b"no archive at all",
    )
    Work.objects.update(version=broken)
    for _ in range(queue.MAX_TRIES):
        assert grader.work_once()
    work = Work.objects.get()
    assert work.state == Work.State.FAILED
    assert "ReadError" in work.trouble
    assert not submission.gradings.exists()
