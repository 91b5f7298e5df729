"""Reads the stack that an ended job left in its pipe. The job itself wrote it, so it is only a hint."""

import contextlib
import os
import re
import select
import time
from collections.abc import Sequence
from itertools import islice

from sandbox.wire import NAME_LIMIT, Line

DUMP_BYTES = 1 << 16
LINES_KEPT = 12
_HEADING = b"(most recent call first):"
_FRAME = re.compile(rb'^  File "([\w./-]{1,%d})", line (\d{1,7}) in ([^\n]{1,%d})$' % (NAME_LIMIT, NAME_LIMIT), re.MULTILINE)
_SINGLE = "submission.py"  # the name of a single file in the guest
_LAST_LINE = re.compile(rb"( in <module>|  \.\.\.)\n\Z")  # the outermost frame, or the ellipsis of a deep stack


def wait_for_dump(descriptor: int, seconds: float) -> bytes:
    """Wait for the stack requested from a job. Returns all of it, or what has arrived when the time is over."""
    dump, deadline = b"", time.monotonic() + seconds
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0 and poll.poll(left * 1000):
        part = _read(descriptor)
        dump += part
        if not part or len(dump) > DUMP_BYTES or _LAST_LINE.search(dump.rpartition(_HEADING)[2]):
            break
    return dump


def lines_in(descriptor: int, dump: bytes = b"", files: Sequence[str] = ()) -> tuple[Line, ...]:
    """Return the student's own lines in the last stack that was written, innermost last, without the outer lines of a deep stack.

    `dump` is what was read of it before. `files` are the paths of a program of several files.
    """
    dump += _read(descriptor)
    known = {name.encode(): name for name in files} or {_SINGLE.encode(): ""}
    frames = (frame for frame in _FRAME.findall(dump.rpartition(_HEADING)[2]) if frame[0] in known)
    inner_first = list(islice(frames, LINES_KEPT))
    return tuple(
        Line(int(number), name.decode("ascii", "replace"), known[file]) for file, number, name in reversed(inner_first)
    )


def _read(descriptor: int) -> bytes:
    with contextlib.suppress(BlockingIOError):
        return os.read(descriptor, DUMP_BYTES)
    return b""
