"""34 to 47: time, memory, processes, output, files."""

from tests.hostile.catalogue.case import ATTEMPT, PASSED, Case, error

FORKS = (
    ATTEMPT
    + r"""
import os
import threading

for n in range(200):
    attempt(f"fork {n}", os.fork)
attempt("forkpty", os.forkpty)
"""
)

THREADS = r"""
import threading
import time

started = 0
try:
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        started += 1
except RuntimeError:
    pass
print("few threads" if started < 100 else "BROKEN: threads", started)
"""

TORCH_MEMORY = (
    ATTEMPT
    + r"""
import mmap

attempt("ones", lambda: torch.ones(3 << 30))
attempt("empty, then touched", lambda: torch.empty(3 << 30, dtype=torch.uint8).fill_(1).sum())
attempt("product", lambda: torch.ones(20000, 1).mm(torch.ones(1, 20000)).sum())
attempt("shared", lambda: torch.ones(64 << 20).share_memory_().sum())
attempt("shared map", lambda: mmap.mmap(-1, 3 << 30))
attempt("list", lambda: [torch.empty(1 << 27) for _ in range(10)])
"""
)

MEMFD = (
    ATTEMPT
    + r"""
import os
import multiprocessing.shared_memory

attempt("memfd", lambda: os.memfd_create("x"))
attempt("shared memory over the limit",
        lambda: multiprocessing.shared_memory.SharedMemory(create=True, size=64 << 20).buf.__setitem__(0, 1))
"""
)

DEEP_GRAPH = r"""
import torch

x = torch.ones(1, requires_grad=True)
y = x
for _ in range(5_000_000):
    y = y * 1.0
y.backward()
"""

FLOOD = r"""
import os

while True:
    os.write(1, b"flood " * 10000)
"""

TEMPORARY = (
    ATTEMPT
    + r"""
def fill(path, size, count=1):
    for n in range(count):
        with open(f"{path}/gradus-hostile-{n}", "wb", buffering=0) as file:
            written = 0
            while written < size:
                written += file.write(b"x" * min(1 << 20, size - written))


attempt("a large file", lambda: fill("/tmp", 17 << 20))
attempt("many large files", lambda: fill("/tmp", 8 << 20, 8))
attempt("a large file in shared memory", lambda: fill("/dev/shm", 17 << 20))
attempt("a hundred thousand files", lambda: fill("/dev/shm", 0, 100_000))
attempt("a file in another place", lambda: open("/dev/gradus-hostile", "w"))
attempt("a hole", lambda: open("/tmp/hole", "wb").truncate(1 << 40))
"""
)

DESCRIPTORS = (
    ATTEMPT
    + r"""
import os

held = []
attempt("descriptors", lambda: [held.append(os.pipe()) for _ in range(1000)])
for pair in held:
    for descriptor in pair:
        os.close(descriptor)
"""
)

RAISE = (
    ATTEMPT
    + r"""
import os
import resource

for name in ("AS", "CPU", "NPROC", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "STACK"):
    what = getattr(resource, f"RLIMIT_{name}")
    soft, hard = resource.getrlimit(what)
    attempt(f"raise {name}", lambda: resource.setrlimit(what, (hard + 1, hard + 1)))
    attempt(f"no limit on {name}", lambda: resource.setrlimit(what, (-1, -1)))
attempt("affinity", lambda: os.sched_setaffinity(0, {0}))
attempt("nice", lambda: os.nice(-20))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
attempt("limits of process 2", lambda: resource.prlimit(2, resource.RLIMIT_AS, (-1, -1)))
"""
)

RECURSION = "def f():\n    return f()\n\n\nf()\n"

CASES = (
    Case(34, "loop for ever", "while True: pass", error("timeout-cpu")),
    Case(
        34,
        "loop for ever in threads",
        "import threading\ndef f():\n    while True: pass\nfor _ in range(8): threading.Thread(target=f).start()\nf()",
        error("timeout-cpu", "timeout-wall"),
        swift=True,
    ),
    Case(35, "sleep", "import time\ntime.sleep(1000)", error("timeout-wall"), swift=True),
    Case(
        35, "deadlock", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", error("timeout-wall"), swift=True
    ),
    Case(35, "wait for input", "input()", error("exception"), says=("EOFError",)),
    Case(36, "fork bomb", FORKS, held=("fork 0", "fork 199", "forkpty")),
    Case(36, "thread bomb", THREADS, prints=("few threads",)),
    Case(37, "three gigabytes of bytes", "x = bytearray(3 << 30)", error("memory")),
    Case(37, "ten gigabytes of text", "x = 'a' * 10**10", error("memory")),
    Case(37, "a list that grows", "x = [0]\nwhile True: x += x", error("memory", "timeout-cpu")),  # what it reaches first
    Case(
        37,
        "memory when asked",
        "class Value:\n    def __init__(self, x):\n        self.x = bytearray(3 << 30)",
        error("memory"),
        place="instead",
    ),
    Case(38, "three gigabytes of ones", "x = torch.ones(3 << 30)", error("memory"), "fn-cubic"),
    Case(
        38,
        "every way to allocate",
        TORCH_MEMORY,
        PASSED,
        "fn-cubic",
        held=("ones", "empty, then touched", "product", "shared", "shared map", "list"),
    ),
    Case(39, "memory without a name", MEMFD, held=("memfd", "shared memory over the limit")),
    Case(41, "recursion", RECURSION, error("exception"), says=("RecursionError",)),
    Case(
        41,
        "recursion without a limit",
        "import sys\nsys.setrecursionlimit(10**9)\n" + RECURSION,
        error("memory", "crash", "timeout-cpu", "timeout-wall", "exception"),
    ),
    Case(42, "a graph of millions", DEEP_GRAPH, error("timeout-cpu", "timeout-wall", "memory"), "fn-cubic", "instead"),
    Case(43, "flood the output", FLOOD, error("output")),
    Case(
        43,
        "flood the output when asked",
        "class Value:\n    def __init__(self, x):\n        while True: print('x' * 10**5)",
        error("output"),
        place="instead",
    ),
    Case(
        44,
        "fill the folders",
        TEMPORARY,
        held=(
            "a large file",
            "many large files",
            "a large file in shared memory",
            "a hundred thousand files",
            "a file in another place",
            "a hole",
        ),
    ),
    Case(44, "use up the descriptors", DESCRIPTORS, held=("descriptors",)),
    Case(
        47,
        "raise the limits",
        RAISE,
        held=("raise AS", "raise CPU", "no limit on AS", "affinity", "nice", "priority", "real time", "limits of process 2"),
    ),
)
