"""The probe job of the self-check: sent into a sandbox as a submission to try what a submission must not be able to do."""

import contextlib
import ctypes
import errno
import gc
import importlib
import mmap
import os
import resource
import socket
import tempfile
import time
from collections.abc import Callable
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)


def users() -> list[int]:
    return [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]


def place() -> list[Any]:
    return [os.getpid(), os.uname().nodename]


def write_everywhere(secret_places: list[str]) -> list[list[str]]:
    """Return the folders outside the private ones in which a file could be created, and the host's places that are visible."""
    written = []
    private = ("/tmp", "/dev/shm", "/proc")
    for folder, below, _ in os.walk("/"):
        below[:] = [name for name in below if os.path.join(folder, name) not in private]
        if os.access(folder, os.W_OK):
            written.append(folder)
    visible = []
    for path in secret_places:
        with contextlib.suppress(OSError):
            if not os.path.isdir(path) or os.listdir(path):  # an empty folder is no finding: containers mount one over /sys
                os.stat(path)
                visible.append(path)
    return [written, visible]


def fill() -> list[Any]:
    """Return the existing files, how many bytes and files fit, and whether a file can be mapped as code."""
    there = [name for folder in ("/tmp", "/dev/shm") for name in _listed(folder)]
    folder = tempfile.mkdtemp(dir="/tmp")
    size = files = 0
    with contextlib.suppress(OSError), open(os.path.join(folder, "big"), "wb", buffering=0) as file:
        while size < 64 << 20:
            size += file.write(bytes(1 << 20))
    os.truncate(os.path.join(folder, "big"), 0)
    executable = True
    with open(os.path.join(folder, "code"), "w+b") as file:
        file.write(bytes(mmap.PAGESIZE))
        file.flush()
        try:
            mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
        except OSError:
            executable = False
    with contextlib.suppress(OSError):
        while files < 1000:
            os.close(os.open(os.path.join(folder, str(files)), os.O_CREAT | os.O_WRONLY))
            files += 1
    return [there, size, files, executable]


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def processes() -> list[str]:
    return _listed("/proc")


def environment(canary: str) -> list[Any]:
    getenv = _libc.getenv
    getenv.restype = ctypes.c_char_p
    value = getenv(canary.encode())
    return [list(os.environ), None if value is None else value.decode()]


def limits(vm_bytes: int, allowance: int) -> list[list[str]]:
    """Return limits that are not set, allocations beyond the limit that succeeded, and limits that could be raised."""
    names = ("AS", "CPU", "NPROC", "FSIZE", "NOFILE", "CORE", "STACK")
    unlimited = [
        name for name in names if resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1] == resource.RLIM_INFINITY
    ]
    allocated = []
    with contextlib.suppress(MemoryError, OSError):
        mmap.mmap(-1, vm_bytes + allowance + (1 << 20), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
        allocated.append("private")
    with contextlib.suppress(MemoryError, OSError):
        mmap.mmap(-1, vm_bytes + allowance + (1 << 20), mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x4000)
        allocated.append("shared")
    raised = []
    for name in names:
        what = getattr(resource, "RLIMIT_" + name)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            raised.append(name)
    return [unlimited, allocated, raised]


def privileges() -> list[Any]:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    _libc.capget(header, data)
    effective = data[0] | data[1] | data[3] << 32 | data[4] << 32
    became_root = False
    with contextlib.suppress(OSError):
        os.setuid(0)
        became_root = os.geteuid() == 0
    return [effective, _libc.prctl(39, 0, 0, 0, 0), _libc.prctl(3, 0, 0, 0, 0), became_root]


def forbidden_calls() -> list[str]:
    """Return the calls that were not refused with EPERM."""
    attempts: dict[str, Callable[[], object]] = {
        "socket": lambda: socket.socket(socket.AF_UNIX).close(),
        "socket (inet)": lambda: socket.socket(socket.AF_INET).close(),
        "unshare": lambda: _returned(_libc.unshare(0x10000000)),
        "ptrace": lambda: _returned(_libc.ptrace(1, 999999, 0, 0)),  # a process that does not exist
        "personality": lambda: _returned(_libc.personality(0xFFFFFFFF)),
        "mount": lambda: _returned(_libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)),
        "memfd_create": lambda: os.close(os.memfd_create("x")),
        "fork": _fork,
        "execve": lambda: os.execve("/nonexistent", ["x"], {}),
        "sched_setaffinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    }
    succeeded = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except PermissionError:
            continue
        except OSError as error:
            if error.errno == errno.EPERM:
                continue
            succeeded.append(f"{name} ({errno.errorcode.get(error.errno or 0, '?')})")
        else:
            succeeded.append(name)
    return succeeded


def _returned(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def shout(megabytes: int) -> None:
    for _ in range(megabytes):
        os.write(1, b"x" * (1 << 20))


def heritage() -> list[Any]:
    """Return how many objects the zygote froze, and which of our modules can be imported."""
    ours = []
    for name in ("sandbox", "sandbox.wire", "autograder", "django", "msgspec"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
            ours.append(name)
    return [gc.get_freeze_count(), ours]
