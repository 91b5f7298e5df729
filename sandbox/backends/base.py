"""What every backend offers: a zygote that has been started, and the layers it is behind."""

import os
import socket
from typing import Protocol

from sandbox.instructions import EVERYWHERE
from sandbox.wire import Limits

BOOTSTRAP = "import sys; sys.path[:0] = {paths!r}; from sandbox.guest.zygote import main; main({hidden!r})"
INTERPRETER_FLAGS = ("-s", "-P", "-S", "-B")  # no user site, no script folder, no site, no bytecode: only what we say

ENVIRONMENT = {
    "PATH": "/usr/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",  # one thread: or the zygote could not fork into a user namespace
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TORCHDYNAMO_DISABLE": "1",  # there is no compiler in there; eager instead of a search for one
    **EVERYWHERE,
}


HASH_SEED_VARIABLE = "GRADUS_SANDBOX_HASHSEED"


def environment() -> dict[str, str]:
    """What a zygote starts with. The hash seed is fixed, so that a grading done again gives the same report; the linter
    changes it, to see that no report depends on it."""
    return ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED_VARIABLE, "0")}


class Zygote(Protocol):
    """A zygote that has been started: where it listens, who it is for the kernel, how to end it."""

    control: socket.socket

    @property
    def pid(self) -> int | None:
        """The process started by us, of which the zygote is a descendant; None where another kernel view hides it."""
        ...

    @property
    def uid(self) -> int | None:
        """The user that the kernel counts the zygote as, where it can be told without looking at `pid`."""
        ...

    def last_words(self) -> str:
        """The last line it wrote, once it is gone."""
        ...

    def close(self) -> None:
        """End it and everything below it."""
        ...


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def layers(self) -> frozenset[str]:
        """What a submission is behind."""
        ...

    @property
    def around(self) -> frozenset[str]:
        """Those layers that are around the zygote already, so that no job puts them on."""
        ...

    @property
    def pool(self) -> int:
        """How many zygotes to keep warm where each takes one submission and no more; 0 where one takes them all."""
        ...

    def start(self, profile: str, limits: Limits) -> Zygote:
        """A zygote of a profile. Raises `LayerMissing` with the cure when this machine cannot do it."""
        ...


def bootstrap(private_paths: list[str], package_paths: list[str]) -> str:
    return BOOTSTRAP.format(paths=private_paths + package_paths, hidden=private_paths)
