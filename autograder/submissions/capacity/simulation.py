"""Discrete-event simulation of the queue: arrivals, claims, verdicts, worker failures and restarts, expired leases.

Models the behaviour of `queue`, `grader` and `lease`. Service times are drawn from the measured ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from heapq import heappop, heappush
from random import Random

from autograder.submissions.capacity.arrivals import Arrival
from autograder.submissions.capacity.measured import Measured, Times
from autograder.submissions.capacity.waiting import Queue, Waiting
from autograder.submissions.queue import MAX_LOST_WORKERS
from sandbox.host import RECYCLE_AFTER

HOUR = 3600.0
JOBS_EACH = 3  # of a zygote per grading: the verdict, its backward passes and its explanation
LOOKS_EVERY = 5.0  # seconds between two checks for expired leases
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
class Night:
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


class What(IntEnum):
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
    work: Waiting | None = None
    renewed_at: float = 0.0
    jobs: Counter[int] = field(default_factory=Counter)


class Simulation:
    def __init__(
        self, arrivals: Sequence[Arrival], fleet: Fleet, measured: Measured, random: Random, give_up: float | None = None
    ) -> None:
        self._give_up, self._late, self._most_late = give_up, 0, TOLERATED * len(arrivals)
        self._arrivals, self._fleet, self._measured, self._random = arrivals, fleet, measured, random
        self._courses = [arrival.course for arrival in arrivals]
        self._times: list[Sequence[Times]] = [exercise.times for exercise in measured.exercises]
        self._queue = Queue()
        self._workers = [Worker() for _ in range(fleet.workers)]
        self._idle = list(range(fleet.workers))
        self._tries = [0] * len(arrivals)
        # time, sequence number, event, worker or work, life of the worker
        self._events: list[tuple[float, int, What, int, int]] = []
        self._order = 0
        self._open = len(arrivals)
        self.night = Night([None] * len(arrivals))
        self._lost: dict[int, Waiting] = {}

    def run(self) -> Night:
        for number in range(len(self._workers)):
            self._expect_death(number, 0.0)
        coming, events = 0, self._events
        while self._open and self.night.complete:
            if coming < len(self._arrivals) and (not events or self._arrivals[coming].at <= events[0][0]):
                self._arrive(coming)
                coming += 1
            else:
                at, _, what, whose, life = heappop(events)
                self._happen(at, what, whose, life)
        return self.night

    def _later(self, at: float, what: What, whose: int, life: int = 0) -> None:
        self._order += 1
        heappush(self._events, (at, self._order, what, whose, life))

    def _happen(self, at: float, what: What, whose: int, life: int) -> None:
        if what == What.LOST:
            self._again(at, self._lost.pop(whose))
            return
        worker = self._workers[whose]
        if what == What.DEATH:
            self._die(at, whose)
        elif what == What.BACK:
            worker.up = True
            self._expect_death(whose, at)
            self._go_on(at, whose)
        elif life == worker.life:  # otherwise the worker failed in the meantime
            if what == What.VERDICT:
                self._store(at, worker)
            else:
                self._go_on(at, whose)

    # -- work

    def _arrive(self, number: int) -> None:
        at, student, course, lane, _ = self._arrivals[number]
        self._queue.enter(number, lane=lane, student=student, course=course)
        self.night.steps["hand in"] += 1
        self.night.deepest = max(self.night.deepest, self._queue.length)
        self._wake(at)

    def _wake(self, at: float) -> None:
        """An idle worker receives the wake-up a moment later."""
        if self._idle:
            whose = self._idle.pop()
            self._later(at + self._measured.bell, What.FREE, whose, self._workers[whose].life)

    def _go_on(self, at: float, whose: int) -> None:
        """Claim the next work, or become idle."""
        worker, work = self._workers[whose], self._queue.take(self._courses)
        self.night.steps["claim" if work else "claim of nothing"] += 1
        if work is None:
            self._idle.append(whose)
            return
        self._tries[work.number] += 1
        exercise = self._arrivals[work.number].exercise
        first = at + self._recycled(worker, exercise)
        times = self._random.choice(self._times[exercise])
        worker.work, worker.renewed_at = work, at
        self.night.steps["renew"] += int((first - at + times.busy) / (self._fleet.lease / RENEWALS))
        self.night.busy += first - at + times.busy
        self._later(first + times.verdict, What.VERDICT, whose, worker.life)
        self._later(first + times.busy, What.FREE, whose, worker.life)

    def _recycled(self, worker: Worker, exercise: int) -> float:
        """Return the delay for a zygote that is replaced after RECYCLE_AFTER jobs; the next submission waits for the new one."""
        worker.jobs[exercise] += JOBS_EACH
        if not self._fleet.recycles or worker.jobs[exercise] < RECYCLE_AFTER:
            return 0.0
        worker.jobs[exercise] = 0
        self.night.steps["zygote started"] += 1
        return self._measured.warming

    def _store(self, at: float, worker: Worker) -> None:
        work, worker.work = worker.work, None
        assert work is not None
        self.night.steps["finish"] += 1
        self.night.waited[work.number] = waited = at - self._arrivals[work.number].at
        if self._give_up is not None and waited > self._give_up:
            self._late += 1
            self.night.complete = self._late <= self._most_late
        self._close(at, work)

    def _close(self, at: float, work: Waiting) -> None:
        self._queue.end(lane=work.lane, student=self._arrivals[work.number].student)
        self.night.ended = at
        self._open -= 1

    # -- failures

    def _expect_death(self, whose: int, now: float) -> None:
        if self._fleet.failures:
            self._later(now + self._random.expovariate(self._fleet.failures / HOUR), What.DEATH, whose)

    def _die(self, at: float, whose: int) -> None:
        worker = self._workers[whose]
        work, worker.work, worker.up = worker.work, None, False
        worker.life += 1
        worker.jobs.clear()
        self.night.steps["worker died"] += 1
        if whose in self._idle:
            self._idle.remove(whose)
        if work is not None:  # its lease was renewed regularly until now, and expires later
            beat = self._fleet.lease / RENEWALS
            renewed = worker.renewed_at + (at - worker.renewed_at) // beat * beat
            self._lost[work.number] = work
            self._later(renewed + self._fleet.lease + self._random.uniform(0, LOOKS_EVERY), What.LOST, work.number)
        self._later(at + self._fleet.restart + self._measured.warming, What.BACK, whose)

    def _again(self, at: float, work: Waiting) -> None:
        self.night.steps["taken back"] += 1
        if self._tries[work.number] >= MAX_LOST_WORKERS:
            self._close(at, work)
            return
        self._queue.put(work, self._courses[work.number])
        self._wake(at)


def simulate(
    arrivals: Sequence[Arrival], fleet: Fleet, measured: Measured, seed: int, give_up: float | None = None
) -> Night:
    """Run a simulation; the same seed gives the same result. With `give_up`, stop once more than TOLERATED of the
    submissions waited longer than that many seconds."""
    return Simulation(arrivals, fleet, measured, Random(seed), give_up).run()
