"""Tracks the limits of one grading across all of its sessions.

The budget is CPU time as counted by the kernel, so a busy machine does not reduce it. The wall-clock limit is several times
as long and only ends submissions that sleep.
"""

import math

import msgspec

from sandbox.session import Session
from sandbox.wire import Limits

LOAD_SECONDS = 1.0  # CPU time for loading the file
CHECK_SECONDS = 0.5  # CPU time for a check that sets no limit of its own
CHECK_SECONDS_WHEN_LATE = 0.25  # the same after a check ran out of time, because the next one probably will too
MAX_LATE_CHECKS = 2  # grading stops when this many checks have run out of time
# recommended limits, relative to the CPU time of the reference
REFERENCE_FACTOR = 20
BASE_SECONDS = 1.0


class Budget:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._cpu, self._wall = float(limits.cpu_seconds), limits.wall_seconds

    @property
    def spent(self) -> bool:
        return min(self._cpu, self._wall) <= 0

    def left(self) -> Limits:
        """The limits of another session. The kernel counts whole seconds, so the CPU time is rounded up."""
        return msgspec.structs.replace(self._limits, cpu_seconds=math.ceil(self._cpu), wall_seconds=self._wall)

    def take(self, session: Session) -> None:
        """Subtracts what a session has used, and ends the session."""
        self._cpu -= session.finish()
        self._wall -= session.seconds
