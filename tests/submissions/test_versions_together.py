"""An exercise that this worker's code cannot read: during a deployment another worker grades it, otherwise it is an error."""

import pytest
from django.utils import timezone

from autograder.judge.pack import PackError
from autograder.library.versions import exercise_of
from autograder.submissions.grader import Grader
from autograder.submissions.models import Work, Worker
from autograder.submissions.work import queue
from tests.cast import Cast, ago

pytestmark = pytest.mark.django_db


@pytest.fixture
def newer(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The course's exercise needs a later version of the code."""
    other = Cast("fn-cubic", slug="seminar")

    def read(version_id: int) -> object:
        if version_id == cast.assignment.version_id:
            raise PackError("exercise.toml: Object contains unknown field `tools`")
        return exercise_of(version_id)

    monkeypatch.setattr("autograder.submissions.grader.exercise_of", read)
    cast.hands_in("ada")
    other.hands_in("ben")
    return cast


def worker_of(version: str, **given: object) -> Worker:
    defaults = {"version": version, "started_at": timezone.now(), "seen_at": timezone.now()}
    return Worker.objects.create(name=f"worker of {version}", **(defaults | given))


@pytest.fixture
def fresh(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> Grader:
    monkeypatch.setattr(grader, "_unreadable", set())
    monkeypatch.setattr(grader, "_seen", 0.0)
    return grader


def test_it_is_left_to_a_worker_of_another_version_and_costs_no_try(newer: Cast, fresh: Grader) -> None:
    worker_of("9.9.9")
    assert fresh.work() == 2
    work = Work.objects.get(course=newer.course)
    assert (work.state, work.tries) == (Work.State.QUEUED, 0)
    assert "unknown field" in work.trouble
    assert Work.objects.exclude(course=newer.course).get().state == Work.State.DONE
    assert queue.claim("worker of 9.9.9") is not None


@pytest.mark.parametrize("other", [{"seen_at": ago(minutes=5)}, {"trouble": "a layer does not hold"}])
def test_where_no_other_version_grades_it_is_broken(newer: Cast, fresh: Grader, other: dict[str, object]) -> None:
    worker_of("9.9.9", **other)
    fresh.work()
    work = Work.objects.get(course=newer.course)
    assert (work.state, work.tries) == (Work.State.FAILED, queue.MAX_TRIES)


def test_when_the_others_are_gone_it_is_tried_again(newer: Cast, fresh: Grader) -> None:
    other = worker_of("9.9.9")
    fresh.work()
    other.delete()
    fresh._seen = 0.0
    assert fresh.work() == queue.MAX_TRIES
    assert Work.objects.get(course=newer.course).state == Work.State.FAILED
