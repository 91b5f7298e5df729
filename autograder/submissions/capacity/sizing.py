"""Finds the smallest number of workers that meets a response-time target, by repeated simulation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.submissions.capacity.arrivals import Arrival, busiest_minute
from autograder.submissions.capacity.measured import Measured
from autograder.submissions.capacity.simulation import Fleet, Night, simulate

Say = Callable[[int, bool], object]


def smallest(
    arrivals: Sequence[Arrival], fleet: Fleet, measured: Measured, *, promised: float, seed: int, say: Say
) -> tuple[Fleet, Night]:
    """Return the smallest fleet with which 95 % of the verdicts arrive within the promised seconds.

    `say` is called for every number of workers tried. Raises ValueError if a verdict alone takes longer.
    """

    def tried(workers: int) -> Night:
        night = simulate(arrivals, replace(fleet, workers=workers), measured, seed, give_up=promised)
        say(workers, night.complete)
        return night

    span = max(1.0, arrivals[-1].at - arrivals[0].at)
    # a lower bound: less than half of what is needed on average
    few = max(0, int(len(arrivals) * measured.mean_busy / span / 2))
    many = max(1, math.ceil(busiest_minute(arrivals) * measured.mean_busy * 1.3))
    while not (best := tried(many)).complete:
        if many > 100 * len(arrivals):
            raise ValueError("no number of workers is enough: a single verdict takes longer than was promised")
        few, many = many, 2 * many
    while many - few > max(1, many // 100):
        middle = (few + many) // 2
        night = tried(middle)
        if night.complete:
            many, best = middle, night
        else:
            few = middle
    return replace(fleet, workers=many), best
