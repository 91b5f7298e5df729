"""Kills this process if it uses too much CPU time on one submission.

The output of a sandbox is small and is read in linear time, so this is a safeguard against unforeseen cases. The kernel
measures CPU time and sends the signal, so the limit also applies to code that holds the GIL and ignores Python signal
handlers. The supervisor starts a new process, and the work that this one held is taken back.
"""

import faulthandler
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.wire import Limits

SIGNAL = signal.SIGPROF  # without a handler, so it kills the process
# the wall time of a grading divided by this is the limit for its checks in the judge, and again for the explanation
WALL_DIVISOR = 6
MIN_SECONDS = 5.0  # many times what the slowest check or explanation of an exercise uses


def share(limits: Limits) -> float:
    """The CPU seconds that the judge may use to grade a submission with these limits, and again to explain it."""
    return max(MIN_SECONDS, limits.wall_seconds / WALL_DIVISOR)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Kill the process if the block uses more CPU time than this. The stacks of all threads are written to stderr."""
    if sys.__stderr__ is not None:
        faulthandler.register(SIGNAL, file=sys.__stderr__, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
