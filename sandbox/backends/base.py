"""The interfaces of a sandbox backend and of the zygote process that it starts."""

import os
import socket
from typing import Protocol

from sandbox.instructions import EVERYWHERE
from sandbox.wire import Limits

BOOTSTRAP = "import sys; sys.path[:0] = {paths!r}; from sandbox.guest.zygote import main; main({hidden!r})"
# no user site, no script folder, no site module, no bytecode: only the paths given explicitly
INTERPRETER_FLAGS = ("-s", "-P", "-S", "-B")

ENVIRONMENT = {
    "PATH": "/usr/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",  # a single thread, because a multi-threaded zygote cannot fork into a user namespace
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TORCHDYNAMO_DISABLE": "1",  # run torch.compile eagerly; the sandbox contains no compiler, so do not search for one
    **EVERYWHERE,
}


HASH_SEED_VARIABLE = "GRADUS_SANDBOX_HASHSEED"


def environment() -> dict[str, str]:
    """Return the environment variables of a zygote.

    The hash seed is fixed, so that grading a submission again gives the same report. The exercise linter changes it to check
    that no report depends on it.
    """
    return ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED_VARIABLE, "0")}


class Zygote(Protocol):
    """A started zygote process: its control socket, its identity in the kernel, and how to end it."""

    control: socket.socket

    @property
    def pid(self) -> int | None:
        """The process that the backend started and of which the zygote is a descendant, or None if it is not visible from here."""
        ...

    @property
    def uid(self) -> int | None:
        """The zygote's user id as the kernel reports it, if it is known without inspecting `pid`."""
        ...

    def last_words(self) -> str:
        """Return the last line of the zygote's log after it has exited."""
        ...

    def close(self) -> None:
        """Kill the zygote and all its descendants."""
        ...


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def layers(self) -> frozenset[str]:
        """The sandbox layers that confine a submission."""
        ...

    @property
    def around(self) -> frozenset[str]:
        """The layers that already enclose the zygote, so that a job does not apply them itself."""
        ...

    @property
    def pool(self) -> int:
        """The number of zygotes to keep warm if each runs a single submission; 0 if one zygote runs many."""
        ...

    def start(self, profile: str, limits: Limits) -> Zygote:
        """Start a zygote for a profile. Raises `LayerMissing`, with instructions, if this machine cannot do it."""
        ...


def bootstrap(private_paths: list[str], package_paths: list[str]) -> str:
    return BOOTSTRAP.format(paths=private_paths + package_paths, hidden=private_paths)
