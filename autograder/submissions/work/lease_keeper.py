"""Renews the lease of the current work while its grading makes progress, and sends the process's heartbeat."""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import close_old_connections, connection

from autograder.submissions.work.leases import LEASE

log = logging.getLogger("gradus.grader")
Renew = Callable[[], object]
STEP_SECONDS = 300.0  # longer than a check with all its retries, or the start of a sandbox, takes on the busiest machine


class LeaseKeeper:
    """Renews the lease of the current work on a separate thread and database connection, and calls `beat` at the same interval.

    Both stop if the work has made no progress for `STEP_SECONDS`. Then the lease expires, and the supervisor kills the
    process because it is no longer heard from.
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
        """Renew the lease during the block. `what` names the work in the log."""
        self._held = renew, what
        self.progress()
        try:
            yield
        finally:
            self._held, self._until = None, math.inf

    def progress(self) -> None:
        """Record that the work has made progress."""
        self._until = time.monotonic() + STEP_SECONDS

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def _keep(self) -> None:
        while not self._stopped.wait(LEASE.total_seconds() / 4):
            renew, what = self._held or (None, "")
            if time.monotonic() > self._until:
                log.error("no progress on %s for %g s: its lease is not renewed", what, STEP_SECONDS)
                continue
            close_old_connections()
            try:
                if renew is not None:
                    renew()
                if self.beat is not None:
                    self.beat()
            except Exception:  # the database may be unavailable for a moment; the next iteration tries again
                log.warning("cannot send a heartbeat or renew the lease%s", what and f" of {what}", exc_info=True)
                connection.close()
        connection.close()
