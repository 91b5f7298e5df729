"""Records which line a job was running when it was ended, by writing its stack to a dedicated pipe.

`faulthandler` writes the stack in the signal handler itself, without the interpreter. It therefore also works while C code
runs that never returns, and it costs nothing, not even a timer, while a job is within its limits. A submission can forge the
contents of the pipe or block the signal, so the host treats them as a hint.
"""

import faulthandler
import signal

ENDS = signal.SIGXCPU  # sent by the kernel when the CPU limit is reached, and by the zygote when the wall time is over


def write_when_ended(descriptor: int) -> None:
    faulthandler.enable(descriptor, all_threads=False)  # for a crash in native code
    faulthandler.register(ENDS, descriptor, all_threads=False, chain=True)
