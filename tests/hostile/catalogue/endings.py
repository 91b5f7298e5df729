"""Not in the catalogue: ends nobody planned. Exceptions that fight back, crashes of every kind, limits turned on oneself."""

from tests.hostile.catalogue.case import PASSED, Case, error

ENDS = error("crash", "exception", "protocol")

WORDS = {
    "recursion": "return str(self)",
    "leaving": "__import__('os')._exit(0)",
    "another exception": "raise KeyboardInterrupt",
    "no text": "return 5",
    "text that is no text": "return Text('x' * 10**6)",
    "a gigabyte": "return 'x' * 2**30",
}
SAYING = r"""
class Text(str):
    __getitem__ = __len__ = __contains__ = encode = lambda self, *a: Text


class Error(Exception):
    def __str__(self):
        BODY

    __repr__ = __str__


raise Error("x")
"""

CHAINED = r"""
error = ValueError("first")
for n in range(100_000):
    previous, error = error, ValueError(str(n))
    error.__cause__ = error.__context__ = previous
error.__cause__.__context__ = error
raise error
"""

SYNTAX = r"""
error = SyntaxError("made by hand", ("x.py", 10**400, -5, "\x00" * 1000, 2**70, 3))
error.lineno = LINENO
error.msg = "\x1b[31m" + "m" * 10**6
raise error
"""

FRAMES_FORGED = r"""
code = (lambda: 1 / 0).__code__
exec(code.replace(co_filename="submission.py", co_firstlineno=2**31 - 1, co_name="\x1b[31m\u202e" * 1000))
"""

CRASHES = {
    "abort": "import os\nos.abort()",
    "a null pointer": "import ctypes\nctypes.string_at(0)",
    "a jump to nowhere": "import ctypes\nctypes.CFUNCTYPE(None)(0xDEAD000)()",
    "a trap": "import faulthandler\nfaulthandler._sigabrt()",
    "a bad segment": "import faulthandler\nfaulthandler._sigsegv()",
    "a fatal error": "import faulthandler\nfaulthandler._fatal_error_c_thread()",
    "a full stack": "import faulthandler\nfaulthandler._stack_overflow()",
    "leaving in a thread": "import os, threading\nthreading.Thread(target=lambda: os._exit(0)).start()\nwhile True: pass",
    "the main thread gone": "import ctypes\nctypes.CDLL(None).pthread_exit(0)",
    "one thread gone": "import ctypes\nctypes.CDLL(None).syscall(60, 0)",
    "leaving later": "import faulthandler\nfaulthandler.dump_traceback_later(0.01, exit=True)\nwhile True: pass",
    "a stack of C": "import ctypes\nf = ctypes.CFUNCTYPE(None)\ng = f(lambda: g())\n"
    "import sys\nsys.setrecursionlimit(10**8)\ng()",
    "regular expressions": "import re\nre.match('(a*)*' * 50 + 'b', 'a' * 5000)",
}

IGNORED = ("a bad segment", "a trap")  # the first process of a namespace is deaf to signals of its own

SIGNALS = r"""
import os
import signal

for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGALRM):
        try:
            os.kill(os.getpid(), number)
        except (OSError, KeyboardInterrupt):
            pass
print("every signal sent")
"""

LOWER = r"""
import resource

for name in ("NOFILE", "FSIZE", "NPROC", "STACK"):
    resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (0, 0))
"""
LOWER_COMPUTING = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass\n"
LOWER_MEMORY = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))\nx = bytearray(1 << 26)\n"

CASES = (
    *(
        Case(
            None,
            f"words by way of {name}",
            SAYING.replace("BODY", body),
            error("exception", "crash", "memory", "timeout-cpu"),
        )
        for name, body in WORDS.items()
    ),
    Case(None, "a long chain of causes", CHAINED, error("exception", "crash"), says=("ValueError",)),
    *(
        Case(None, f"a SyntaxError made by hand, line {text}", SYNTAX.replace("LINENO", line), error("exception"))
        for text, line in {"negative": "-5", "huge": "2**70", "text": "'5'"}.items()
    ),
    Case(None, "frames with other names", FRAMES_FORGED, error("exception"), says=("ZeroDivisionError",)),
    *(
        Case(
            None,
            f"end by {name}",
            code,
            PASSED * (name in IGNORED) + error("crash", "timeout-cpu", "timeout-wall", "exception", "protocol", "memory"),
            swift=True,
        )
        for name, code in CRASHES.items()
    ),
    Case(None, "every signal to itself", SIGNALS, PASSED + ENDS),
    Case(None, "limits lowered", LOWER, PASSED + ENDS),
    # it would look as if the machine had killed it, and be tried again
    Case(None, "computing lowered", LOWER_COMPUTING, error("exception"), says=("not allowed",)),
    Case(None, "memory lowered", LOWER_MEMORY, error("memory", "crash", "exception")),
)
