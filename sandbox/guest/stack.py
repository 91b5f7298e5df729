"""Which line a job was running when it was ended: its stack, written to a pipe of its own at that moment.

`faulthandler` writes it in the signal handler itself, without the interpreter: code in C that never returns is caught in the
act, and nothing runs, not even a timer, while a job is within its limits. A submission can forge what stands in the pipe, or
keep the signal away; the host takes it for a hint.
"""

import faulthandler
import signal

ENDS = signal.SIGXCPU  # from the kernel when the CPU time is over, from the zygote when the wall time is


def write_when_ended(descriptor: int) -> None:
    faulthandler.enable(descriptor, all_threads=False)  # a crash in native code
    faulthandler.register(ENDS, descriptor, all_threads=False, chain=True)
