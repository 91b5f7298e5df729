"""The errors of a sandbox, classified by responsibility: the system or the submission."""

from typing import Literal

from sandbox.wire import Line


class SandboxError(Exception):
    """The sandbox could not be started or broke. Never costs a student an attempt or points."""


class Outage(SandboxError):
    """Nothing can be graded on this machine until an operator fixes it. Work stays in the queue."""


class EngineTrouble(Outage):
    """The container engine or the sandbox image is not available. Retried from time to time."""


class LayerMissing(Outage):
    """A sandbox layer is not available on this machine. Nothing is graded without it."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(f"sandbox layer '{layer}' is missing: {message}")
        self.layer, self.message = layer, message

    def __reduce__(self) -> tuple[type["LayerMissing"], tuple[str, str]]:
        return LayerMissing, (self.layer, self.message)  # makes the error picklable, for transfer between our own processes


class ZygoteDied(SandboxError):
    """The zygote died while it ran a submission. The submission is graded again on a new zygote."""


class SpareDied(SandboxError):
    """A spare job died before it received a submission. It is replaced by another one."""


class KilledFromOutside(SandboxError):
    """The process was killed by something other than the submission, which cannot do it, and not for lack of memory."""


Cause = Literal[
    "wall",  # with seconds
    "asleep",
    "cpu",
    "unread",  # with bytes
    "output",
    "answers",
    "signal",  # with its name
    "exit",  # with the status
    "unreadable",  # with what is wrong with the answer
    "closed",
    "unasked",
    "machine",
]


class JobEnded(Exception):
    """The submission's process has ended.

    `reason` is one of the report's reasons, `cause` says what happened, and `figure` is the limit or the value that belongs to
    it; the sandbox has no sentences for students. `stack` is what the job claims to have been running at that moment, with the
    innermost line last.
    """

    def __init__(self, reason: str, cause: Cause, figure: float | str = "", stack: tuple[Line, ...] = ()) -> None:
        super().__init__(f"{reason}: {cause} {figure}".rstrip())
        self.reason, self.cause, self.figure, self.stack = reason, cause, figure, stack


class JobKilled(JobEnded):
    """The machine ran out of memory and killed the process, possibly because of other processes. Worth a retry."""


class OutOfTime(Exception):
    """A question exceeded its limit of wall time or CPU time, and the job was ended."""

    def __init__(self, seconds: float, stack: tuple[Line, ...] = ()) -> None:
        super().__init__(f"more than {seconds:g} s")
        self.seconds, self.stack = seconds, stack
