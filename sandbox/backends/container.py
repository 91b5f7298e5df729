"""Starts zygotes in containers of a Docker engine: no network, nothing writable, no capabilities, a filter of our own.

Usually one container holds a zygote for hundreds of submissions, each in namespaces nested inside it. Where the host does
not let a container nest namespaces, every submission gets a container of its own: slower to prepare, and just as separate.
"""

import atexit
import socket
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from sandbox import fingerprint, seccomp
from sandbox.backends.base import INTERPRETER_FLAGS, bootstrap, environment
from sandbox.backends.engine import Engine
from sandbox.backends.leash import OWNER_LABEL, RUN_LABEL, Leash
from sandbox.errors import EngineTrouble, Outage, SandboxError
from sandbox.host import Sandbox
from sandbox.limits import LAYERS
from sandbox.wire import Limits

PYTHON, UNSHARE = "/usr/bin/python3.11", "/usr/bin/unshare"
PACKAGES, PRIVATE, CONTROL = "/opt/packages", "/opt/gradus", "/run/gradus"
PARTS: dict[str, tuple[str, ...]] = {"python": (), "numpy": ("with-numpy",), "torch": ("with-torch", "with-numpy")}
NESTED = (UNSHARE, "--user", "--map-current-user", "--keep-caps", "--pid", "--fork", "--kill-child")
ZYGOTE_MEMORY = 768 << 20  # a zygote with torch, a spare, and what forking them costs
PROCESSES = 256
SURROUNDING = frozenset({"namespaces", "tmpfs"})  # what a container of one submission is by itself
POOL = 2

# What an engine hides by default, and what else computing does not need. A folder in this list is an empty one.
MASKED = (
    *(
        "/proc/acpi",
        "/proc/asound",
        "/proc/interrupts",
        "/proc/kcore",
        "/proc/keys",
        "/proc/latency_stats",
        "/proc/sched_debug",
    ),
    *("/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys", "/dev/mqueue", "/dev/pts"),
    *("/etc/hosts", "/etc/hostname", "/etc/resolv.conf"),  # an engine puts the machine's into every container
)
READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


@dataclass(frozen=True)
class Container:
    """The backend, as data: it crosses to the processes of other slots, and each of them asks the engine itself.

    `run` is the folder where containers find us; with us in a container as well, it must have the same path outside.
    """

    image: str
    uid: int
    run: Path
    engine: str = ""
    runtime: str = ""
    pool: int = 0
    why: str = ""  # why this mode

    @property
    def name(self) -> str:
        return "container"

    @property
    def layers(self) -> frozenset[str]:
        """A container's own /proc cannot be emptied; in a container of one submission, it shows that submission."""
        return frozenset(LAYERS) - {"proc"} if self.pool else frozenset(LAYERS)

    @property
    def around(self) -> frozenset[str]:
        return SURROUNDING if self.pool else frozenset()

    def start(self, profile: str, limits: Limits) -> "ContainedZygote":
        engine, leash = _engine(self.engine), _leash(self.run, self.engine)
        with leash.door() as door:
            configuration = self.configuration(profile, limits, door.folder, leash.labels())
            zygote = ContainedZygote(engine, engine.start(configuration, f"gradus-{profile}-{door.name}"))
            try:
                zygote.control, zygote.uid = door.wait_for_guest(zygote.still_there)
            except SandboxError as error:
                words = zygote.last_words()
                zygote.close()
                raise _told(error, words) from error
        return zygote

    def configuration(self, profile: str, limits: Limits, folder: Path, labels: dict[str, str]) -> dict[str, Any]:
        """What the engine is asked for, in its own words."""
        memory = ZYGOTE_MEMORY + limits.memory_bytes
        return {
            "Image": self.image,
            "User": f"{self.uid}:{self.uid}",
            "Hostname": "gradus",
            "WorkingDir": "/tmp",
            "NetworkDisabled": True,
            "Entrypoint": [] if self.pool else list(NESTED),
            "Cmd": [PYTHON, *INTERPRETER_FLAGS, "-c", self._program(profile), f"{CONTROL}/{Leash.SOCKET}"],
            "Env": [f"{name}={value}" for name, value in environment().items()],
            "Labels": labels,
            "HostConfig": {
                "NetworkMode": "none",
                "Privileged": False,
                "ReadonlyRootfs": True,
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges:true", f"seccomp={seccomp.container_profile()}"],
                "IpcMode": "private",
                "CgroupnsMode": "private",
                "Memory": memory,
                "MemorySwap": memory,
                "PidsLimit": PROCESSES,
                "OomScoreAdj": 1000 if self.pool else 500,
                "Tmpfs": self._empty_folders(profile, limits),
                "MaskedPaths": list(MASKED),
                "ReadonlyPaths": list(READ_ONLY),
                "Mounts": [{"Type": "bind", "Source": str(folder), "Target": CONTROL, "ReadOnly": True}],
                "LogConfig": {"Type": "json-file", "Config": {"max-size": "1m", "max-file": "1"}},
                **({"Runtime": self.runtime} if self.runtime else {}),
            },
        }

    def _empty_folders(self, profile: str, limits: Limits) -> dict[str, str]:
        """What may be written, and nothing in place of the packages that the profile must not have."""
        private = f"rw,noexec,nosuid,nodev,size={limits.file_bytes},nr_inodes={limits.files},mode=1777"
        hidden = {
            f"{PACKAGES}/{part}": "ro,noexec,size=4k,mode=555" for part in PARTS["torch"] if part not in PARTS[profile]
        }
        return {"/tmp": private, "/dev/shm": private} | hidden

    def _program(self, profile: str) -> str:
        """The first lines that a zygote runs come from here: they look whether the image holds the guest we speak to."""
        start = bootstrap([PRIVATE], [f"{PACKAGES}/{part}" for part in PARTS[profile]])
        return f"{fingerprint.check(PRIVATE)}; {start}"


class ContainedZygote:
    """A zygote whose container runs."""

    control: socket.socket
    uid: int | None = None

    def __init__(self, engine: Engine, identity: str) -> None:
        self._engine, self._identity = engine, identity
        self._pid: int | None = None

    @property
    def pid(self) -> int | None:
        if self._pid is None:
            self._pid = self._engine.pid_of(self._identity)
        return self._pid

    def still_there(self) -> bool:
        return self._engine.runs(self._identity)

    def last_words(self) -> str:
        return self._engine.last_words(self._identity)

    def close(self) -> None:
        control = getattr(self, "control", None)
        if control is not None:
            control.close()
        self._engine.remove(self._identity)


def _told(error: SandboxError, words: str) -> SandboxError:
    """With the last words of the container. An image that is not ours is for an operator to mend: no work is tried on it."""
    if words == fingerprint.REFUSAL:
        return EngineTrouble(words)
    return type(error)(f"{error}: {words}" if words else str(error))


def suited(container: Container, pool: int = POOL) -> Container:
    """The container as this host can do it, tried with a zygote: nested namespaces, or a pool of containers used once."""
    _engine(container.engine).require(container.image)
    try:
        with Sandbox(container, "python") as box, box.session():
            return replace(container, why="a trial job was put in namespaces of its own")
    except SandboxError as error:
        if isinstance(error, Outage) and not _about_namespaces(error):
            raise
        return replace(container, pool=pool, why=f"this host does not nest namespaces in a container: {error}")


def _about_namespaces(error: Outage) -> bool:
    return getattr(error, "layer", "") in ("namespaces", "tmpfs", "proc")


@cache
def _engine(url: str) -> Engine:
    return Engine(url)


@cache
def _leash(run: Path, url: str) -> Leash:
    """One for each process. Containers whose owner is dead are removed when it is made."""
    leash = Leash(run)
    atexit.register(leash.close)
    sweep(_engine(url), leash)
    return leash


def sweep(engine: Engine, leash: Leash) -> list[str]:
    """Remove what dead owners left; which containers those were."""
    found = engine.with_label(RUN_LABEL, leash.identity)
    orphans = [identity for identity, labels in found.items() if leash.left_behind(labels.get(OWNER_LABEL, ""))]
    for identity in orphans:
        engine.remove(identity)
    return orphans
