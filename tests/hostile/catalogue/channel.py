"""21 to 33: forging the channel, leaving early, refusing to die, poisoning what comes after."""

from tests.hostile.catalogue.case import ARRAY, GRADED, PASSED, RUNNER, WRONG, Case, error

CLASSES = {
    "SystemExit": "raise SystemExit(0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "GeneratorExit": "raise GeneratorExit",
    "BaseException": "class Sneaky(BaseException): pass\nraise Sneaky('out')",
}

RAISE_WHEN_ASKED = r"""
class Value:
    def __init__(self, data):
        raise SystemExit(0)
"""

FORGED_LOADED = RUNNER + "write_frame(pack(Loaded([], ['Value'])))\n"
FORGED_ANSWER = RUNNER + "write_frame(pack(Answer(1, [])))\n"
FORGED_READY = RUNNER + "write_frame(pack(wire['Load'](b'', 0, 1, [])))\n"
FORGED_QUIET = RUNNER + "serve(lambda number: (pack(Answer(number, float('nan'))), b''))\n"
FORGED_NUMBER = RUNNER + "serve(lambda number: (pack(Answer(number + 1, 1.0)), b''))\n"
FORGED_RAISED = (
    RUNNER
    + r"""
evil = "\x1b[2J\x00\u202egnp.exe\u2028\x85\x9b31m<script>alert(1)</script>" + "A" * 50_000
serve(lambda n: (pack(Raised(n, evil, evil, evil, [wire["Line"](2**63 - 1, evil), wire["Line"](1, evil)])), b""))
"""
)

PASSED_10 = r"""
import sys

print("PASSED 10/10", '{"verdict": "passed", "score": 10}')
print("\x1b[2J\x1b[1;1H\x1b]0;title\x07\x1bP\x9b31m\r\b\b\x00\x7f\u202e\u2066\ufeff\u2028\u0085\U000e0041<script>alert(1)</script>")
sys.stdout.buffer.write(b"\xff\xfe\x00\xed\xa0\x80\xf4\x90\x80\x80")
print("\ud800 \udfff", file=sys.stderr)
raise AssertionError("PASSED 10/10")
"""

# one frame each: the answer to the first question is this header and this body
FRAMES = {
    "a length over the limit": "struct.pack('>II', 2**31, 2**31)",
    "a negative dimension": "array(shape=(-1, -2))",
    "a million dimensions": "array(shape=(1,) * 1_000_000)",
    "dimensions that overflow": "array(shape=(2**62, 2**62, 16))",
    "2 to the 63 bytes": "array(shape=(2**60,))",
    "more bytes than the body": "array(shape=(9,))",
    "fewer bytes than the body": "array(shape=(1,))",
    "a type that does not exist": "array(dtype='object' * 50_000, shape=(1,))",
    "an extension that does not exist": "bytes.fromhex('c7016300')",
    "a list that does not end": "bytes.fromhex('ddffffffff')",
    "text that is not UTF-8": "bytes.fromhex('a4eda080ff')",
}
FRAME = (
    RUNNER
    + ARRAY
    + r"""
def reply(number):
    return answer(number, VALUE), bytes(64)


serve(reply)
"""
)
LENGTHS = (
    RUNNER
    + r"""
os.write(4, struct.pack(">II", 2**32 - 1, 2**32 - 1))
os.write(4, b"\0" * 65536)
"""
)

EXCEPTION = r"""
Evil = type("Name\x1b[31m\x85\u202e" + "N" * 100_000, (Exception,), {"__module__": "m\x07" * 1000})
raise Evil(TEXT)
"""
TEXTS = {
    "NUL and escapes": r'"before\x00\x1b[2J\x1b]8;;http://x\x07\x08\x7f\x9b after"',
    "text that turns around": r'"before\u202e\u2066\u200f\ufeff\u2028\u2029\u0085 after"',
    "lone surrogates": r'"before \ud800 \udfff\udc80 after"',
    "a line of a megabyte": r'"before " + "x" * (1 << 20)',
    "a million lines": r'"before " + "\n" * 1_000_000',
}

HANDLERS = r"""
import collections
import itertools
import signal

for number in range(1, 65):
    try:
        signal.signal(number, lambda *a: None)
    except (OSError, ValueError):
        pass
collections.deque(itertools.repeat(0), maxlen=0)
"""

STOP = r"""
import os
import signal

for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
    os.kill(os.getpid(), number)
print("went on")
"""

KILL = r"""
import os

for name, action in (
    ("everybody", lambda: os.kill(-1, 9)),
    ("the parent", lambda: os.kill(os.getppid(), 9)),
    ("the group", lambda: os.killpg(0, 9)),
    ("own group", lambda: os.killpg(os.getpgrp(), 9)),
    ("process 1", lambda: os.kill(1, 9)),
    *((f"process {n}", lambda n=n: os.kill(n, 9)) for n in range(2, 3000)),
):
    try:
        action()
    except OSError:
        pass
print("still here")
"""

POISON = r"""
import builtins
import os
import sys

builtins.POISON = sys.POISON = os.POISON = True
os.environ["POISON"] = "yes"
builtins.print = builtins.float = builtins.isinstance = lambda *a: None
sys.path.insert(0, "/tmp")
for folder in ("/tmp", "/dev/shm"):
    for name in ("sitecustomize.py", "usercustomize.py", "math.py", "random.py", "gradus-hostile"):
        with open(f"{folder}/{name}", "w") as file:
            file.write("raise SystemExit('poisoned')")
os.makedirs("/tmp/__pycache__")
os.chmod("/tmp", 0)
"""

POISON_TORCH = r"""
import torch

torch.POISON = True
torch.Tensor.__mul__ = torch.Tensor.sum = torch.autograd.grad = lambda *a, **k: None
torch.Tensor.numpy = torch.Tensor.detach = torch.Tensor.clone = lambda self, *a, **k: torch.zeros(3)
for name in list(vars(torch._C._VariableFunctions)):
    try:
        delattr(torch._C._VariableFunctions, name)
    except (AttributeError, TypeError):
        pass
torch.set_num_threads(2)
torch.manual_seed(7)
"""

TAMPER = r"""
import sys
import threading
import warnings


class Finder:
    find_spec = staticmethod(lambda *a: 1 / 0)


warnings.simplefilter("error")
sys.meta_path[:] = [Finder]
sys.path_hooks.clear()
sys.path_importer_cache.clear()
sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *a: 1 / 0
threading.settrace(lambda *a: 1 / 0)
sys.addaudithook(lambda event, args: None)
sys.setprofile(lambda *a: None)
sys.settrace(lambda *a: None)
"""

OVERWRITE = r"""
import ctypes

libc = ctypes.CDLL(None)
page = 4096
target = ctypes.cast(libc.TARGET, ctypes.c_void_p).value & ~(page - 1)
if libc.mprotect(ctypes.c_void_p(target), page, 7) == 0:
    ctypes.memset(target, 0xCC, page)
"""

SINGLETONS = r"""
import ctypes

ctypes.memset(id(None) + 16, 0xFF, 8)
ctypes.c_ssize_t.from_address(id(3) + 24).value = 4
ctypes.memset(id(type(runner)) if "runner" in globals() else id(float), 0, 64)
"""

TORCH_CODE = r"""
import ctypes
import torch

library = ctypes.CDLL(torch._C.__file__)
libc = ctypes.CDLL(None)
target = ctypes.cast(library.PyInit__C, ctypes.c_void_p).value & ~4095
libc.mprotect(ctypes.c_void_p(target - (1 << 20)), 2 << 20, 7)
ctypes.memset(target, 0xCC, 4096)
"""

CASES = (
    Case(21, "leave at import", "import os\nos._exit(0)", error("crash")),
    Case(
        21,
        "leave when asked",
        "import os\nclass Value:\n    def __init__(self, x):\n        os._exit(0)\n",
        error("crash"),
        place="instead",
    ),
    Case(21, "leave with a status", "import os\nos._exit(71)", error("crash")),
    *(
        Case(22, name, code, error("exception"), says=(name if "class" not in code else "Sneaky",))
        for name, code in CLASSES.items()
    ),
    Case(22, "SystemExit when asked", RAISE_WHEN_ASKED, WRONG, place="instead", says=("SystemExit",)),
    Case(23, "garbage before the runner", "import os\nos.write(4, b'R' * 4096)\n", error("protocol")),
    Case(23, "a forged frame of loading", FORGED_LOADED, error("protocol")),
    Case(23, "a forged answer before a question", FORGED_ANSWER, error("protocol")),
    Case(23, "a forged question", FORGED_READY, error("protocol")),
    Case(23, "forged answers to everything", FORGED_QUIET, WRONG),
    Case(23, "answers to other questions", FORGED_NUMBER, error("protocol")),
    Case(23, "forged exceptions", FORGED_RAISED, WRONG),
    Case(24, "print a verdict", PASSED_10, error("exception"), prints=("PASSED 10/10", "<script>", r"\x1b[2J", r"\u202e")),
    Case(25, "lengths over every limit", LENGTHS, error("protocol")),
    *(Case(25, name, FRAME.replace("VALUE", code), error("protocol")) for name, code in FRAMES.items()),
    Case(26, "never answer", "import threading\nthreading.Event().wait()", error("timeout-wall"), swift=True),
    Case(26, "close the answers", "import os\nos.close(4)", error("crash", "protocol")),
    Case(
        26,
        "close the answers and stay",
        "import os, time\nos.close(4)\nwhile True: time.sleep(1)",
        error("crash", "protocol", "timeout-wall"),
        swift=True,
    ),
    Case(26, "close the questions", "import os\nos.close(3)", error("crash", "protocol")),
    Case(
        26,
        "half a frame and no more",
        RUNNER + "os.write(4, struct.pack('>II', 100, 0) + b'x' * 50)\nos._exit(0)",
        error("crash", "protocol"),
    ),
    Case(
        26,
        "half a frame and wait",
        RUNNER + "os.write(4, struct.pack('>II', 10**6, 0) + b'x')\nos.read(3, 1)",
        error("timeout-wall"),
        swift=True,
    ),
    *(Case(27, name, EXCEPTION.replace("TEXT", text), error("exception"), says=("before",)) for name, text in TEXTS.items()),
    Case(28, "ignore every signal in a C loop", HANDLERS, error("timeout-cpu")),
    Case(29, "stop itself", STOP, PASSED + error("timeout-wall"), swift=True),
    Case(30, "kill everybody", KILL, PASSED, prints=("still here",)),
    Case(31, "poison the interpreter and the folders", POISON, GRADED + error("crash")),
    Case(31, "poison torch", POISON_TORCH, GRADED + error("exception", "crash"), "fn-cubic"),
    Case(32, "hooks that fail", TAMPER, GRADED + error("exception", "crash")),
    Case(33, "overwrite the code of libc", OVERWRITE.replace("TARGET", "write"), GRADED + error("crash", "exception")),
    Case(
        33,
        "overwrite the code of Python",
        OVERWRITE.replace("TARGET", "PyObject_Call"),
        GRADED + error("crash", "exception"),
    ),
    Case(33, "overwrite None and 3", SINGLETONS, GRADED + error("crash", "exception", "protocol")),
    Case(33, "overwrite the code of torch", TORCH_CODE, GRADED + error("crash", "exception"), "fn-cubic"),
)
