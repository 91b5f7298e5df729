"""Who hands in what, and when: the hour before a deadline."""

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
    """`exercise` is its number in what was measured."""

    at: float
    student: int
    course: int
    lane: int
    exercise: int


def deadline_night(
    *, students: int, each: int, courses: int, shares: Sequence[float], doubling: float, runs: float, random: Random
) -> list[Arrival]:
    """Everybody hands in so many times within the last hour, ever more of them at once.

    The assumption: the rate doubles every `doubling` seconds until the deadline. With 12 minutes that is 32 times as many at
    the end as an hour before, and every 18th submission in the last minute. `runs` of them are preceded by a run.
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
    """The moment before which this share of all has come, when the rate grows by doubling."""
    growth = math.log(2) / doubling
    return math.log1p(share * math.expm1(growth * HOUR)) / growth


def busiest_minute(arrivals: Sequence[Arrival]) -> float:
    """The most that come in a minute, for each second of it."""
    most, first = 0, 0
    for last, arrival in enumerate(arrivals):
        while arrivals[first].at <= arrival.at - LAST_MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most / LAST_MINUTE
