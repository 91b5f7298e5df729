"""Keeps the lease of the work in hand, for as long as its grading takes; and says that its process lives, graded or not."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import close_old_connections, connection

from autograder.submissions import queue

log = logging.getLogger("gradus.grader")
Renew = Callable[[], object]


class LeaseKeeper:
    """Renews the lease of the work in hand, on a thread and a database connection of its own. `beat` is called as often."""

    beat: Callable[[], None] | None = None

    def __init__(self) -> None:
        self._held: tuple[Renew, str] | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease keeper", daemon=True)
        self._thread.start()

    @contextmanager
    def keeping(self, renew: Renew, what: str) -> Iterator[None]:
        """The lease is renewed inside; `what` names the work in the log."""
        self._held = renew, what
        try:
            yield
        finally:
            self._held = None

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def _keep(self) -> None:
        while not self._stopped.wait(queue.LEASE.total_seconds() / 4):
            renew, what = self._held or (None, "")
            close_old_connections()
            try:
                if renew is not None:
                    renew()
                if self.beat is not None:
                    self.beat()
            except Exception:  # the database may be away for a moment; the next turn tries again
                log.warning("no sign of life, and no lease renewed%s", what and f" of {what}", exc_info=True)
                connection.close()
        connection.close()
