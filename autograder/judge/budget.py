"""What one grading may use: a single budget, however many sessions it takes.

All of it is computing, counted by the kernel, so that a busy machine takes nothing away. The time by the clock only ends what
sleeps, and is several times as long.
"""

import math

import msgspec

from sandbox.session import Session
from sandbox.wire import Limits

LOAD_SECONDS = 1.0  # of computing, while the file is loaded
CHECK_SECONDS = 0.5  # in a check that asks for no more
CHECK_SECONDS_WHEN_LATE = 0.25  # in the same, once a check has run out of time: most likely this one will, too
MAX_LATE_CHECKS = 2  # so many may run out of time; after them nothing is asked
# What a limit should be, from what the reference needs.
REFERENCE_FACTOR = 20
BASE_SECONDS = 1.0  # seconds


class Budget:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._cpu, self._wall = float(limits.cpu_seconds), limits.wall_seconds

    @property
    def spent(self) -> bool:
        return min(self._cpu, self._wall) <= 0

    def left(self) -> Limits:
        """For another session. The kernel counts whole seconds."""
        return msgspec.structs.replace(self._limits, cpu_seconds=math.ceil(self._cpu), wall_seconds=self._wall)

    def take(self, session: Session) -> None:
        """What a session has used up, which ends with it."""
        self._cpu -= session.finish()
        self._wall -= session.seconds
