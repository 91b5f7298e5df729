"""Counters: updated in the same transaction as a verdict, durations in histogram buckets, time windows from snapshots."""

import os
import signal
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.submissions import counters, regrades
from autograder.submissions.counters import BUCKETS, FAILED, FROM_CLAIM, FROM_SUBMIT, RETRIES, VERDICTS, Increment, counts
from autograder.submissions.grader import Grader
from autograder.submissions.models import Grading, Kind, Snapshot, Tally, Work, Worker
from autograder.submissions.work import queue
from autograder.submissions.work.zygotes import Zygotes
from tests.cast import Cast

pytestmark = pytest.mark.django_db
LEASE_IS_OVER = timedelta(seconds=-1)


def value(counter: str, label: str = "") -> float:
    return counts().get(counter, {}).get(label, 0.0)


# -- a verdict ------------------------------------------------------------------------------------------------------------


def test_a_verdict_is_counted_by_lane_and_reason(cast: Cast, grader: Grader) -> None:
    cast.hands_in("ada")
    cast.hands_in("ada", b"raise ValueError\n", Kind.RUN)
    while grader.work_once():
        pass
    assert counts()[VERDICTS] == {"run error exception": 1, "submit passed passed": 1}
    for counter in (FROM_CLAIM, FROM_SUBMIT):
        assert counters.times(counts(), counter, "submit").number == 1
        assert counters.times(counts(), counter, "run").number == 1
        assert counters.times(counts(), counter, "regrade").number == 0


def test_submit_to_verdict_holds_the_waiting_and_claim_to_verdict_does_not(cast: Cast, grader: Grader) -> None:
    cast.hands_in("ada")
    Work.objects.update(queued_at=timezone.now() - timedelta(minutes=10))
    grader.work_once()
    assert counters.times(counts(), FROM_SUBMIT, "submit").seconds > 599
    assert counters.times(counts(), FROM_CLAIM, "submit").seconds < 599


def test_a_verdict_that_was_thrown_away_is_not_counted(cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    cast.hands_in("ada")
    monkeypatch.setattr(queue.gradings, "finish", lambda claim: False)
    grader.work_once()
    assert VERDICTS not in counts()


def test_a_verdict_that_cannot_be_counted_is_not_stored(cast: Cast, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both or neither are stored, so the counters agree with the gradings."""
    cast.hands_in("ada")

    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr(counters, "count_verdict", breaks)
    grader.work_once()
    assert not Grading.objects.exists()
    assert VERDICTS not in counts()


def test_a_regrade_is_counted_in_its_own_lane(cast: Cast, grader: Grader) -> None:
    cast.hands_in("ada")
    grader.work_once()
    regrades.start(course=cast.course, by=cast.staff, reason="A check was wrong.")
    grader.work_once()
    assert counts()[VERDICTS] == {"submit passed passed": 1, "regrade passed passed": 1}


# -- failures


def test_work_that_goes_back_is_counted_by_its_cause(cast: Cast) -> None:
    cast.hands_in("ada")
    first = queue.claim("box")
    assert first is not None
    queue.gradings.give_back(first, "a layer is missing", tried=False)
    second = queue.claim("box", lease=LEASE_IS_OVER)
    assert second is not None
    queue.gradings.reap()
    third = queue.claim("box")
    assert third is not None
    queue.gradings.give_back(third, "the sandbox broke")
    assert counts()[RETRIES] == {"untried": 1, "silent": 1, "error": 1}
    assert FAILED not in counts()


def test_work_that_is_given_up_is_an_error_of_ours(cast: Cast) -> None:
    cast.hands_in("ada")
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("box")
        assert claim is not None
        queue.gradings.give_back(claim, "the check is broken")
    assert value(FAILED, "error") == 1
    assert value(RETRIES, "error") == queue.MAX_TRIES - 1


def test_the_log_of_a_failure_does_not_repeat_its_trouble(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    cast.hands_in("ada")
    for _ in range(queue.MAX_TRIES):
        claim = queue.claim("box")
        assert claim is not None
        queue.gradings.give_back(claim, "ValueError: what_a_student_answered")
    assert "could not be graded" in caplog.text
    assert "what_a_student_answered" not in caplog.text


class Box:
    """A sandbox stub with the given numbers of started and dead zygotes."""

    def __init__(self) -> None:
        self.started, self.died = {"python": 1}, {"python": 0}

    def starts(self) -> dict[str, int]:
        return dict(self.started)

    def deaths(self) -> dict[str, int]:
        return dict(self.died)


def test_zygotes_are_counted_once() -> None:
    box, zygotes = Box(), Zygotes()
    zygotes.count(box)  # type: ignore[arg-type]
    box.started["python"], box.died["python"] = 3, 1
    zygotes.count(box)  # type: ignore[arg-type]
    zygotes.count(box)  # type: ignore[arg-type]
    assert (value(counters.ZYGOTE_STARTS, "python"), value(counters.ZYGOTE_DEATHS, "python")) == (3, 1)


def test_a_zygote_that_is_killed_is_a_death(cast: Cast, grader: Grader) -> None:
    cast.hands_in("ada")
    grader.work_once()
    sandbox = grader.examiners.sandbox("python")
    before = sandbox.deaths
    pid = sandbox.launcher_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    cast.hands_in("ben")
    grader.work_once()
    assert (sandbox.deaths, grader.examiners.deaths()["python"]) == (before + 1, before + 1)
    assert counts()[VERDICTS] == {"submit passed passed": 2}


def test_the_layers_that_hold_are_said(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader.sandboxes, "layers", None)
    monkeypatch.setattr(grader.sandboxes, "cold", ["python"])
    grader.sandboxes._use_next_profile()
    grader._record_heartbeat()
    layers = Worker.objects.get().layers
    assert layers is not None
    assert layers["seccomp"] is True
    assert set(layers.values()) == {True}


# -- adding and reading ---------------------------------------------------------------------------------------------------


def test_a_process_adds_to_its_own_rows_in_one_statement() -> None:
    with CaptureQueriesContext(connection) as queries:
        counters.add([Increment("b", "x"), Increment("a", "", 2.5), Increment("b", "x")])
    assert len(queries) == 1
    counters.add([Increment("b", "x")])
    assert counts() == {"a": {"": 2.5}, "b": {"x": 3}}
    assert set(Tally.objects.values_list("process", flat=True)) == {counters.process_name()}


def test_nothing_to_add_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as queries:
        counters.add([])
    assert not queries


@pytest.mark.parametrize(
    ("seconds", "bucket"), [(-5.0, "0.05"), (0.05, "0.05"), (0.051, "0.075"), (1800.0, "1800"), (9e9, "inf")]
)
def test_a_time_falls_into_its_bucket(seconds: float, bucket: str) -> None:
    counted = list(counters._timed(FROM_CLAIM, "submit", timedelta(seconds=seconds)))
    assert counted[0] == Increment(FROM_CLAIM, f"submit {bucket}")
    assert counted[1] == Increment(FROM_CLAIM, "submit seconds", max(0.0, seconds))


def test_quantiles_lie_between_the_bounds_of_their_bucket() -> None:
    now = {FROM_CLAIM: {"submit 0.1": 50.0, "submit 1": 45.0, "submit 2": 5.0, "submit seconds": 60.0}}
    took = counters.times(now, FROM_CLAIM, "submit")
    assert took.number == 100
    assert took.quantile(0.5) == pytest.approx(0.1)
    assert took.quantile(0.25) == pytest.approx(0.0875)
    assert took.quantile(0.95) == pytest.approx(1.0)
    assert took.quantile(0.99) == pytest.approx(1.9)


def test_of_nothing_there_is_no_median_and_of_the_endless_the_last_bound() -> None:
    assert counters.times({}, FROM_CLAIM, "submit").quantile(0.5) is None
    assert counters.times({FROM_CLAIM: {"submit inf": 1.0}}, FROM_CLAIM, "submit").quantile(0.5) == BUCKETS[-1]


# -- hours and days -------------------------------------------------------------------------------------------------------


def snapshot(minutes: float, **labels: float) -> None:
    Snapshot.objects.create(at=timezone.now() - timedelta(minutes=minutes), counts={VERDICTS: labels})


def test_the_last_hour_is_what_came_since_its_snapshot() -> None:
    snapshot(200, passed=1)
    snapshot(61, passed=5)
    snapshot(30, passed=9)
    now = {VERDICTS: {"passed": 12.0, "failed": 2.0}}
    hour = counters.counts_since(timezone.now() - timedelta(hours=1), now)
    assert hour == {VERDICTS: {"passed": 7, "failed": 2}}


def test_before_the_first_snapshot_there_was_nothing() -> None:
    assert counters.counts_since(timezone.now(), {VERDICTS: {"passed": 3.0}}) == {VERDICTS: {"passed": 3.0}}


def test_a_snapshot_is_taken_every_few_minutes_by_one_alone() -> None:
    counters.add([Increment(VERDICTS, "passed")])
    counters.take_snapshot()
    counters.take_snapshot()
    assert Snapshot.objects.get().counts == {VERDICTS: {"passed": 1}}


def test_two_that_come_at_once_take_one_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    Snapshot.objects.create(at=counters._rounded(now), counts={})
    with transaction.atomic():
        monkeypatch.setattr(counters, "SNAPSHOT_EVERY", timedelta(seconds=0))
        monkeypatch.setattr(counters, "_rounded", lambda _: Snapshot.objects.get().at)
        counters.take_snapshot()
    assert Snapshot.objects.count() == 1


def test_old_snapshots_go_but_for_the_one_a_day_is_told_from() -> None:
    for hours in (60, 50, 26, 24, 1):
        snapshot(60 * hours)
    counters.take_snapshot()
    ages = [
        round((timezone.now() - at).total_seconds() / 3600)
        for at in Snapshot.objects.order_by("at").values_list("at", flat=True)
    ]
    assert ages == [26, 24, 1, 0]


def test_what_ended_processes_counted_is_added_up() -> None:
    now = timezone.now()
    Worker.objects.create(name="alive:1", version="1", started_at=now, seen_at=now)
    Worker.objects.create(name="silent:2", version="1", started_at=now, seen_at=now - timedelta(hours=1))
    for process in ("alive:1", "silent:2", "gone:3", "gone:4"):
        Tally.objects.create(counter=VERDICTS, label="passed", process=process, value=1.5)
    counters.take_snapshot()
    assert dict(Tally.objects.values_list("process", "value")) == {"": 4.5, "alive:1": 1.5}
    assert Tally.objects.aggregate(total=Sum("value"))["total"] == 6


def test_who_was_only_silent_goes_on_counting() -> None:
    counters.add([Increment(VERDICTS, "passed")])
    counters._fold()
    counters.add([Increment(VERDICTS, "passed")])
    assert counts() == {VERDICTS: {"passed": 2}}


def test_processes_of_before_go_on_without_a_word_of_it(cast: Cast) -> None:
    """Statements of an older version do not name the new columns."""
    submission = cast.hands_in("ada")
    work = Work.objects.filter(submission=submission).values().get()
    Work.objects.all().delete()
    now = timezone.now()
    worker: dict[str, Any] = {
        "name": "old:1",
        "version": "0.0.1",
        "started_at": now,
        "seen_at": now,
        "graded": 0,
        "sandboxes": "{}",
        "trouble": "",
    }
    for table, row in (("submissions_work", work), ("submissions_worker", worker)):
        old: dict[str, Any] = {
            name: value for name, value in row.items() if name not in ("request", "traceparent", "layers")
        }
        if table == "submissions_work":
            old["queued_at"] = connection.ops.adapt_datetimefield_value(old["queued_at"])
        else:
            old |= {name: connection.ops.adapt_datetimefield_value(now) for name in ("started_at", "seen_at")}
        with connection.cursor() as cursor:
            marks = ", ".join(["%s"] * len(old))
            cursor.execute(f"INSERT INTO {table} ({', '.join(old)}) VALUES ({marks})", list(old.values()))
    assert (Work.objects.get().request, Work.objects.get().traceparent) == ("", "")
    assert Worker.objects.get().layers is None
    claim = queue.claim("new")
    assert claim is not None
    assert (claim.request, claim.traceparent) == ("", "")
