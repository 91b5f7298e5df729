"""Estimates the load on the database and the broker per second. Tests compare the counts of each step with the code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.submissions.grader import HEARTBEAT_SECONDS, MAX_STRETCH_SECONDS
from tools.capacity.arrivals import Arrival, busiest_minute
from tools.capacity.simulation import Result

POLLS = 3  # requests of a page that waits for its submission: after running, graded and explained
EVENTS = 4  # published per submission: queued, running, graded, explained
REAPS_EVERY = 5.0  # seconds between two runs of the scheduler's reap task


@dataclass(frozen=True)
class Transaction:
    """One transaction with this number of statements."""

    statements: int
    writes: bool = True


TRANSACTIONS: Mapping[str, Transaction] = {
    "hand in": Transaction(32),
    "claim": Transaction(2),
    "renew": Transaction(1),
    "finish": Transaction(5),
    "explain": Transaction(1),
    "claim of nothing": Transaction(2, writes=False),
    "sign of life": Transaction(4),
    "poll": Transaction(23, writes=False),
}


@dataclass(frozen=True)
class PeakLoad:
    """Transactions, statements and broker messages per second in the busiest minute."""

    transactions: Mapping[str, float]  # per second, by kind
    statements: float
    writes: float
    sent: float  # messages to the broker
    delivered: float  # messages from the broker
    stored_megabytes: float


def load_of(arrivals: Sequence[Arrival], result: Result, workers: int, *, web_processes: int, kilobytes: float) -> PeakLoad:
    """Compute the load from the arrivals of the busiest minute. Valid if p95 is low, because then no work is delayed for long."""
    peak, share = busiest_minute(arrivals), 1 / max(1, len(arrivals))
    rates = {name: peak * result.steps[name] * share for name in ("hand in", "claim", "renew", "finish", "claim of nothing")}
    rates["explain"] = rates["finish"]
    rates["poll"] = POLLS * rates["finish"]
    rates["sign of life"] = workers / HEARTBEAT_SECONDS
    wakeups = peak + workers / MAX_STRETCH_SECONDS + 1 / REAPS_EVERY
    events = EVENTS * peak
    return PeakLoad(
        transactions=dict(sorted(rates.items(), key=lambda item: -item[1])),
        statements=sum(TRANSACTIONS[name].statements * rate for name, rate in rates.items()),
        writes=sum(rate for name, rate in rates.items() if TRANSACTIONS[name].writes),
        sent=wakeups + events,
        delivered=wakeups + events * web_processes,
        stored_megabytes=len(arrivals) * kilobytes / 1000,
    )
