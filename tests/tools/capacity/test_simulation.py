"""The simulation agrees with queueing theory, and no failure in it loses work."""

from datetime import UTC, datetime
from random import Random

import pytest

from autograder.submissions.models import Lane
from autograder.submissions.work.queue import MAX_LOST_WORKERS
from sandbox.host import RECYCLE_AFTER
from tools.capacity.arrivals import HOUR, Arrival, busiest_minute, deadline_night
from tools.capacity.service_times import ExerciseTimes, GradingTimes, ServiceTimes
from tools.capacity.simulation import Fleet, simulate
from tools.capacity.sizing import smallest_fleet


def always(seconds: float, *, wakeup_delay: float = 0.0, warm_up: float = 0.0) -> ServiceTimes:
    """Every grading takes the same time, and its worker is free at the verdict."""
    exercise = ExerciseTimes("same", 1.0, (GradingTimes(seconds, seconds),))
    return ServiceTimes("a thought", datetime.now(UTC), 1, 0.0, wakeup_delay, warm_up, (exercise,))


def at_random(rate: float, count: int, seed: int = 1) -> list[Arrival]:
    """Poisson arrivals, each of a different student."""
    random, at, found = Random(seed), 0.0, []
    for n in range(count):
        at += random.expovariate(rate)
        found.append(Arrival(at, n, 0, Lane.SUBMIT, 0))
    return found


def at_once(count: int, *, students: int | None = None) -> list[Arrival]:
    return [Arrival(0.0, n % (students or count), 0, Lane.SUBMIT, 0) for n in range(count)]


def test_one_worker_at_seventy_percent_keeps_people_waiting_as_theory_has_it() -> None:
    """M/D/1: the mean wait is rho / (2 (1 - rho)) of a service time."""
    night = simulate(at_random(0.7, 40_000), Fleet(1, recycles=False), always(1.0), 1)
    waits = [seconds - 1.0 for seconds in night.waited if seconds is not None]
    assert sum(waits) / len(waits) == pytest.approx(0.7 / (2 * 0.3), rel=0.1)


def test_a_storm_ends_when_the_workers_are_through() -> None:
    night = simulate(at_once(100), Fleet(4, recycles=False), always(2.0, wakeup_delay=0.5), 1)
    assert night.ended == pytest.approx(0.5 + 25 * 2.0)
    assert night.deepest >= 96


def test_the_first_of_everybody_goes_before_anybodys_second() -> None:
    night = simulate(at_once(40, students=10), Fleet(1, recycles=False), always(1.0), 1)
    firsts, rest = night.waited[:10], night.waited[10:]
    assert max(map(float, firsts)) < min(map(float, rest))  # type: ignore[arg-type]


def test_runs_go_before_submissions() -> None:
    arrivals = [*at_once(5), Arrival(0.5, 99, 0, Lane.RUN, 0)]
    assert simulate(arrivals, Fleet(1, recycles=False), always(1.0), 1).waited[-1] == pytest.approx(1.5)


def test_a_zygote_is_replaced_now_and_then() -> None:
    """A grading counts as three jobs."""
    night = simulate(at_once(RECYCLE_AFTER), Fleet(1), always(0.1, warm_up=6.0), 1)
    assert night.steps["zygote started"] == 2
    assert night.ended == pytest.approx(0.1 * (RECYCLE_AFTER + 0) + 2 * 6.0)


def test_whoever_dies_loses_nothing() -> None:
    """A lease expires, another worker takes over, and nothing is graded twice."""
    arrivals = at_random(2.0, 4_000)
    night = simulate(arrivals, Fleet(6, lease=10.0, failures=60.0), always(1.0, warm_up=3.0), 1)
    assert night.steps["worker died"] > 100
    assert night.steps["taken back"] > 50
    assert night.steps["finish"] + night.failed == len(arrivals)
    assert night.steps["claim"] == night.steps["finish"] + night.steps["taken back"]
    assert max(float(seconds) for seconds in night.waited if seconds is not None) > 10.0


def test_work_that_every_worker_dies_of_is_given_up() -> None:
    night = simulate(at_once(3), Fleet(2, lease=4.0, failures=3600.0), always(500.0), 1)
    assert night.failed == 3
    assert night.steps["claim"] == 3 * MAX_LOST_WORKERS


def test_a_long_grading_renews_its_lease() -> None:
    assert simulate(at_once(1), Fleet(1, lease=30.0), always(60.0), 1).steps["renew"] == 8


def test_the_same_seed_is_the_same_night() -> None:
    fleet, measured = Fleet(3, failures=30.0), always(1.0, warm_up=2.0)
    one, same, other = (simulate(at_random(2.0, 500), fleet, measured, seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_the_smallest_fleet_is_enough_and_one_fewer_is_not() -> None:
    arrivals, measured = at_random(8.0, 3_000), always(1.0)
    fleet, night = smallest_fleet(arrivals, Fleet(1), measured, within=10, seed=1, report=lambda workers, enough: None)
    assert night.percentile(0.95) <= 10
    fewer = simulate(arrivals, Fleet(fleet.workers - 1), measured, 1)
    assert fewer.percentile(0.95) > 10


def test_a_verdict_that_takes_longer_than_promised_is_no_question_of_workers() -> None:
    with pytest.raises(ValueError, match="longer than was promised"):
        smallest_fleet(at_once(5), Fleet(1), always(20.0), within=10, seed=1, report=lambda workers, enough: None)


def test_ever_more_come_until_the_deadline() -> None:
    given = {"students": 4_000, "each": 3, "courses": 10, "shares": [0.5, 0.5], "runs": 0.5, "random": Random(1)}
    night = deadline_night(doubling=720.0, **given)  # type: ignore[arg-type]
    handed_in = [arrival.at for arrival in night if arrival.lane == Lane.SUBMIT]
    assert len(handed_in) == 12_000
    assert night == sorted(night)
    last, before = (sum(HOUR - 720 * (n + 1) < at <= HOUR - 720 * n for at in handed_in) for n in (0, 1))
    assert last / before == pytest.approx(2, rel=0.1)
    assert busiest_minute([arrival for arrival in night if arrival.lane == Lane.SUBMIT]) == pytest.approx(
        12_000 * 0.058 / 60, rel=0.1
    )
    assert sum(arrival.lane == Lane.RUN for arrival in night) == pytest.approx(6_000, rel=0.05)
