"""Adds the number of zygotes that this process started, and of those that died, to the counters."""

import threading

from autograder.judge.grade import Slot
from autograder.submissions import counters
from autograder.submissions.counters import Increment


class Zygotes:
    """Remembers what has been counted. Used by the grading thread and by the thread that renews the lease."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def count(self, slot: Slot) -> None:
        """Count the increase since the last call. It is remembered only after it is stored."""
        with self._lock:
            now = {
                (counter, profile): number
                for counter, numbers in ((counters.ZYGOTE_STARTS, slot.starts()), (counters.ZYGOTE_DEATHS, slot.deaths()))
                for profile, number in numbers.items()
            }
            more = {key: number - self._told.get(key, 0) for key, number in now.items()}
            counters.add(Increment(*key, value) for key, value in more.items() if value > 0)
            self._told.update(now)
