"""Generates the submissions of the hour before a deadline."""

import math
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from autograder.submissions.models import Lane

HOUR = 3600.0
LAST_MINUTE = 60.0


class Arrival(NamedTuple):
    """One submission. `exercise` is its index in the measured exercises."""

    at: float
    student: int
    course: int
    lane: int
    exercise: int


def deadline_night(
    *, students: int, each: int, courses: int, shares: Sequence[float], doubling: float, runs: float, random: Random
) -> list[Arrival]:
    """Generate arrivals for students who each submit `each` times within the last hour, at an increasing rate.

    The rate is assumed to double every `doubling` seconds until the deadline. With 12 minutes, it is 32 times as high at the
    end as an hour before, and every 18th submission falls into the last minute. A share `runs` of the submissions is
    preceded by a run.
    """
    bounds = list(accumulate(shares))
    found = []
    for student in range(students):
        for at in [_moment(random.random(), doubling) for _ in range(each)]:
            exercise = min(bisect(bounds, random.random() * bounds[-1]), len(bounds) - 1)
            found.append(Arrival(at, student, student % courses, Lane.SUBMIT, exercise))
            if runs and random.random() < runs:
                found.append(Arrival(max(0.0, at - random.uniform(5, 120)), student, student % courses, Lane.RUN, exercise))
    return sorted(found)


def _moment(share: float, doubling: float) -> float:
    """Return the moment before which this share of all submissions arrives, if the rate doubles at a constant interval."""
    growth = math.log(2) / doubling
    return math.log1p(share * math.expm1(growth * HOUR)) / growth


def busiest_minute(arrivals: Sequence[Arrival]) -> float:
    """Return the arrivals per second in the busiest minute."""
    most, first = 0, 0
    for last, arrival in enumerate(arrivals):
        while arrivals[first].at <= arrival.at - LAST_MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most / LAST_MINUTE
