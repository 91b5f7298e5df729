"""Estimates the load on the database and the broker per second. Tests compare the counts of each step with the code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.submissions.capacity.arrivals import Arrival, busiest_minute
from autograder.submissions.capacity.simulation import Night
from autograder.submissions.grader import AT_A_STRETCH, ONCE_A

LOOKS = 3  # requests of a page that follows its submission: after running, graded and explained
EVENTS = 4  # published per submission: queued, running, graded, explained
REAPS_EVERY = 5.0  # seconds between two runs of the scheduler's reap task


@dataclass(frozen=True)
class Step:
    """One transaction with this number of statements."""

    statements: int
    writes: bool = True


STEPS: Mapping[str, Step] = {
    "hand in": Step(29),
    "claim": Step(2),
    "renew": Step(1),
    "finish": Step(5),
    "explain": Step(1),
    "claim of nothing": Step(2, writes=False),
    "sign of life": Step(4),
    "look": Step(23, writes=False),
}


@dataclass(frozen=True)
class Load:
    """Transactions per second by step, statements per second, and messages per second to and from the broker, in the busiest
    minute."""

    transactions: Mapping[str, float]
    statements: float
    writes: float
    sent: float
    delivered: float
    stored_megabytes: float


def load_of(arrivals: Sequence[Arrival], night: Night, workers: int, *, web_processes: int, kilobytes: float) -> Load:
    """Compute the load from the arrivals of the busiest minute. Valid if p95 is low, because then no work is delayed for long."""
    peak, share = busiest_minute(arrivals), 1 / max(1, len(arrivals))
    steps = {name: peak * night.steps[name] * share for name in ("hand in", "claim", "renew", "finish", "claim of nothing")}
    steps["explain"] = steps["finish"]
    steps["look"] = LOOKS * steps["finish"]
    steps["sign of life"] = workers / ONCE_A
    bells = peak + workers / AT_A_STRETCH + 1 / REAPS_EVERY
    events = EVENTS * peak
    return Load(
        transactions=dict(sorted(steps.items(), key=lambda item: -item[1])),
        statements=sum(STEPS[name].statements * rate for name, rate in steps.items()),
        writes=sum(rate for name, rate in steps.items() if STEPS[name].writes),
        sent=bells + events,
        delivered=bells + events * web_processes,
        stored_megabytes=len(arrivals) * kilobytes / 1000,
    )
