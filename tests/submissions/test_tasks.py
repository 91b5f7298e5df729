"""Messages that a worker sends to itself: as long as there is work it can do, and no longer."""

from datetime import timedelta

import pytest
from django.utils import timezone

from autograder.submissions import regrades, tasks
from autograder.submissions.grader import Grader
from autograder.submissions.models import Work, Worker
from tests.cast import Cast
from tests.submissions.conftest import Bell

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_work(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> Grader:
    monkeypatch.setattr(tasks, "_grader", grader)
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)  # it would close the test's connection
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
    monkeypatch.setattr(at_work.sandboxes, "trouble", "a layer does not hold")
    assert (tasks.grade_waiting(), bell.rung) == (0, 0)
    assert (tasks.regrade_waiting(), bell.for_regrades) == (0, 0)
    assert tasks.reap() == 0
    assert bell.rung == 1, "the scheduler rings, for whoever can"


def test_regrades_are_done_for_a_stretch_with_what_is_live_first(
    cast: Cast, at_work: Grader, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "ben"):
        cast.hands_in(name)
    at_work.work()
    regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    live = cast.hands_in("cem")
    assert (tasks.regrade_waiting(), bell.for_regrades) == (3, 0)
    ended = Work.objects.filter(started_at__isnull=False).order_by("started_at").values_list("submission", flat=True)
    assert list(ended)[2] == live.pk


def test_regrades_left_after_a_stretch_are_rung_for(
    cast: Cast, at_work: Grader, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "ben"):
        cast.hands_in(name)
    at_work.work()
    regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    monkeypatch.setattr(at_work, "work", lambda: int(at_work.work_once()))
    assert (tasks.regrade_waiting(), bell.for_regrades) == (1, 1)
    assert (tasks.regrade_waiting(), bell.for_regrades) == (1, 1)


def test_a_regrade_rings_for_every_worker_that_lives(
    cast: Cast, bell: Bell, django_capture_on_commit_callbacks: "pytest.FixtureRequest"
) -> None:
    cast.hands_in("ada")
    now = timezone.now()
    for name, seen_at in (("one", now), ("two", now), ("gone", now - timedelta(hours=1))):
        Worker.objects.create(name=name, version="1", started_at=now, seen_at=seen_at)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    assert bell.for_regrades == 2
