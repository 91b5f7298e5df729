"""Injected faults: nothing is stored partially, and the work is either finished or reported to staff."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from autograder.courses.models import AuditEntry
from autograder.examiner.examiners import Examination
from autograder.submissions import selectors
from autograder.submissions.grader import Grader
from autograder.submissions.handing_in.attempts import attempts_used
from autograder.submissions.models import Event, Grading, Submission, Work, Worker
from autograder.submissions.work import explanations, queue
from autograder.submissions.work.lease_keeper import LeaseKeeper
from autograder.submissions.work.leases import LEASE
from sandbox.backends.bubblewrap import Bubblewrap
from sandbox.backends.unsafe import Unsafe
from sandbox.errors import LayerMissing
from tests.cast import Cast, source_of

pytestmark = pytest.mark.django_db


def stored(submission: Submission) -> int:
    return submission.gradings.count()


def fails(times: int, error: Exception, action: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the action so that it fails this many times before it succeeds."""
    left = [times]

    def perhaps(*args: Any, **options: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise error
        return action(*args, **options)

    return perhaps


# -- full disk


WORDY = source_of("value-engine", "wrong/missing-upstream")  # its report is longer than an SQLite page


class Disk:
    """`disk.fill()`: nothing that needs a new page can be stored until `disk.make_room()`.

    On SQLite, the database may not grow beyond its current pages, and these are full. On PostgreSQL, a trigger raises
    the server's own error for a full disk.
    """

    def fill(self) -> None:
        statements = POSTGRES_FILLS if connection.vendor == "postgresql" else SQLITE_FILLS
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            for size in PIECES if connection.vendor == "sqlite" else ():
                self._fill_with(cursor, size)

    def _fill_with(self, cursor: Any, size: int) -> None:
        with pytest.raises(OperationalError, match="database or disk is full"):
            while True:
                cursor.execute(f"INSERT INTO filler VALUES (zeroblob({size}))")

    def make_room(self) -> None:
        with connection.cursor() as cursor:
            for statement in POSTGRES_EMPTIES if connection.vendor == "postgresql" else SQLITE_EMPTIES:
                cursor.execute(statement)


PIECES = (10_000, 3_000, 4_500, 100)  # a blob of 4,500 mostly fills an overflow page of its own, if there is a last free one
# it cannot go below the current number of pages
SQLITE_FILLS = ("CREATE TABLE IF NOT EXISTS filler (content BLOB)", "PRAGMA max_page_count = 1")
SQLITE_EMPTIES = ("PRAGMA max_page_count = 4294967294", "DROP TABLE IF EXISTS filler")
POSTGRES_FILLS = (
    """CREATE OR REPLACE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: disk is full' USING ERRCODE = 'disk_full'; END $$""",
    "CREATE TRIGGER full_disk BEFORE INSERT ON submissions_grading EXECUTE FUNCTION disk_is_full()",
)
POSTGRES_EMPTIES = ("DROP TRIGGER IF EXISTS full_disk ON submissions_grading",)


@pytest.fixture
def disk(transactional_db: None) -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.make_room()


@pytest.mark.django_db(transaction=True)
def test_a_report_that_cannot_be_stored_leaves_nothing_and_gives_the_work_back(
    cast: Cast, grader: Grader, disk: Disk
) -> None:
    submission = cast.hands_in("ada", WORDY)
    disk.fill()
    assert grader.work_once()
    work = submission.work.get()
    assert (work.state, work.token, work.lease_until) == (Work.State.QUEUED, "", None)
    assert "disk is full" in work.trouble
    assert stored(submission) == 0
    assert "graded" not in Event.objects.values_list("name", flat=True)


@pytest.mark.django_db(transaction=True)
def test_once_there_is_room_again_it_is_graded(cast: Cast, grader: Grader, disk: Disk) -> None:
    submission = cast.hands_in("ada", WORDY)
    disk.fill()
    assert grader.work_once()
    disk.make_room()
    assert grader.work() == 1
    grading = submission.gradings.get()
    assert (grading.verdict, grading.current, grading.why) == ("partial", True, Grading.Why.RETRY)
    assert submission.work.get().state == Work.State.DONE


@pytest.mark.django_db(transaction=True)
def test_a_disk_that_stays_full_is_told_to_staff_and_costs_no_attempt(cast: Cast, grader: Grader, disk: Disk) -> None:
    cast.assignment.attempt_limit = 1
    cast.assignment.save()
    submission = cast.hands_in("ada", WORDY)
    disk.fill()
    assert grader.work() == queue.MAX_TRIES
    work = submission.work.get()
    assert (work.state, work.tries) == (Work.State.FAILED, queue.MAX_TRIES)
    assert "disk is full" in work.trouble
    assert stored(submission) == 0
    assert AuditEntry.objects.get(action="grading-failed").details["tries"] == queue.MAX_TRIES
    assert list(Event.objects.order_by("id").values_list("name", flat=True))[-1] == "internal"
    assert attempts_used(cast.assignment, submission.membership) == 0


@pytest.mark.django_db(transaction=True)
def test_what_cannot_even_be_given_back_is_taken_back_by_its_lease(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch, disk: Disk
) -> None:
    """A disk so full that nothing can be written must not end the grading process."""
    submission = cast.hands_in("ada", WORDY)
    disk.fill()
    broken = fails(1, OperationalError("database or disk is full"), queue.gradings.give_back)
    monkeypatch.setattr(queue.gradings, "give_back", broken)
    assert grader.work_once()
    assert submission.work.get().state == Work.State.RUNNING
    disk.make_room()
    assert queue.gradings.reap(timezone.now() + 2 * LEASE) == 1
    assert grader.work_once()
    assert stored(submission) == 1


def test_an_explanation_that_cannot_be_stored_takes_no_verdict_back(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = cast.hands_in("ada")
    broken = fails(1, OSError("disk is full"), explanations.explain_grading)
    monkeypatch.setattr(explanations, "explain_grading", broken)
    assert grader.work_once()
    assert submission.gradings.get().current
    assert submission.work.get().state == Work.State.DONE


# -- sandbox failures


def test_a_sandbox_that_died_between_gradings_costs_no_try(cast: Cast, grader: Grader) -> None:
    cast.hands_in("ada")
    assert grader.work_once()
    pid = grader.examiners.sandbox("python").launcher_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    submission = cast.hands_in("ben")
    assert grader.work_once()
    assert submission.gradings.get().verdict == "passed"
    assert submission.work.get().tries == 1


def test_a_worker_that_starts_before_its_database_is_ready_for_it(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gone = fails(1, OperationalError("connection refused\nIs the server running?"), Grader._record_heartbeat)
    monkeypatch.setattr(Grader, "_record_heartbeat", gone)
    monkeypatch.setattr("autograder.submissions.work.sandboxes.get_args", lambda _: ("python",))
    monkeypatch.setattr(grader, "_seen", 0.0)
    monkeypatch.setattr(grader.keeper, "beat", None, raising=False)
    # it would close the test's transaction
    monkeypatch.setattr("autograder.submissions.grader.close_old_connections", lambda: None)
    grader.warm_up()
    assert grader.keeper.beat is not None and grader.sandboxes.layers and all(grader.sandboxes.layers.values())
    assert "The database cannot be used (connection refused)" in caplog.text
    submission = cast.hands_in("ada")
    assert grader.work_once()
    assert submission.gradings.get().verdict == "passed"


class Hollow(Unsafe):
    """A backend that reports all layers but applies hardly any."""

    name = "hollow"
    layers = Bubblewrap.layers


class Absent(Bubblewrap):
    def launch(self, profile: str) -> Any:
        raise LayerMissing("namespaces", "bwrap is not installed")


@pytest.fixture(params=[Hollow, Absent])
def unsafe_grader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Grader]:
    monkeypatch.setattr(LeaseKeeper, "__init__", lambda self: None)
    monkeypatch.setattr("autograder.submissions.work.sandboxes.backend", request.param)
    monkeypatch.setattr("autograder.submissions.work.sandboxes.get_args", lambda _: ("python",))
    grader = Grader()
    yield grader
    grader.examiners.close()


def test_a_grader_whose_layers_do_not_hold_claims_nothing_and_says_why(cast: Cast, unsafe_grader: Grader) -> None:
    submission = cast.hands_in("ada")
    unsafe_grader.warm_up()
    assert not unsafe_grader.work_once()
    work = submission.work.get()
    assert (work.state, work.tries) == (Work.State.QUEUED, 0)
    assert "sandbox layer" in Worker.objects.get(name=unsafe_grader.name).trouble
    assert [worker.trouble for worker in selectors.living_workers()] == [unsafe_grader.sandboxes.trouble]


def test_a_layer_that_is_lost_later_costs_no_try_and_stops_the_grader(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = cast.hands_in("ada")
    lost = fails(1, LayerMissing("seccomp", "the kernel refused the filter"), Examination.grade)
    monkeypatch.setattr(Examination, "grade", lost)
    monkeypatch.setattr(grader.sandboxes, "trouble", "")
    assert grader.work_once()
    assert not grader.work_once()
    work = submission.work.get()
    assert (work.state, work.tries) == (Work.State.QUEUED, 0)
    assert "the kernel refused the filter" in work.trouble
    assert "seccomp" in Worker.objects.get(name=grader.name).trouble


# -- the clock jumps ------------------------------------------------------------------------------------------------------


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    now = timezone.now

    def jump(by: timedelta) -> None:
        def jumped() -> datetime:
            return now() + by

        monkeypatch.setattr(timezone, "now", jumped)

    return jump


JUMPS = [timedelta(days=2), timedelta(minutes=3), timedelta(minutes=-3), timedelta(days=-2)]


@pytest.mark.parametrize("by", JUMPS)
def test_a_clock_that_jumps_takes_no_lease_from_who_renews_it(
    cast: Cast, jump: Callable[[timedelta], None], by: timedelta
) -> None:
    cast.hands_in("ada")
    claim = queue.claim("w")
    assert claim is not None
    jump(by)
    assert queue.gradings.renew(claim)
    assert queue.gradings.reap() == 0
    assert queue.gradings.finish(claim)


@pytest.mark.parametrize("by", JUMPS)
def test_a_clock_that_jumps_while_it_is_graded_makes_no_second_grading_that_counts(
    cast: Cast, grader: Grader, jump: Callable[[timedelta], None], by: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = cast.hands_in("ada")
    grade = Examination.grade

    def meanwhile(*args: Any, **options: Any) -> Any:
        jump(by)
        queue.gradings.reap()
        return grade(*args, **options)

    with monkeypatch.context() as during:
        during.setattr(Examination, "grade", meanwhile)
        assert grader.work_once()
    jump(timedelta(0))
    grader.work()
    assert submission.gradings.filter(current=True).count() == 1
    assert stored(submission) == 1
    assert submission.work.get().state == Work.State.DONE


# -- database failures


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_drops_while_it_is_graded_gives_the_work_back(
    cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL, the server ends the session. SQLite has no server, so its connection is closed."""
    submission = cast.hands_in("ada")
    grade, drops = Examination.grade, [True]

    def dropped(*args: Any, **options: Any) -> Any:
        report = grade(*args, **options)
        if drops.pop() if drops else False:
            drop_connection()
        return report

    monkeypatch.setattr(Examination, "grade", dropped)
    assert grader.work_once()
    assert submission.work.get().state == Work.State.QUEUED
    assert stored(submission) == 0
    assert grader.work_once()
    grading = submission.gradings.get()
    assert (grading.current, grading.why) == (True, Grading.Why.RETRY)


def drop_connection() -> None:
    if connection.vendor == "postgresql":
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                           " AND datname = current_database()")  # fmt: skip
        other.close()
    else:
        raise OperationalError("disk I/O error")
