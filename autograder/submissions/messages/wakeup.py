"""Wakes processes on the same machine immediately.

A listener is a datagram socket in a folder, and `wake` sends one byte to each socket there. The byte carries no information
and may be lost, so a listener also polls for work from time to time.
"""

import contextlib
import os
import secrets
import select
import socket
from collections.abc import Iterator
from pathlib import Path


class Listener:
    """Becomes readable when `wake` is called for its folder.

    The socket is removed when the listener is closed, or by the next `wake` after its process died.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name = folder, f"{os.getpid()}-{secrets.token_hex(4)}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        with _short(folder) as short:
            self._socket.bind(f"{short}/{self._name}")

    def fileno(self) -> int:
        return self._socket.fileno()

    def wait(self, seconds: float) -> bool:
        """Return whether a wake-up arrived within this time."""
        readable, _, _ = select.select([self._socket], [], [], seconds)
        return bool(readable)

    def drain(self) -> None:
        """Discard the wake-ups so far. Call it before checking for work, not after."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(16)

    def close(self) -> None:
        self._socket.close()
        (self._folder / self._name).unlink(missing_ok=True)


def wake(folder: Path) -> None:
    """Wake all listeners of a folder. Never fails and never blocks: a listener that is not reached polls for itself."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        with _short(folder) as short:
            for name in os.listdir(folder):
                try:
                    sender.sendto(b"!", f"{short}/{name}")
                except ConnectionRefusedError:  # the listener's process is dead
                    (folder / name).unlink(missing_ok=True)
                except OSError:  # its buffer is full of wake-ups, or it is being closed
                    continue


@contextlib.contextmanager
def _short(folder: Path) -> Iterator[str]:
    """Yield a path to this folder that fits into the 107 bytes of a socket address."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
