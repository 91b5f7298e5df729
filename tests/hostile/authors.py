"""Checks of authors who want more than to grade: each is the body of a check, and what may come of it."""

from dataclasses import dataclass

LISTED = (("public", "Public", False, 4.0), ("hidden", "Hidden", True, 6.0))

FILE = '''
import os, sys
from autograder.judge.checks import check, fail


def tried(**attempts):
    """Fails the check with what succeeded."""
    found = []
    for name, attempt in attempts.items():
        try:
            found.append(f"BROKEN {{name}}: {{attempt()!r}}"[:300])
        except BaseException as error:
            found.append(f"held: {{name}}: {{type(error).__name__}}")
    raise fail("\\n".join(found))

{above}

@check("Public", points=4)
def public(student, rng):
{public}


@check("Hidden", points=6, hidden=True)
def hidden(student, rng):
{hidden}
'''


@dataclass(frozen=True)
class Author:
    """`held` are attempts that must fail; `error` is what the examination ends with, if it cannot be graded."""

    name: str
    public: str = "pass"
    hidden: str = "pass"
    above: str = ""
    held: tuple[str, ...] = ()
    error: str = ""
    score: float | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def checks(self) -> bytes:
        return FILE.format(above=self.above, public=_indented(self.public), hidden=_indented(self.hidden)).encode()


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.strip().splitlines())


MACHINE = """
import ctypes, glob, signal, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)

def read(path):
    with open(path, "rb") as file:
        return file.read(100)

def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def named(*patterns):
    found = [path for pattern in patterns for path in glob.glob(pattern, recursive=True)]
    if not found:
        raise FileNotFoundError
    return found

def secret():
    found = [name for name in os.environ if "GRADUS" in name or "SECRET" in name or "DATABASE" in name]
    if not found:
        raise KeyError
    return found

tried(
    passwords=lambda: read("/etc/passwd"),
    project=lambda: os.listdir({root!r}),
    exercises=lambda: named("/opt/**/exercises", "/srv/*", "/home/*", "/root/*", "/tmp/*/*/wrong"),
    settings=lambda: __import__("autograder.settings"),
    database=lambda: __import__("django"),
    web=lambda: __import__("autograder.submissions"),
    environment=secret,
    processes=lambda: named("/proc/[0-9]*"),
    internet=lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2),
    unix=lambda: socket.socket(socket.AF_UNIX),
    packet=lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    program=lambda: subprocess.run(["/usr/bin/env"], check=True),
    fork=os.fork,
    kill=lambda: os.kill(os.getppid() or -1, signal.SIGKILL),
    mount=lambda: call(165, b"none", b"/tmp", b"tmpfs", 0, 0),
    namespace=lambda: call(272, 0x10000000),
    trace=lambda: call(101, 16, os.getppid(), 0, 0),
    memory=lambda: call(310, os.getppid(), 0, 0, 0, 0, 0),
    keyring=lambda: call(250, 0, 0, 0, 0, 0),
    shared=lambda: call(29, 4242, 4096, 0o1666),
    write_code=lambda: open(__import__("autograder.judge.grade", fromlist=["x"]).__file__, "a"),
    write_packages=lambda: open(__import__("numpy").__file__, "a"),
    write_root=lambda: open("/written", "w"),
)
"""
ATTEMPTS = (
    "passwords project exercises settings database web environment processes internet unix packet program fork kill mount "
    "namespace trace memory keyring shared write_code write_packages write_root"
)

PATCH_JUDGE = """
from autograder.judge import grade, outcome, report
class Everything(outcome.Outcome):
    pass
def examine(self, *_, **__):
    results = [report.CheckResult(id, "Forged", False, True, 1e9, 1e9, "passed") for id in ("public", "hidden", "public", "bonus")]
    return outcome.Outcome(tuple(results), None, False, "forged")
grade.Judge.examine = examine
"""

AUTHORS = (
    Author("the machine, its network and its other processes", MACHINE, held=tuple(ATTEMPTS.split()), score=6.0),
    Author("an endless loop", "while True: pass", error="The checks of this exercise used more than"),
    Author("an endless loop in native code", "sum(range(1 << 60))", error="The checks of this exercise used more than"),
    Author(
        "an endless loop when it is loaded", above="while True: pass", error="The checks of this exercise used more than"
    ),
    Author("an end of the process", "os._exit(0)", error="The process of this exercise's checks has ended"),
    Author("a crash", "import ctypes; ctypes.string_at(0)", error="The process of this exercise's checks has ended"),
    Author("a signal, which the first process of a namespace does not get", "os.kill(os.getpid(), 9)", score=10.0),
    Author("memory without end", "x = []\nwhile True: x.append(bytearray(1 << 26))", error="MemoryError"),
    Author("megabytes of output", "for _ in range(1 << 12): print('x' * (1 << 16))", error="printed more than"),
    Author("a message of megabytes", "raise fail('x' * (1 << 26))", score=6.0),
    Author("a NUL in a message", "raise fail('a\\x00b')", score=6.0),
    Author("a forged outcome", above=PATCH_JUDGE, score=10.0),
    Author(
        "nonsense for an answer",
        above="import msgspec\nmsgspec.msgpack.encode = lambda *_: b'nonsense'",
        error="cannot be read",
    ),
    Author(
        "frames of its own",
        "os.write(4, b'\\xff' * 4096)",
        error="The process of this exercise's checks has ended",
    ),
    Author("a closed channel", "os.close(3); os.close(4)", error="The process of this exercise's checks has ended"),
    Author("a check that raises", "raise RuntimeError('mine')", error="RuntimeError: mine"),
    Author("a module that is not there", above="import pandas", error="ModuleNotFoundError"),
    Author(
        "sessions without end",
        "ask = student._session.owner._ask_worker\nfor _ in range(200): ask('session', {'cpu_seconds': 10**6, 'wall_seconds': 1e9})",
    ),
    Author(
        "restarts without end",
        "ask = student._session.owner._ask_worker\nfor _ in range(50): ask('restart')",
        error="too many restarts",
    ),
    Author(
        "requests that there are not",
        "ask = student._session.owner._ask_worker\nask('progress', 'x', [])",
        error="unknown request",
    ),
    Author(
        "a thread that goes on",
        "import threading\nthreading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()",
        score=10.0,
    ),
)
