"""The bells that a worker rings for itself: while there is something it can do, and no longer."""

import pytest

from autograder.submissions import regrades, tasks
from autograder.submissions.grader import Grader
from tests.cast import Cast
from tests.submissions.conftest import Bell

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_work(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> Grader:
    monkeypatch.setattr(tasks, "_grader", grader)
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)  # the test's own
    return grader


def test_what_is_left_after_a_stretch_is_rung_for(
    cast: Cast, at_work: Grader, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "ben"):
        cast.hands_in(name)
    monkeypatch.setattr(at_work, "work", lambda lanes: int(at_work.work_once(lanes)))
    assert (tasks.grade_waiting(), bell.rung) == (1, 1)
    assert (tasks.grade_waiting(), bell.rung) == (1, 1)


def test_who_can_do_nothing_of_what_waits_does_not_ring_forever(
    cast: Cast, at_work: Grader, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.hands_in("ada")
    monkeypatch.setattr(at_work, "trouble", "a layer does not hold")
    assert (tasks.grade_waiting(), bell.rung) == (0, 0)
    assert (tasks.regrade_waiting(), bell.for_regrades) == (0, 0)
    assert tasks.reap() == 0
    assert bell.rung == 1, "the scheduler rings, for whoever can"


def test_regrades_are_rung_for_one_after_the_other(cast: Cast, at_work: Grader, bell: Bell) -> None:
    for name in ("ada", "ben"):
        cast.hands_in(name)
    at_work.work()
    regrades.start(course=cast.course, by=cast.owner, reason="a better check")
    assert (tasks.regrade_waiting(), bell.for_regrades) == (1, 1)
    assert (tasks.regrade_waiting(), bell.for_regrades) == (1, 1)
