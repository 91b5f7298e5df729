"""Discrete-event simulation of the queue: arrivals, claims, verdicts, worker failures and restarts, expired leases.

Models the behaviour of `queue`, `grader` and `lease`. Service times are drawn from the measured ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from heapq import heappop, heappush
from random import Random

from autograder.submissions.work.queue import MAX_LOST_WORKERS
from sandbox.host import RECYCLE_AFTER
from tools.capacity.arrivals import Arrival
from tools.capacity.queue_model import QueueModel, WaitingWork
from tools.capacity.service_times import GradingTimes, ServiceTimes

HOUR = 3600.0
JOBS_EACH = 3  # of a zygote per grading: the verdict, its backward passes and its explanation
REAPS_EVERY = 5.0  # seconds between two checks for expired leases
RENEWALS = 4  # per lease
TOLERATED = 0.05  # share of submissions that may wait longer than the required 95th percentile


@dataclass(frozen=True)
class Fleet:
    """The workers. `failures` is per worker and hour; a failed worker restarts after `restart` seconds and then warms up."""

    workers: int
    lease: float = 30.0
    failures: float = 0.0
    restart: float = 1.0
    recycles: bool = True


@dataclass
class Result:
    """The result of a simulation. `waited` holds the seconds from submission to verdict, by arrival; None: lost with
    MAX_LOST_WORKERS workers."""

    waited: list[float | None]
    ended: float = 0.0
    busy: float = 0.0
    deepest: int = 0
    complete: bool = True  # False if the simulation stopped early because too many submissions waited too long
    steps: Counter[str] = field(default_factory=Counter)

    def percentile(self, share: float) -> float:
        """Return this quantile of the waiting times of all submissions with a verdict."""
        known = sorted(seconds for seconds in self.waited if seconds is not None)
        return known[min(len(known) - 1, int(share * len(known)))] if known else 0.0

    @property
    def failed(self) -> int:
        return self.waited.count(None)


class Event(IntEnum):
    VERDICT = auto()
    FREE = auto()
    DEATH = auto()
    BACK = auto()
    LOST = auto()  # an expired lease was found


@dataclass
class Worker:
    """A worker. `life` counts its failures, so that events scheduled before the last failure are ignored."""

    life: int = 0
    up: bool = True
    work: WaitingWork | None = None
    renewed_at: float = 0.0
    jobs: Counter[int] = field(default_factory=Counter)


class Simulation:
    def __init__(
        self,
        arrivals: Sequence[Arrival],
        fleet: Fleet,
        service_times: ServiceTimes,
        random: Random,
        give_up: float | None = None,
    ) -> None:
        self._give_up, self._late, self._most_late = give_up, 0, TOLERATED * len(arrivals)
        self._arrivals, self._fleet, self._service_times, self._random = arrivals, fleet, service_times, random
        self._courses = [arrival.course for arrival in arrivals]
        self._grading_times: list[Sequence[GradingTimes]] = [exercise.times for exercise in service_times.exercises]
        self._queue = QueueModel()
        self._workers = [Worker() for _ in range(fleet.workers)]
        self._idle = list(range(fleet.workers))
        self._tries = [0] * len(arrivals)
        # time, sequence number, event, worker or work, life of the worker
        self._events: list[tuple[float, int, Event, int, int]] = []
        self._order = 0
        self._open = len(arrivals)
        self.result = Result([None] * len(arrivals))
        self._lost: dict[int, WaitingWork] = {}

    def run(self) -> Result:
        for number in range(len(self._workers)):
            self._expect_death(number, 0.0)
        coming, events = 0, self._events
        while self._open and self.result.complete:
            if coming < len(self._arrivals) and (not events or self._arrivals[coming].at <= events[0][0]):
                self._arrive(coming)
                coming += 1
            else:
                at, _, event, worker_id, life = heappop(events)
                self._happen(at, event, worker_id, life)
        return self.result

    def _later(self, at: float, event: Event, worker_id: int, life: int = 0) -> None:
        self._order += 1
        heappush(self._events, (at, self._order, event, worker_id, life))

    def _happen(self, at: float, event: Event, worker_id: int, life: int) -> None:
        if event == Event.LOST:
            self._again(at, self._lost.pop(worker_id))
            return
        worker = self._workers[worker_id]
        if event == Event.DEATH:
            self._die(at, worker_id)
        elif event == Event.BACK:
            worker.up = True
            self._expect_death(worker_id, at)
            self._go_on(at, worker_id)
        elif life == worker.life:  # otherwise the worker failed in the meantime
            if event == Event.VERDICT:
                self._store(at, worker)
            else:
                self._go_on(at, worker_id)

    # -- work

    def _arrive(self, number: int) -> None:
        at, student, course, lane, _ = self._arrivals[number]
        self._queue.enter(number, lane=lane, student=student, course=course)
        self.result.steps["hand in"] += 1
        self.result.deepest = max(self.result.deepest, self._queue.length)
        self._wake(at)

    def _wake(self, at: float) -> None:
        """An idle worker receives the wake-up a moment later."""
        if self._idle:
            worker_id = self._idle.pop()
            self._later(at + self._service_times.wakeup_delay, Event.FREE, worker_id, self._workers[worker_id].life)

    def _go_on(self, at: float, worker_id: int) -> None:
        """Claim the next work, or become idle."""
        worker, work = self._workers[worker_id], self._queue.take(self._courses)
        self.result.steps["claim" if work else "claim of nothing"] += 1
        if work is None:
            self._idle.append(worker_id)
            return
        self._tries[work.number] += 1
        exercise = self._arrivals[work.number].exercise
        first = at + self._recycled(worker, exercise)
        times = self._random.choice(self._grading_times[exercise])
        worker.work, worker.renewed_at = work, at
        self.result.steps["renew"] += int((first - at + times.busy) / (self._fleet.lease / RENEWALS))
        self.result.busy += first - at + times.busy
        self._later(first + times.verdict, Event.VERDICT, worker_id, worker.life)
        self._later(first + times.busy, Event.FREE, worker_id, worker.life)

    def _recycled(self, worker: Worker, exercise: int) -> float:
        """Return the delay for a zygote that is replaced after RECYCLE_AFTER jobs; the next submission waits for the new one."""
        worker.jobs[exercise] += JOBS_EACH
        if not self._fleet.recycles or worker.jobs[exercise] < RECYCLE_AFTER:
            return 0.0
        worker.jobs[exercise] = 0
        self.result.steps["zygote started"] += 1
        return self._service_times.warm_up

    def _store(self, at: float, worker: Worker) -> None:
        work, worker.work = worker.work, None
        assert work is not None
        self.result.steps["finish"] += 1
        self.result.waited[work.number] = waited = at - self._arrivals[work.number].at
        if self._give_up is not None and waited > self._give_up:
            self._late += 1
            self.result.complete = self._late <= self._most_late
        self._close(at, work)

    def _close(self, at: float, work: WaitingWork) -> None:
        self._queue.end(lane=work.lane, student=self._arrivals[work.number].student)
        self.result.ended = at
        self._open -= 1

    # -- failures

    def _expect_death(self, worker_id: int, now: float) -> None:
        if self._fleet.failures:
            self._later(now + self._random.expovariate(self._fleet.failures / HOUR), Event.DEATH, worker_id)

    def _die(self, at: float, worker_id: int) -> None:
        worker = self._workers[worker_id]
        work, worker.work, worker.up = worker.work, None, False
        worker.life += 1
        worker.jobs.clear()
        self.result.steps["worker died"] += 1
        if worker_id in self._idle:
            self._idle.remove(worker_id)
        if work is not None:  # its lease was renewed regularly until now, and expires later
            beat = self._fleet.lease / RENEWALS
            renewed = worker.renewed_at + (at - worker.renewed_at) // beat * beat
            self._lost[work.number] = work
            self._later(renewed + self._fleet.lease + self._random.uniform(0, REAPS_EVERY), Event.LOST, work.number)
        self._later(at + self._fleet.restart + self._service_times.warm_up, Event.BACK, worker_id)

    def _again(self, at: float, work: WaitingWork) -> None:
        self.result.steps["taken back"] += 1
        if self._tries[work.number] >= MAX_LOST_WORKERS:
            self._close(at, work)
            return
        self._queue.put(work, self._courses[work.number])
        self._wake(at)


def simulate(
    arrivals: Sequence[Arrival], fleet: Fleet, service_times: ServiceTimes, seed: int, give_up: float | None = None
) -> Result:
    """Run a simulation; the same seed gives the same result. With `give_up`, stop once more than TOLERATED of the
    submissions waited longer than that many seconds."""
    return Simulation(arrivals, fleet, service_times, Random(seed), give_up).run()
