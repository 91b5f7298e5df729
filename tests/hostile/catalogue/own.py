"""Not in the catalogue: objects that lie, interpreters bent out of shape, endings nobody planned."""

from tests.hostile.catalogue.case import GRADED, PASSED, RUNNER, WRONG, Case, error

ENDS = error("crash", "exception", "protocol")

STDOUT = r"""
import sys


class Stream:
    def __getattr__(self, name):
        raise KeyboardInterrupt(name)

    def write(self, text):
        return 10**9


sys.stdout = sys.stderr = sys.__stdout__ = Stream()
"""

NO_STDOUT = "import sys\ndel sys.stdout, sys.stderr\n"

CLOSE_ALL = "import os\nfor n in range(5):\n    os.close(n)\n"

OUTPUT_INTO_CHANNEL = "import os\nprint('before')\nos.dup2(4, 1)\nprint('{\"verdict\": \"passed\"}' * 100)\n"

CHANNEL_INTO_OUTPUT = "import os\nos.dup2(1, 4)\n"

ECHO = (
    RUNNER
    + r"""
write_frame(pack(Loaded([], [])))
while True:  # every question becomes its own answer
    os.write(4, os.read(3, 65536))
"""
)

WRITING_THREADS = r"""
import os
import threading


def write():
    while True:
        os.write(4, b"\0\0\0\1\0\0\0\0\xc0")


for _ in range(4):
    threading.Thread(target=write, daemon=True).start()
"""

READING_THREAD = r"""
import os
import threading


def read():
    while os.read(3, 1):
        pass


threading.Thread(target=read, daemon=True).start()
"""

TIMERS = r"""
import signal


def late(*_):
    raise RuntimeError("a signal came")


signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
"""

LAST_WORDS = r"""
import atexit
import os
import sys
import weakref


class Bomb:
    def __del__(self):
        print("BROKEN: __del__ after the end")
        os._exit(0)


bombs = [Bomb() for _ in range(10)]
atexit.register(lambda: print("BROKEN: atexit"))
weakref.finalize(bombs[0], lambda: print("BROKEN: finalizer"))
sys.modules["submission"].kept = bombs
"""

COLLECTOR = r"""
import gc


def bomb(phase, info):
    raise MemoryError(phase)


gc.callbacks.append(bomb)
gc.set_threshold(1, 1, 1)
"""

SWITCHES = r"""
import sys
import threading

sys.setswitchinterval(1e9)


def spin():
    for _ in range(3 * 10**6):
        pass


threads = [threading.Thread(target=spin, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
sys.setswitchinterval(1e-9)
"""

BUILTINS = r"""
import builtins

for name in "compile exec eval open isinstance len type getattr hasattr repr str int list dict tuple min max print".split():
    setattr(builtins, name, lambda *a, **k: 1 / 0)
"""

NO_BUILTINS = r"""
import builtins

for name in list(vars(builtins)):
    if not name.startswith("__"):
        delattr(builtins, name)
"""

NO_MODULES = r"""
import sys

for name in list(sys.modules):
    sys.modules[name] = None
sys.modules.clear()
"""

NOT_A_MODULE = r"""
import sys


class Module:
    __dict__ = property(lambda self: 1 / 0)


sys.modules["submission"] = sys.modules["__main__"] = Module()
globals()[1] = globals()[(2,)] = globals()[None] = "names that are no names"
globals()["\u202e\x1b[31m" + "n" * 10**6] = 1
"""

SURROGATE_NAME = "globals()['\\ud800'] = 1\n"

COLOURFUL_NAMES = r"""
del Value
globals().update({"\u202e\x1b[31mValue\x00": 1, "V\u2028alue\x85": 2, "x" * 10**6: 3})
"""

CHANGING_NAMES = r"""
import threading

space = globals()


def change(n=0):
    while True:
        n += 1
        space[f"name{n % 1000}"] = space.pop(f"name{(n + 500) % 1000}", n)


threading.Thread(target=change, daemon=True).start()
"""

STOLEN_ENTRY = r"""
class Meta(type):
    __call__ = __getattribute__ = __instancecheck__ = lambda *a: 1 / 0


class Value(metaclass=Meta):
    pass
"""

MODULE_HOOKS = "def __getattr__(name):\n    raise SystemExit(name)\n\n\ndef __dir__():\n    return 1 / 0\n"

MODES = r"""
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Zeros(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        return out * 0 if isinstance(out, torch.Tensor) and out.is_floating_point() else out


class Same(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return True if "equal" in str(function) or "close" in str(function) else function(*args, **(kwargs or {}))


Same().__enter__()
Zeros().__enter__()
"""

BACKGROUND = r"""
import threading

for _ in range(20):
    threading.Thread(target=lambda: [bytearray(1 << 20) for _ in range(10**9)], daemon=False).start()
"""

SMUGGLED = r"""
import os

with open("/tmp/note", "w") as file:
    file.write("for the next one")
os.chdir("/dev/shm")
os.umask(0)
os.mkdir("/dev/shm/" + "d" * 255)
for n in range(60):
    os.mkdir("x")
    os.chdir("x")
"""

CASES = (
    Case(None, "streams that raise", STDOUT, PASSED + ENDS),
    Case(None, "no streams", NO_STDOUT, PASSED + ENDS),
    Case(None, "close all descriptors", CLOSE_ALL, error("crash", "protocol")),
    Case(None, "output into the channel", OUTPUT_INTO_CHANNEL, error("protocol"), prints=("before",)),
    Case(None, "channel into the output", CHANNEL_INTO_OUTPUT, error("crash", "protocol")),
    Case(None, "an echo", ECHO, error("protocol")),
    Case(None, "threads that write to the channel", WRITING_THREADS, error("protocol")),
    Case(None, "a thread that reads the channel", READING_THREAD, error("crash", "timeout-wall", "protocol"), swift=True),
    Case(None, "timers", TIMERS, GRADED + ENDS),
    Case(None, "last words", LAST_WORDS),
    Case(None, "a collector that raises", COLLECTOR, GRADED + ENDS),
    Case(None, "threads that do not yield", SWITCHES, PASSED),
    Case(None, "other builtins", BUILTINS, GRADED + ENDS),
    Case(None, "no builtins", NO_BUILTINS, GRADED + ENDS),
    Case(None, "no modules", NO_MODULES, GRADED + ENDS),
    Case(None, "a module that is none", NOT_A_MODULE, PASSED),
    Case(None, "a name that is no text", SURROGATE_NAME, PASSED),
    Case(None, "colourful names", COLOURFUL_NAMES, error("missing-entry-point"), says=("does not define Value",)),
    Case(None, "names that change", CHANGING_NAMES, GRADED + error("crash")),  # its thread uses up the time of a check
    Case(None, "an entry point that cannot be touched", STOLEN_ENTRY, WRONG),
    Case(None, "a module with hooks", MODULE_HOOKS, PASSED),
    Case(None, "modes left behind", MODES, WRONG + error("exception", "crash"), "fn-cubic"),
    Case(
        None,
        "threads that eat memory",
        BACKGROUND,
        GRADED + error("crash", "memory", "exception", "timeout-cpu", "timeout-wall"),
    ),
    Case(None, "files for the next one", SMUGGLED),
)
