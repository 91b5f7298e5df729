"""Runs a submission once more after its verdict, for its traces and its explanation."""

import math
import time

import msgspec

from autograder.judge.budget import LOAD_SECONDS
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from sandbox.errors import JobEnded, OutOfTime
from sandbox.session import Session
from sandbox.wire import Limits, Raised

CPU_SECONDS = 8  # CPU time in the sandbox for a whole replay
HUNG_SECONDS = 60.0  # wall-clock time; only a submission that waits for something reaches it


class Replay:
    """One session in which a source is asked again. It decides no verdict.

    The file is loaded when the session is first needed, and again only if the session was ended, such as by a limit. Until the
    replay is closed, nothing else may use the sandbox of this exercise's profile.

    The submission is stopped by CPU time and not by wall-clock time, which depends on the load, even where a check has a
    time limit of its own. No session lasts beyond `deadline` on the monotonic clock.
    """

    def __init__(
        self, judge: Judge, pack: Pack, source: bytes, *, cpu_seconds: int = CPU_SECONDS, deadline: float = math.inf
    ) -> None:
        self.pack, self.source = pack, source
        self.trouble = ""  # why the file cannot be asked
        self._judge, self._cpu_seconds, self._deadline = judge, cpu_seconds, deadline
        self._session: Session | None = None

    def __enter__(self) -> "Replay":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session. Another one is opened if it is needed again."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def session(self) -> Session | None:
        """The session with the file loaded, or None if the file cannot be loaded."""
        if self._session is None and not self.trouble:
            self._open()
        return None if self.trouble else self._session

    def _open(self) -> None:
        self._session = self._judge.sandbox(self.pack.settings.profile).session(self._limits())
        try:
            reply = self._session.load(self.pack.program(self.source), 0, self.pack.entry_points, LOAD_SECONDS)
            self._session.allow(math.inf)  # the limit was for loading alone
        except OutOfTime:
            self.trouble = "timeout-cpu"
            return
        except JobEnded as ended:
            self.trouble = ended.reason
            return
        if isinstance(reply, Raised):
            self.trouble = f"raised {reply.type_name}"
        elif reply.missing:
            self.trouble = "missing-entry-point"

    def _limits(self) -> Limits:
        ceiling = self._judge.ceiling
        left = max(0.0, self._deadline - time.monotonic())
        return msgspec.structs.replace(
            self.pack.limits(ceiling),
            cpu_seconds=min(self._cpu_seconds, ceiling.cpu_seconds),
            wall_seconds=min(HUNG_SECONDS, left, ceiling.wall_seconds),
        )
