"""Keeps the lease of the work in hand, for as long as its grading makes progress; and says that its process lives."""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import close_old_connections, connection

from autograder.submissions import queue

log = logging.getLogger("gradus.grader")
Renew = Callable[[], object]
STEP_SECONDS = 300.0  # longer than a check with all its tries, or the start of a sandbox, takes on the busiest machine


class LeaseKeeper:
    """Renews the lease of the work in hand, on a thread and a database connection of its own. `beat` is called as often.

    Neither is done for work that has made no progress for `STEP_SECONDS`: then its lease runs out, and the supervisor ends a
    process that is not heard of any more.
    """

    beat: Callable[[], None] | None = None
    _until = math.inf

    def __init__(self) -> None:
        self._held: tuple[Renew, str] | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease keeper", daemon=True)
        self._thread.start()

    @contextmanager
    def keeping(self, renew: Renew, what: str) -> Iterator[None]:
        """The lease is renewed inside; `what` names the work in the log."""
        self._held = renew, what
        self.progress()
        try:
            yield
        finally:
            self._held, self._until = None, math.inf

    def progress(self) -> None:
        """A step of the work is done."""
        self._until = time.monotonic() + STEP_SECONDS

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def _keep(self) -> None:
        while not self._stopped.wait(queue.LEASE.total_seconds() / 4):
            renew, what = self._held or (None, "")
            if time.monotonic() > self._until:
                log.error("no progress of %s for %g s: its lease is not renewed", what, STEP_SECONDS)
                continue
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
