"""Keeps the lease of the work in hand, for as long as its grading takes; and says that its process lives, graded or not."""

import logging
import threading
from collections.abc import Callable

from django.db import close_old_connections, connection

from autograder.submissions import queue

log = logging.getLogger("gradus.grader")
Renew = Callable[[], object]


class LeaseKeeper:
    """Renews the lease of the work in hand, on a thread and a database connection of its own. `beat` is called as often."""

    beat: Callable[[], None] | None = None

    def __init__(self) -> None:
        self._renew: Renew | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease keeper", daemon=True)
        self._thread.start()

    def keeping(self, renew: Renew) -> "Keeping":
        return Keeping(self, renew)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def hold(self, renew: Renew | None) -> None:
        self._renew = renew

    def _keep(self) -> None:
        while not self._stopped.wait(queue.LEASE.total_seconds() / 4):
            renew = self._renew
            close_old_connections()
            try:
                if renew is not None:
                    renew()
                if self.beat is not None:
                    self.beat()
            except Exception:  # the database may be away for a moment; the next turn tries again
                log.warning("no sign of life, and no lease renewed", exc_info=True)
                connection.close()
        connection.close()


class Keeping:
    """`with keeper.keeping(renew)`: the lease is renewed inside."""

    def __init__(self, keeper: LeaseKeeper, renew: Renew) -> None:
        self._keeper, self._renew = keeper, renew

    def __enter__(self) -> None:
        self._keeper.hold(self._renew)

    def __exit__(self, *_: object) -> None:
        self._keeper.hold(None)
