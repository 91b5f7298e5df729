"""Ends this process when it computes for too long over one submission.

What comes out of a sandbox is small and is read in linear time. This is for what nobody thought of: the kernel counts the
processor's time and kills, so it holds even in code that keeps the interpreter lock and never looks at a signal. The
supervisor starts another process, and what this one held is taken back.
"""

import faulthandler
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.wire import Limits

SIGNAL = signal.SIGPROF  # which nobody handles: it ends the process
WALL_DIVISOR = 6  # of the time that a grading may take: so much for its checks in the judge, and so much again to explain it
MIN_SECONDS = 5.0  # seconds, many times what the slowest check or explanation of an exercise computes


def share(limits: Limits) -> float:
    """Seconds that the judge may compute for a submission with these limits, once to grade it and once to explain it."""
    return max(MIN_SECONDS, limits.wall_seconds / WALL_DIVISOR)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Whoever computes longer inside is killed; standard error has the stack of every thread."""
    if sys.__stderr__ is not None:
        faulthandler.register(SIGNAL, file=sys.__stderr__, chain=True)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
