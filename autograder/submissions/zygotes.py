"""Tells the tallies how many zygotes this process started, and how many of them died."""

import threading

from autograder.judge.grade import Judge
from autograder.submissions import counters
from autograder.submissions.counters import Count


class Zygotes:
    """What was counted already. Called from the thread that grades and from the one that keeps the lease."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def count(self, judge: Judge) -> None:
        """What has come to it; remembered only when it is stored."""
        with self._lock:
            now = {
                (counter, profile): number
                for counter, numbers in ((counters.ZYGOTE_STARTS, judge.starts()), (counters.ZYGOTE_DEATHS, judge.deaths()))
                for profile, number in numbers.items()
            }
            more = {key: number - self._told.get(key, 0) for key, number in now.items()}
            counters.add(Count(*key, value) for key, value in more.items() if value > 0)
            self._told.update(now)
