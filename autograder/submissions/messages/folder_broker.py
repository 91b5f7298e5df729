"""The embedded message broker: one folder per queue, one file per message.

A message file appears in its folder complete, by a rename, and a consumer takes it by another rename, so that no process
reads half a message and no two consumers get the same one. Consumers are woken by a socket instead of polling.
"""

import logging
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar

from kombu.transport import virtual
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import dumps, loads

from autograder.submissions.messages.wakeup import Listener, wake

log = logging.getLogger("gradus.broker")
POLL_SECONDS = 1.0  # seconds; a consumer that was not woken finds a message after this time
ABANDONED_AFTER = 60.0  # seconds after which an incomplete message is removed, because its writer has died


class Channel(virtual.Channel):
    """Delivers messages in the order in which they were sent."""

    def _folder(self, queue: str) -> Path:
        return _made(Path(self.connection.client.transport_options["folder"]) / queue)

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        folder, name = self._folder(queue), f"{time.time_ns():020d}-{secrets.token_hex(6)}"
        unfinished, text = folder / f".{name}", dumps(message)
        while True:
            unfinished.write_text(text)
            with suppress(FileNotFoundError):  # removed as abandoned, because this process stood still
                unfinished.rename(folder / name)
                break
        wake(self.connection.wakeups)

    def _get(self, queue: str) -> Any:
        folder = self._folder(queue)
        for name in sorted(os.listdir(folder)):
            taken = folder / f".{name}.taken"
            if name.startswith("."):
                _remove_abandoned(folder / name)
                continue
            try:
                with (folder / name).open("rb") as file:
                    (folder / name).rename(taken)  # an old message may be removed at once as abandoned, but stays open here
                    text = file.read()
            except FileNotFoundError:  # another consumer took it
                continue
            taken.unlink(missing_ok=True)
            try:
                return loads(bytes_to_str(text))
            except ValueError:
                log.error("a message in %s is not JSON and was removed: %.100r", folder, text)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(_messages(self._folder(queue)))

    def _purge(self, queue: str) -> int:
        waiting = _messages(self._folder(queue))
        for path in waiting:
            path.unlink(missing_ok=True)
        return len(waiting)


class Transport(virtual.Transport):
    """The transport for `broker_url = "filesystem://"`. The transport option `folder` names the root folder."""

    Channel = Channel
    driver_type = driver_name = "folder"

    default_connection_params: ClassVar[dict[str, Any]] = {}  # no host and no port

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self._listener: Listener | None = None

    @property
    def wakeups(self) -> Path:
        return _made(Path(self.client.transport_options["folder"]) / ".wakeups")

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        """Deliver one message. Raises `TimeoutError` if none arrives in time."""
        if self._listener is None:
            self._listener = Listener(self.wakeups)
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self._listener.drain()
            with suppress(Empty):
                self.cycle.get(self._deliver, timeout=timeout)
                return
            left = POLL_SECONDS if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._listener.wait(min(left, POLL_SECONDS))

    def close_connection(self, connection: Any) -> None:
        super().close_connection(connection)
        if self._listener is not None:
            self._listener.close()
            self._listener = None


def _made(folder: Path) -> Path:
    """Create the queue's folder. The parent folder belongs to the site: if it is missing, this fails instead of creating it
    silently."""
    folder.mkdir(exist_ok=True)
    return folder


def _messages(folder: Path) -> list[Path]:
    return [folder / name for name in os.listdir(folder) if not name.startswith(".")]


def _remove_abandoned(path: Path) -> None:
    with suppress(FileNotFoundError):
        if time.time() - path.stat().st_mtime > ABANDONED_AFTER:
            path.unlink()
