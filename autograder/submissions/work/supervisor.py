"""Keeps processes running: restarts those that end, with a growing delay if they fail quickly, and kills those that hang.

On request, it stops all of them.
"""

import ctypes
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

log = logging.getLogger("gradus.supervisor")
GRACE_SECONDS = 20.0  # seconds to finish the current grading
SLOWEST = 30.0
CHECK_SECONDS = 5.0  # seconds between two progress checks
STABLE_SECONDS = 10.0  # seconds; a process that lived this long, or was killed, is restarted at once
PR_SET_PDEATHSIG = 1


@dataclass
class SupervisedProcess:
    """One supervised process.

    `once`: it may end. `bound`: it ends with the supervisor, however that ends. `after`: called before a restart with the
    process id and whether the process ended because of its current work. `stuck`: called regularly with the process id; if
    it returns True, the process is killed. `niceness`: 19 leaves the processors to others.
    """

    name: str
    command: list[str]
    once: bool = False
    bound: bool = False
    after: Callable[[int, bool], None] | None = None
    stuck: Callable[[int], bool] | None = None
    niceness: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    short_lives: int = 0
    started: float = 0.0
    not_before: float = field(default=0.0)
    next_look: float = field(default=0.0)
    was_stuck: bool = False

    def start(self) -> None:
        self.started, self.was_stuck = time.monotonic(), False
        self.process = subprocess.Popen(
            self.command,
            cwd=settings.BASE_DIR,
            start_new_session=not self.bound,
            preexec_fn=_ends_with_its_parent if self.bound else None,
        )
        if self.niceness:
            _yield_to_others(self.process.pid, self.niceness)

    def keep_alive(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self._end_if_stuck(self.process)
            return
        if self.process is not None and self.once:  # poll() has reaped it, so it leaves no zombie
            return
        if self.process is not None and self.not_before == 0.0:
            killed = self.process.returncode < 0
            self.short_lives = 0 if killed or time.monotonic() - self.started > STABLE_SECONDS else self.short_lives + 1
            wait = min(SLOWEST, 0.25 * 2 ** min(self.short_lives, 8)) if self.short_lives else 0.0
            self.not_before = time.monotonic() + wait
            log.warning("%s exited with %s; it is restarted in %g s", self.name, self.process.returncode, wait)
            if self.after is not None:
                self.after(self.process.pid, self.was_stuck)
        if time.monotonic() >= self.not_before:
            self.not_before = 0.0
            self.start()

    def _end_if_stuck(self, process: "subprocess.Popen[bytes]") -> None:
        if self.stuck is None or time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + CHECK_SECONDS
        if self.stuck(process.pid):
            log.error("%s (process %s) is not making progress and is killed", self.name, process.pid)
            self.was_stuck = True
            process.kill()


class Stopping:
    """Records SIGINT and SIGTERM; the supervisor then stops the parts in order."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True


def supervise(parts: list[SupervisedProcess]) -> None:
    """Run until a signal arrives; then terminate all parts in order, and kill the process groups of those that do not end."""
    stopping = Stopping()
    try:
        while not stopping.asked:
            for part in parts:
                part.keep_alive()
            time.sleep(0.1)
    finally:
        _stop(parts)


def _stop(parts: list[SupervisedProcess]) -> None:
    running = [part for part in parts if part.process is not None and part.process.poll() is None]
    for part in running:
        assert part.process is not None
        part.process.terminate()
    deadline = time.monotonic() + GRACE_SECONDS
    for part in running:
        assert part.process is not None
        try:
            part.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            if part.bound:
                part.process.kill()
            else:
                os.killpg(part.process.pid, signal.SIGKILL)
            part.process.wait()


def _yield_to_others(pid: int, niceness: int) -> None:
    """Lower the priority of a process that leads a session. The kernel shares the processors between sessions first, and the
    niceness of a process has no effect on other sessions."""
    os.setpriority(os.PRIO_PROCESS, pid, niceness)
    with suppress(OSError):  # a kernel that does not group by session
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness))


def _ends_with_its_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
