"""Scratch runs have a queue of their own: after live gradings, under a lease, and with a short expiry."""

from datetime import timedelta

import pytest
from django.utils import timezone

from autograder.submissions import regrades, tasks
from autograder.submissions.grader import Grader
from autograder.submissions.models import Kind, ScratchRun, Worker
from autograder.submissions.scratch import queue
from autograder.submissions.work.leases import LEASE, Claim
from tests.cast import Cast, ago
from tests.submissions.conftest import Bell
from tests.submissions.scratch.conftest import Asks

pytestmark = pytest.mark.django_db
State = ScratchRun.State


def workers(count: int) -> None:
    now = timezone.now()
    for n in range(count):
        Worker.objects.create(name=f"box:{n}", version="1", started_at=now, seen_at=now)


def claimed(worker: str = "w", lease: timedelta = LEASE) -> Claim:
    claim = queue.claim(worker, lease)
    assert claim is not None
    return claim


def test_the_oldest_goes_first_and_each_to_one_worker(asks: Asks) -> None:
    workers(4)
    runs = [asks("double(2)", who=who) for who in ("ada", "ben")]
    assert [claimed().pk, claimed().pk] == [run.pk for run in runs]
    assert queue.claim("w") is None


def test_scratch_runs_use_at_most_half_of_the_workers(asks: Asks) -> None:
    workers(4)
    for who in ("ada", "ben", "cem"):
        asks("while True: pass", who=who)
    first, _ = claimed(), claimed()
    assert queue.claim("w") is None
    queue.runs.finish(first)
    claimed()


def test_a_single_worker_runs_them_one_by_one(asks: Asks) -> None:
    asks("double(2)", who="ada")
    asks("double(2)", who="ben")
    claimed()
    assert queue.claim("w") is None


def test_one_student_holds_one_worker(asks: Asks) -> None:
    workers(4)
    asks("while True: pass")
    first = claimed()
    asks("double(2)")
    assert queue.claim("w") is None
    queue.runs.finish(first)
    claimed()


def test_what_is_graded_live_goes_first_and_regrades_last(cast: Cast, grader: Grader, asks: Asks) -> None:
    cast.hands_in("ben")
    grader.work()
    regrades.start(course=cast.course, by=cast.staff, reason="a better check")
    scratch = asks("double(2)")
    run, submitted = cast.hands_in("ada", kind=Kind.RUN), cast.hands_in("ada")
    ended = []
    while grader.work_once():
        scratch.refresh_from_db()
        graded = [name for name, one in (("run", run), ("submitted", submitted)) if one.gradings.exists()]
        ended.append([*graded, *(["scratch"] if scratch.state == State.DONE else [])])
    assert ended[:3] == [["run"], ["run", "submitted"], ["run", "submitted", "scratch"]]
    assert len(ended) == 4, "and then the regrade"


def test_nobody_runs_it_any_more_after_some_minutes(asks: Asks) -> None:
    asks("double(2)")
    ScratchRun.objects.update(asked_at=timezone.now() - queue.MAX_WAIT)
    assert not queue.waits()
    assert queue.claim("w") is None


def test_a_lease_is_renewed_by_its_holder_alone(asks: Asks) -> None:
    run = asks("double(2)")
    claim = claimed()
    assert queue.runs.renew(claim)
    assert not queue.runs.renew(Claim(run.pk, "somebody else's"))
    assert queue.runs.reap() == 0


def test_a_lost_lease_is_tried_again_and_the_second_time_it_is_told(asks: Asks) -> None:
    run = asks("double(2)")
    lost = claimed(lease=timedelta(seconds=-1))
    assert queue.runs.reap() == 1
    run.refresh_from_db()
    assert run.state == State.QUEUED
    assert not queue.runs.finish(lost, answer={"value": "late"}), "who lost the lease changes nothing"
    claimed(lease=timedelta(seconds=-1))
    assert queue.runs.reap() == 1
    run.refresh_from_db()
    assert (run.state, run.tries, run.answer) == (State.FAILED, queue.MAX_TRIES, {})


def test_a_clock_that_jumped_holds_nothing_forever(asks: Asks) -> None:
    asks("double(2)")
    claimed(lease=20 * LEASE)
    assert queue.runs.reap() == 1


def test_what_a_dead_worker_held_is_taken_back_at_once(asks: Asks) -> None:
    asks("double(2)")
    claimed("box:7")
    assert queue.runs.take_back_from("box:8") == 0
    assert queue.runs.take_back_from("box:7") == 1
    assert queue.waits()


def test_a_version_that_a_worker_cannot_read_is_left_to_others(cast: Cast, asks: Asks) -> None:
    asks("double(2)")
    assert queue.claim("w", unreadable=[cast.assignment.exercise_version.pk]) is None
    queue.runs.give_back(claimed(), "", tried=False)
    assert ScratchRun.objects.get().tries == 0


def test_reap_deletes_after_an_hour_whatever_became_of_it(
    asks: Asks, grader: Grader, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_grader", grader)
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    for who, hours in (("ada", 0), ("ben", 2), ("cem", 2), ("dan", 2)):
        run = asks("double(2)", who=who)
        ScratchRun.objects.filter(pk=run.pk).update(asked_at=ago(hours=hours))
    done, running = ScratchRun.objects.filter(asked_at__lt=ago(hours=1))[:2]
    ScratchRun.objects.filter(pk=done.pk).update(state=State.DONE, ended_at=ago(hours=2), answer={"value": "'secret'"})
    ScratchRun.objects.filter(pk=running.pk).update(state=State.RUNNING, lease_until=timezone.now() + LEASE)
    tasks.reap()
    assert [run.membership.user.username for run in ScratchRun.objects.all()] == ["ada"]
    assert bell.rung == 1, "hers still waits"


def test_an_answer_to_what_was_deleted_meanwhile_goes_nowhere(asks: Asks) -> None:
    asks("double(2)")
    claim = claimed()
    ScratchRun.objects.update(asked_at=ago(hours=2))
    assert queue.sweep() == 1
    assert not queue.runs.finish(claim)
