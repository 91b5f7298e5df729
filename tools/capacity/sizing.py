"""Finds the smallest number of workers that meets a response-time target, by repeated simulation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from tools.capacity.arrivals import Arrival, busiest_minute
from tools.capacity.service_times import ServiceTimes
from tools.capacity.simulation import Fleet, Result, simulate

Report = Callable[[int, bool], object]


def smallest_fleet(
    arrivals: Sequence[Arrival], fleet: Fleet, times: ServiceTimes, *, within: float, seed: int, report: Report
) -> tuple[Fleet, Result]:
    """Return the smallest fleet with which 95% of the verdicts arrive within `within` seconds.

    `report` is called for every number of workers tried. Raises ValueError if a verdict alone takes longer.
    """

    def attempt(workers: int) -> Result:
        result = simulate(arrivals, replace(fleet, workers=workers), times, seed, give_up=within)
        report(workers, result.complete)
        return result

    span = max(1.0, arrivals[-1].at - arrivals[0].at)
    # a lower bound: less than half of what is needed on average
    low = max(0, int(len(arrivals) * times.mean_busy / span / 2))
    high = max(1, math.ceil(busiest_minute(arrivals) * times.mean_busy * 1.3))
    while not (best := attempt(high)).complete:
        if high > 100 * len(arrivals):
            raise ValueError("no number of workers is enough: a single verdict takes longer than was promised")
        low, high = high, 2 * high
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        result = attempt(middle)
        if result.complete:
            high, best = middle, result
        else:
            low = middle
    return replace(fleet, workers=high), best
