"""Starts zygotes in Docker containers without network, writable files or capabilities, and with a custom seccomp profile.

Usually one container holds a zygote that runs hundreds of submissions, each in nested namespaces. If the host does not allow
nested namespaces in a container, every submission gets its own container, which takes longer to prepare and isolates just as
well.
"""

import atexit
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sandbox import guest_version, seccomp
from sandbox.backends.base import INTERPRETER_FLAGS, bootstrap, environment
from sandbox.backends.container_engine import Engine
from sandbox.backends.ownership import OWNER_LABEL, RUN_LABEL, OwnerLock
from sandbox.errors import EngineTrouble, SandboxError
from sandbox.limits import LAYERS
from sandbox.packages import EXAMINER, own_code
from sandbox.wire import Limits

PYTHON, UNSHARE = "/usr/bin/python3.11", "/usr/bin/unshare"
PACKAGES, PRIVATE, JUDGE, CONTROL = "/opt/packages", "/opt/gradus", "/opt/judge", "/run/gradus"
PARTS: dict[str, tuple[str, ...]] = {
    "python": (),
    "numpy": ("with-numpy",),
    "torch": ("with-torch", "with-numpy"),
    EXAMINER: ("with-torch", "with-numpy"),
}
NESTED = (UNSHARE, "--user", "--map-current-user", "--keep-caps", "--pid", "--fork", "--kill-child")
ZYGOTE_MEMORY = 768 << 20  # a zygote with torch, a spare job, and the cost of forking them
PROCESSES = 256
SURROUNDING = frozenset({"namespaces", "tmpfs"})  # the layers that a container for a single submission provides by itself
POOL = 2

# What an engine masks by default, plus paths that computing does not need. A folder in this list appears empty.
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
    *("/etc/hosts", "/etc/hostname", "/etc/resolv.conf"),  # an engine mounts the host's versions into every container
)
READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


@dataclass(frozen=True)
class Container:
    """The container backend as plain data, so that it can be sent to the processes of other slots; each connects to the
    engine itself.

    `run` is the folder with the sockets through which containers connect to the worker. If the worker itself runs in a
    container, this folder must have the same path on the host.
    """

    image: str
    uid: int
    run: Path
    engine: str = ""
    runtime: str = ""
    pool: int = 0
    why: str = ""  # why this mode was chosen

    @property
    def name(self) -> str:
        return "container"

    @property
    def layers(self) -> frozenset[str]:
        """All layers, except `proc` in pool mode: a container's own /proc cannot be emptied, and shows the single submission
        in it."""
        return frozenset(LAYERS) - {"proc"} if self.pool else frozenset(LAYERS)

    @property
    def around(self) -> frozenset[str]:
        return SURROUNDING if self.pool else frozenset()

    def require(self) -> None:
        """Raise an error if the engine or the image is missing."""
        _engine(self.engine).require(self.image)

    def start(self, profile: str, limits: Limits) -> "ContainedZygote":
        engine, owner_lock = _engine(self.engine), _owner_lock(self.run, self.engine)
        with owner_lock.door() as door:
            configuration = self.configuration(profile, limits, door.folder, owner_lock.labels())
            zygote = ContainedZygote(engine, engine.start(configuration, f"gradus-{profile}-{door.name}"))
            try:
                zygote.control, zygote.uid = door.wait_for_guest(zygote.still_there)
            except SandboxError as error:
                words = zygote.last_words()
                zygote.close()
                raise _told(error, words) from error
        return zygote

    def configuration(self, profile: str, limits: Limits, folder: Path, labels: dict[str, str]) -> dict[str, Any]:
        """Return the container configuration in the format of the Docker API."""
        memory = ZYGOTE_MEMORY + limits.memory_bytes
        return {
            "Image": self.image,
            "User": f"{self.uid}:{self.uid}",
            "Hostname": "gradus",
            "WorkingDir": "/tmp",
            "NetworkDisabled": True,
            "Entrypoint": [] if self.pool else list(NESTED),
            "Cmd": [PYTHON, *INTERPRETER_FLAGS, "-c", self._program(profile), f"{CONTROL}/{OwnerLock.SOCKET}"],
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
        """Return the tmpfs mounts: the writable folders, and empty folders over what the profile must not have."""
        private = f"rw,noexec,nosuid,nodev,size={limits.file_bytes},nr_inodes={limits.files},mode=1777"
        hidden = [f"{PACKAGES}/{part}" for part in PARTS["torch"] if part not in PARTS[profile]]
        if profile != EXAMINER:
            hidden.append(JUDGE)
        return {"/tmp": private, "/dev/shm": private} | dict.fromkeys(hidden, "ro,noexec,size=4k,mode=555")

    def _program(self, profile: str) -> str:
        """Return the Python program of the zygote. It first checks that the image holds this version of our code."""
        own = JUDGE if profile == EXAMINER else PRIVATE
        private = [own, PRIVATE] if profile == EXAMINER else [own]
        start = bootstrap(private, [f"{PACKAGES}/{part}" for part in PARTS[profile]])
        return f"{guest_version.check(own, own_code(profile))}; {start}"


class ContainedZygote:
    """A zygote in a running container."""

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
    """Add the last log line of the container to the error. An outdated image becomes `EngineTrouble`: an operator must
    rebuild it, and no submission is attempted with it."""
    if words == guest_version.REFUSAL:
        return EngineTrouble(words)
    return type(error)(f"{error}: {words}" if words else str(error))


@cache
def _engine(url: str) -> Engine:
    return Engine(url)


@cache
def _owner_lock(run: Path, url: str) -> OwnerLock:
    """Return the process-wide owner_lock. Creating it removes containers whose owner process is dead."""
    owner_lock = OwnerLock(run)
    atexit.register(owner_lock.close)
    sweep(_engine(url), owner_lock)
    return owner_lock


def sweep(engine: Engine, owner_lock: OwnerLock) -> list[str]:
    """Remove the containers of dead owners and return their ids."""
    found = engine.with_label(RUN_LABEL, owner_lock.identity)
    orphans = [identity for identity, labels in found.items() if owner_lock.left_behind(labels.get(OWNER_LABEL, ""))]
    for identity in orphans:
        engine.remove(identity)
    return orphans
