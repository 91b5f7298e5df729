"""Runs a zygote as a direct child process, with a socket pair for control and a temporary file as its log."""

import contextlib
import socket
import subprocess
import tempfile
from dataclasses import dataclass

LOG_BYTES = 1 << 16


@dataclass(frozen=True)
class Launch:
    """The command that starts a zygote (the control descriptor's number is appended) and its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


class ChildZygote:
    uid = None  # read from `pid` instead

    def __init__(self, launch: Launch) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        with theirs:
            self._process = subprocess.Popen(
                (*launch.command, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=launch.environment,
                pass_fds=(theirs.fileno(),),
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        self._log.seek(0)
        lines = self._log.read(LOG_BYTES).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        self.control.close()
        self._process.kill()
        self._process.wait()
        self._log.close()
