"""What can go wrong in a sandbox, told apart by whose fault it is."""

from sandbox.wire import Line


class SandboxError(Exception):
    """Ours: the sandbox could not be started or broke. Never costs a student anything."""


class Outage(SandboxError):
    """Nothing can be graded on this machine until somebody mends it. Work waits, untouched."""


class EngineTrouble(Outage):
    """The container engine, or the image it should run, is not there. It is asked again now and then."""


class LayerMissing(Outage):
    """A layer of the sandbox cannot be put on here; nothing is graded until it is."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(f"sandbox layer '{layer}' is missing: {message}")
        self.layer, self.message = layer, message

    def __reduce__(self) -> tuple[type["LayerMissing"], tuple[str, str]]:
        return LayerMissing, (self.layer, self.message)  # crosses between our own processes


class ZygoteDied(SandboxError):
    """The zygote went away under a submission. The submission is graded again on a new one."""


class SpareDied(SandboxError):
    """A job went away before it had a submission in it: another one is taken."""


class KilledFromOutside(SandboxError):
    """Somebody ended the process, and it was neither the submission itself, which cannot, nor the machine for want of memory."""


class JobEnded(Exception):
    """Theirs: the submission's process is over. `reason` is one of the report's reasons. `stack` is what it claims to have
    been running at that moment, the innermost line last."""

    def __init__(self, reason: str, message: str, stack: tuple[Line, ...] = ()) -> None:
        super().__init__(message)
        self.reason, self.message, self.stack = reason, message, stack


class JobKilled(JobEnded):
    """The machine ended the process for want of memory, perhaps somebody else's. Worth another try."""


class OutOfTime(Exception):
    """What was asked took longer, or more computing, than is allowed for it; the job has been ended."""

    def __init__(self, seconds: float, stack: tuple[Line, ...] = ()) -> None:
        super().__init__(f"more than {seconds:g} s")
        self.seconds, self.stack = seconds, stack
