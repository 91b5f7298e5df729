"""A lock that is given to threads in the order in which they asked for it."""

from collections import deque
from threading import Event, Lock


class Turns:
    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: deque[Event] = deque()
        self._taken = False

    def take(self, seconds: float) -> bool:
        """Wait for a turn; False if there is none within this time."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(seconds):
            return True
        with self._guard:
            if mine.is_set():  # given at the last moment
                return True
            self._waiting.remove(mine)
            return False

    def give(self) -> None:
        """Pass the turn on to whoever has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False
