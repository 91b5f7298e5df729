"""Explanations that were not available at grading time are added as soon as they are, and never before the verdict."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from autograder.examiner.examiners import Examination
from autograder.explain.diagnosis import prediction
from autograder.library.versions import pack_of
from autograder.prove.stored_proofs import wrong_endings
from autograder.submissions.grader import Grader
from autograder.submissions.looks import looks_of
from autograder.submissions.messages import event_stream
from autograder.submissions.models import Event, Grading, Kind, Submission
from autograder.submissions.selectors import EXPLAINED_AT_ONCE
from autograder.submissions.work import explanations
from sandbox.errors import KilledFromOutside
from tests.cast import Cast, source_of
from tests.submissions.conftest import judge_of
from tests.submissions.test_faults import fails

pytestmark = pytest.mark.django_db
WRONG = source_of("value-engine", "wrong/overwrites-instead-of-accumulating")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site that has not learned any mistakes."""
    monkeypatch.setattr(settings, "CACHE", tmp_path)
    return tmp_path


def learn(cast: Cast, grader: Grader) -> None:
    prediction.load(
        judge_of(grader), pack_of(cast.assignment.version_id), settings.CACHE / "diagnosis", proved=wrong_endings
    )


def some_time_later() -> None:
    for grading in Grading.objects.all():
        Grading.objects.filter(pk=grading.pk).update(graded_at=grading.graded_at - EXPLAINED_AT_ONCE)


def keys(submission: Submission) -> list[str]:
    return [found["key"] for found in submission.gradings.get().diagnosis]


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.usefixtures("empty")
def test_a_grading_is_explained_when_the_mistakes_have_been_learned(cast: Cast, grader: Grader, kind: Kind) -> None:
    submission = cast.hands_in("ada", WRONG, kind=kind)
    assert grader.work_once()
    assert event_stream.state_of(submission.pk) == "graded"
    some_time_later()
    assert grader.explain_later(60) == 0
    learn(cast, grader)
    assert grader.explain_later(60) == 1
    assert keys(submission) == ["overwrites-instead-of-accumulating"]
    assert [event.name for event in Event.objects.order_by("id")][-2:] == ["graded", "explained"]
    assert grader.explain_later(60) == 0, "once is enough"


def test_a_grading_whose_worker_died_before_it_explained_is_explained_by_another(cast: Cast, grader: Grader) -> None:
    learn(cast, grader)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    submission.gradings.update(explained_at=None, traces=[], diagnosis=[])
    assert grader.explain_later(60) == 0, "its worker may still be at it"
    some_time_later()
    assert grader.explain_later(60) == 1
    assert keys(submission) == ["overwrites-instead-of-accumulating"]
    assert submission.gradings.get().traces


@pytest.mark.usefixtures("empty")
def test_a_student_who_waits_goes_first(cast: Cast, grader: Grader) -> None:
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    some_time_later()
    learn(cast, grader)
    cast.hands_in("ben")
    assert grader.explain_later(60) == 0
    assert grader.work_once()
    assert grader.explain_later(60) == 1
    assert keys(submission) == ["overwrites-instead-of-accumulating"]


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("source", [source_of("value-engine"), b"class Value(:\n"])
def test_what_nothing_learned_could_explain_does_not_wait_for_it(cast: Cast, grader: Grader, source: bytes) -> None:
    submission = cast.hands_in("ada", source)
    assert grader.work_once()
    assert event_stream.state_of(submission.pk) == "explained"


def test_where_a_file_looks_beside_itself_is_stored_with_its_explanation(cast: Cast, grader: Grader) -> None:
    looking = WRONG + b"\nimport sys\nsys._getframe(0)\n"
    for name, source, expected in (
        ("ada", looking, [{"line": looking.count(b"\n"), "name": "_getframe"}]),
        ("bob", WRONG, []),
    ):
        submission = cast.hands_in(name, source)
        assert grader.work_once()
        assert submission.gradings.get().introspection == expected
        assert looks_of([submission.pk]).keys() == ({submission.pk} if expected else set())


def test_what_another_worker_has_begun_to_explain_is_left_to_it(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Both have read the same list; the second comes while the first is at it."""
    learn(cast, grader)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    submission.gradings.update(explained_at=None, traces=[], diagnosis=[])
    some_time_later()
    explain = explanations.explain_grading
    done_by_the_second: list[bool] = []

    def explain_beside_another(*given: Any) -> bool:
        monkeypatch.setattr(explanations, "explain_grading", explain)
        done_by_the_second.append(explanations.explain_stored(grader.examiners, listed))
        assert list(explanations.unexplained()) == []
        assert submission.gradings.get().explained_at is None
        return explain(*given)

    (listed,) = explanations.unexplained()
    monkeypatch.setattr(explanations, "explain_grading", explain_beside_another)
    assert grader.explain_later(60) == 1
    assert done_by_the_second == [False]
    assert keys(submission) == ["overwrites-instead-of-accumulating"]
    assert submission.gradings.get().explanation_tries == 2
    assert "given up" not in caplog.text


@pytest.mark.parametrize("failing", ["trace", "explain"])
def test_an_explanation_whose_sandbox_failed_is_tried_again(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """The page goes on waiting for it, because the student's code is not the cause."""
    learn(cast, grader)
    monkeypatch.setattr(Examination, failing, fails(1, KilledFromOutside("no sandbox"), getattr(Examination, failing)))
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    assert event_stream.state_of(submission.pk) == "graded"
    some_time_later()
    assert grader.explain_later(60) == 1
    assert keys(submission) == ["overwrites-instead-of-accumulating"]
    assert submission.gradings.get().traces


def test_an_explanation_whose_sandbox_always_fails_is_given_up(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(cast, grader)
    monkeypatch.setattr(Examination, "explain", fails(9, KilledFromOutside("no sandbox"), Examination.explain))
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    for _ in range(2):
        some_time_later()
        Grading.objects.update(explanation_tried_at=None)
        assert grader.explain_later(60) == 0
    assert event_stream.state_of(submission.pk) == "explained"
    assert [found["words"] for found in submission.gradings.get().diagnosis] == [explanations.STOPPED]


def test_an_explanation_that_fails_is_not_tried_forever(cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no explanation")

    learn(cast, grader)
    monkeypatch.setattr(Examination, "explain", fail)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    assert keys(submission) == []
    some_time_later()
    assert grader.explain_later(60) == 0


def test_a_mistake_is_explained_whose_backward_pass_cannot_be_traced(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SystemError("interrupted")

    learn(cast, grader)
    monkeypatch.setattr(Examination, "trace", fail)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    assert keys(submission) == ["overwrites-instead-of-accumulating"]
    assert submission.gradings.get().traces == []
    assert submission.work.get().trouble == "", "its job did not fail"


def test_what_was_explained_later_does_not_count_as_work_of_its_grading(cast: Cast, grader: Grader) -> None:
    from tools.capacity.site_times import graded

    learn(cast, grader)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    assert len(graded(10)) == 1
    submission.gradings.update(explained_at=timezone.now() + timedelta(minutes=5))
    assert graded(10) == []


@pytest.mark.usefixtures("empty")
def test_a_worker_that_needed_one_sandbox_alone_explains_too(cast: Cast) -> None:
    """A worker starts with the first warm sandbox, and for plain Python code it never needs another."""
    grader = Grader()
    try:
        grader.warm_up()
        submission = cast.hands_in("ada", WRONG)
        assert grader.work_once()
        some_time_later()
        learn(cast, grader)
        assert sum(grader.explain_later(60) for _ in range(3)) == 1
        assert keys(submission) == ["overwrites-instead-of-accumulating"]
    finally:
        grader.close()
