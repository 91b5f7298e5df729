"""An in-memory model of the queue order in `queue`: lane, then turn, then place, then number."""

from heapq import heappop, heappush
from typing import NamedTuple

Level = tuple[int, int]  # lane and turn


class WaitingWork(NamedTuple):
    lane: int
    turn: int
    place: int
    number: int


class QueueModel:
    """The waiting work. Work that is taken out and put back keeps its place."""

    def __init__(self) -> None:
        self._heaps: dict[Level, list[tuple[int, int]]] = {}
        # the number of waiting items and the place of the last one
        self._of_course: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._unfinished: dict[tuple[int, int], int] = {}  # by student and lane
        self.length = 0

    def enter(self, number: int, *, lane: int, student: int, course: int) -> WaitingWork:
        turn = self._unfinished.get((student, lane), 0)
        self._unfinished[student, lane] = turn + 1
        heap = self._heaps.get((lane, turn))
        served = heap[0][0] if heap else 0
        count, last = self._of_course.get((lane, turn, course), (0, 0))
        work = WaitingWork(lane, turn, max(served, last + 1) if count else served, number)
        self.put(work, course)
        return work

    def put(self, work: WaitingWork, course: int) -> None:
        heappush(self._heaps.setdefault((work.lane, work.turn), []), (work.place, work.number))
        count, last = self._of_course.get((work.lane, work.turn, course), (0, 0))
        self._of_course[work.lane, work.turn, course] = (count + 1, max(last, work.place) if count else work.place)
        self.length += 1

    def take(self, course_of: "list[int]") -> WaitingWork | None:
        """Remove and return the work that is next in order, or None."""
        level = min((level for level, heap in self._heaps.items() if heap), default=None)
        if level is None:
            return None
        place, number = heappop(self._heaps[level])
        key = (*level, course_of[number])
        count, last = self._of_course[key]
        self._of_course[key] = (count - 1, last)
        self.length -= 1
        return WaitingWork(*level, place, number)

    def end(self, *, lane: int, student: int) -> None:
        self._unfinished[student, lane] -= 1
