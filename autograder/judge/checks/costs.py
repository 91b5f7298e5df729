"""What a submission costs, as the kernel counts it: memory between two moments of a probe, CPU time of a question.

Both can be read only by the judge, so nothing that runs beside the student's code has to be trusted. They are noisy: ask for
differences that are many times larger than the noise.
"""

from collections.abc import Callable
from typing import Any

from autograder.judge.checks.callbacks import Callback
from autograder.judge.checks.student import Student

# `seconds` of a check of what a backward pass costs. A limit of its own also tells the diagnosis that a check is about speed
SECONDS = 0.5

# float64 numbers of a large tensor: freed memory goes back to the kernel if it is larger than 32 MiB, otherwise perhaps not
LARGE = 4_300_000
LARGE_MEGABYTES = 8 * LARGE / 1e6


class Megabytes(Callback):
    """Called by a probe without arguments: reads how much memory its process uses at that moment."""

    def __init__(self, student: Student) -> None:
        super().__init__("megabytes", self._read)
        self._student = student
        self.read: list[float] = []

    def _read(self) -> None:
        self.read.append(self._student.resident_bytes() / 1e6)


def cpu_seconds(student: Student, question: Callable[[int], Any], times: int = 3) -> float:
    """The least CPU time that a question took. `question` gets the number of the try and should ask with new inputs."""
    spent = []
    for number in range(times):
        before = student.cpu_seconds()
        question(number)
        spent.append(student.cpu_seconds() - before)
    return min(spent)
