"""What every backend offers: a command that starts a zygote, and the layers a zygote started that way can put on."""

import os
from dataclasses import dataclass
from typing import Protocol

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
}


HASH_SEED_VARIABLE = "GRADUS_SANDBOX_HASHSEED"


def environment() -> dict[str, str]:
    """What a zygote starts with. The hash seed is fixed, so that a grading done again gives the same report; the linter
    changes it, to see that no report depends on it."""
    return ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED_VARIABLE, "0")}


@dataclass(frozen=True)
class Launch:
    """How to start a zygote: the command (the control descriptor's number is appended), its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


class Backend(Protocol):
    name: str
    layers: frozenset[str]

    def launch(self, profile: str) -> Launch:
        """The command for a profile. Raises `LayerMissing` with the cure when this machine cannot do it."""
        ...


def bootstrap(private_paths: list[str], package_paths: list[str]) -> str:
    return BOOTSTRAP.format(paths=private_paths + package_paths, hidden=private_paths)
