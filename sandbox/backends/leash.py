"""Where containers find us, and how those whose owner died are told from those at work.

Every process that starts containers has a folder of its own in the run folder, with a lock that it holds while it lives
and a door for each zygote: a socket that the container sees, alone, for as long as it takes to connect. Containers carry
the folder's name. Whoever can take the lock knows that the owner is gone: what it left may be removed.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sandbox.errors import EngineTrouble, SandboxError

RUN_LABEL, OWNER_LABEL = "gradus.run", "gradus.owner"
CONNECT_SECONDS = 60.0
LOOK_SECONDS = 0.25


class Door:
    """A folder with a listening socket in it, for one container."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self.folder, self.name, self._listener = folder, f"{folder.parent.name}-{folder.name}", listener

    def wait_for_guest(self, still_there: Callable[[], bool]) -> tuple[socket.socket, int]:
        """The zygote's end of the line, and its user as the kernel counts it. Gives up when the container is gone."""
        deadline = time.monotonic() + CONNECT_SECONDS
        self._listener.settimeout(LOOK_SECONDS)
        while time.monotonic() < deadline:
            try:
                control, _ = self._listener.accept()
            except TimeoutError:
                if not still_there():
                    raise SandboxError("the container ended before its zygote answered") from None
                continue
            control.setblocking(True)
            return control, _peer_uid(control)
        raise SandboxError(f"the zygote in the container did not answer within {CONNECT_SECONDS:g} s")


class Leash:
    SOCKET = "control"

    def __init__(self, run: Path) -> None:
        self.run = run
        self.owner = secrets.token_hex(6)
        self._folder = run / self.owner
        try:
            run.mkdir(parents=True, exist_ok=True, mode=0o711)
            self.identity = _identity(run)
            self._folder.mkdir(mode=0o711)
        except OSError as error:
            raise EngineTrouble(
                f"the run folder {run} cannot be used by user {os.geteuid()} ({error.strerror}); give it to that user "
                "(chown), or name another folder in GRADUS_SANDBOX_RUN"
            ) from error
        self._lock = _locked(self._folder / "alive")
        assert self._lock is not None, "nobody else knows this folder"
        self._doors = 0

    def labels(self) -> dict[str, str]:
        return {RUN_LABEL: self.identity, OWNER_LABEL: self.owner}

    @contextlib.contextmanager
    def door(self) -> Iterator[Door]:
        self._doors += 1
        folder = self._folder / str(self._doors)
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                _bind(listener, folder, self.SOCKET)
                listener.listen(1)
                yield Door(folder, listener)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def left_behind(self, owner: str) -> bool:
        """Whether this owner is dead; its folder is gone then, too."""
        if owner == self.owner:
            return False
        folder = self.run / owner
        if not folder.is_dir():
            return True
        lock = _locked(folder / "alive")
        if lock is None:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        return True

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _identity(run: Path) -> str:
    """Tells our containers from those of another site on the same engine."""
    path = run / "site"
    with contextlib.suppress(FileExistsError), open(path, "x", opener=partial(os.open, mode=0o644)) as file:
        file.write(secrets.token_hex(8))
    for _ in range(20):  # whoever made it may not have written yet
        text = path.read_text()
        if text:
            return text
        time.sleep(0.05)
    raise SandboxError(f"{path} is empty; remove it, then start again")


def _locked(path: Path) -> int | None:
    """The lock's descriptor, or None when a living process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _bind(listener: socket.socket, folder: Path, name: str) -> None:
    """By way of the folder's descriptor: the address of a socket has room for a hundred letters only."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{descriptor}/{name}")
    finally:
        os.close(descriptor)
    (folder / name).chmod(0o666)


def _peer_uid(control: socket.socket) -> int:
    credentials = control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], "little", signed=True)
