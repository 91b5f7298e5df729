"""A worker that computes or waits endlessly for one submission is ended without effect on others."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from autograder.examiner.examiners import Examination
from autograder.submissions.grader import Grader
from autograder.submissions.management.commands import worker
from autograder.submissions.management.commands.worker import Silence
from autograder.submissions.models import Grading, Submission, Worker
from autograder.submissions.selectors import ALIVE_WITHIN, EXPLAINED_AT_ONCE
from autograder.submissions.work import explanations, queue
from autograder.submissions.work import lease_keeper as lease
from autograder.submissions.work.explanations import TRY_TAKES
from autograder.submissions.work.lease_keeper import LeaseKeeper
from autograder.submissions.work.supervisor import SupervisedProcess
from tests.cast import Cast, source_of

WRONG = source_of("value-engine", "wrong/overwrites-instead-of-accumulating")

# -- explanations that kill the worker


def died_while_explaining(submission: Submission, tries: int) -> None:
    when = timezone.now() - 2 * EXPLAINED_AT_ONCE
    submission.gradings.update(explained_at=None, traces=[], diagnosis=[], explanation_tries=tries, graded_at=when)
    submission.gradings.update(explanation_tried_at=when - TRY_TAKES if tries > 1 else None)


@pytest.mark.django_db
def test_an_explanation_that_killed_its_worker_twice_is_reported_missing(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanations, "_learned", lambda _: True)
    submission = cast.hands_in("ada", WRONG)
    assert grader.work_once()
    assert submission.gradings.get().explanation_tries == 1
    verdict = submission.gradings.values("verdict", "score", "report").get()

    tried: list[int] = []

    def explain(_: Examination, grading: Grading, *__: object) -> bool:
        tried.append(grading.pk)
        return True

    monkeypatch.setattr(explanations, "explain_grading", explain)
    died_while_explaining(submission, tries=1)
    assert grader.explain_later(60) == 1, "perhaps it was not to blame"
    assert tried == [submission.gradings.get().pk]
    assert submission.gradings.get().explanation_tries == 2

    died_while_explaining(submission, tries=2)
    submission.gradings.update(explanation_tried_at=timezone.now())
    assert grader.explain_later(60) == 0
    assert submission.gradings.get().explained_at is None, "another worker may still be at it"

    died_while_explaining(submission, tries=2)
    assert grader.explain_later(60) == 0
    assert len(tried) == 1
    (only,) = submission.gradings.get().diagnosis
    assert (only["key"], only["words"]) == ("", explanations.STOPPED)
    assert submission.gradings.values("verdict", "score", "report").get() == verdict
    assert not Grading.objects.filter(explained_at=None).exists(), "once is enough"


# -- no progress


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> LeaseKeeper:
    monkeypatch.setattr(queue, "LEASE", timedelta(seconds=0.04))
    monkeypatch.setattr(lease, "close_old_connections", lambda: None)
    return LeaseKeeper()


def heard(event: threading.Event, seconds: float = 30.0) -> bool:
    event.clear()
    return event.wait(seconds)


def test_leases_and_heartbeats_require_progress(keeper: LeaseKeeper, monkeypatch: pytest.MonkeyPatch) -> None:
    renewed, beaten = threading.Event(), threading.Event()
    keeper.beat = beaten.set
    try:
        with keeper.keeping(renewed.set, "work 1"):
            assert heard(renewed)
            monkeypatch.setattr(lease, "STEP_SECONDS", -1.0)
            keeper.progress()
            heard(renewed, 0.1)  # renewals already in progress
            assert not heard(renewed, 0.3)
            assert not heard(beaten, 0.3)
            monkeypatch.setattr(lease, "STEP_SECONDS", 300.0)
            keeper.progress()
            assert heard(renewed)
            assert heard(beaten)
        assert heard(beaten), "who idles lives"
    finally:
        keeper.stop()


def process(part: SupervisedProcess) -> "subprocess.Popen[bytes]":
    assert part.process is not None
    return part.process


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_supervisor_replaces_a_process_without_progress() -> None:
    stuck: set[int] = set()
    ended: list[tuple[int, bool]] = []
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    part = SupervisedProcess("worker", command, bound=True, after=lambda *what: ended.append(what), stuck=stuck.__contains__)
    part.keep_alive()
    first = process(part)

    def another() -> bool:
        part.keep_alive()
        return process(part).pid != first.pid

    try:
        part.keep_alive()
        assert first.poll() is None
        stuck.add(first.pid)
        part.next_look = 0.0
        until(another)
        assert ended == [(first.pid, True)]
        assert first.returncode == -signal.SIGKILL
    finally:
        process(part).kill()
        process(part).wait()


def seen(pid: int, ago: timedelta = timedelta(0)) -> None:
    at = timezone.now() - ago
    Worker.objects.update_or_create(
        name=Worker.name_of(pid), defaults={"version": "1", "started_at": at, "seen_at": at, "trouble": ""}
    )


@pytest.mark.django_db
def test_silence_is_measured_by_our_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(worker, "monotonic", lambda: now)
    silence = Silence()
    assert not silence.is_too_long(7), "it is warming up"
    seen(7, ago=timedelta(days=1))
    assert not silence.is_too_long(7), "its clock, or the database, was away"
    now += 2 * ALIVE_WITHIN.total_seconds() + 1
    assert silence.is_too_long(7)
    assert not silence.is_too_long(8), "another process in its place begins anew"
    seen(7)
    assert not silence.is_too_long(7)


@pytest.mark.django_db
def test_the_health_check_asks_for_progress_of_all_that_run_here() -> None:
    with pytest.raises(CommandError, match="no worker is running on this machine"):
        call_command("worker", healthy=True)
    seen(os.getpid())
    seen(1 << 22, ago=timedelta(days=1))  # ended long ago
    call_command("worker", healthy=True)
    seen(os.getpid(), ago=2 * ALIVE_WITHIN)
    with pytest.raises(CommandError, match=f"no progress: .*{os.getpid()}"):
        call_command("worker", healthy=True)
