"""Sockets through which containers connect to their worker, and locks that identify containers whose owner process died.

Every process that starts containers has its own folder in the run folder. It contains a lock that the process holds while it
lives, and one door per zygote: a folder with a listening socket that only this container can see, and that exists only until
the zygote has connected. Containers are labelled with the name of the owner's folder. If another process can take the lock,
the owner is dead and its containers may be removed.
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


class GuestSocket:
    """A folder with a listening socket for one container."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self.folder, self.name, self._listener = folder, f"{folder.parent.name}-{folder.name}", listener

    def wait_for_guest(self, still_there: Callable[[], bool]) -> tuple[socket.socket, int]:
        """Return the connection from the zygote and its user id as the kernel reports it. Raises an error if the container
        ends first."""
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


class OwnerLock:
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
    def door(self) -> Iterator[GuestSocket]:
        self._doors += 1
        folder = self._folder / str(self._doors)
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                _bind(listener, folder, self.SOCKET)
                listener.listen(1)
                yield GuestSocket(folder, listener)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def left_behind(self, owner: str) -> bool:
        """Return whether this owner is dead, in which case its folder is removed."""
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
    """Return a random id that distinguishes this site's containers from those of another site on the same engine."""
    path = run / "site"
    with contextlib.suppress(FileExistsError), open(path, "x", opener=partial(os.open, mode=0o644)) as file:
        file.write(secrets.token_hex(8))
    for _ in range(20):  # the process that created the file may not have written it yet
        text = path.read_text()
        if text:
            return text
        time.sleep(0.05)
    raise SandboxError(f"{path} is empty; remove it, then start again")


def _locked(path: Path) -> int | None:
    """Return the descriptor of the lock, or None if a living process holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _bind(listener: socket.socket, folder: Path, name: str) -> None:
    """Bind by way of the folder's descriptor, because a socket address is limited to about a hundred characters."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{descriptor}/{name}")
    finally:
        os.close(descriptor)
    (folder / name).chmod(0o666)


def _peer_uid(control: socket.socket) -> int:
    credentials = control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], "little", signed=True)
