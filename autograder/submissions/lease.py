"""Keeps the lease of the work in hand, for as long as its grading takes; and says that its process lives, graded or not."""

import logging
import threading
from collections.abc import Callable

from django.db import close_old_connections, connection

from autograder.submissions import queue
from autograder.submissions.queue import Claim

log = logging.getLogger("gradus.grader")


class LeaseKeeper:
    """Renews the lease of the claim in hand, on a thread and a database connection of its own. `beat` is called as often."""

    beat: Callable[[], None] | None = None

    def __init__(self) -> None:
        self._claim: Claim | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease keeper", daemon=True)
        self._thread.start()

    def keeping(self, claim: Claim) -> "Keeping":
        return Keeping(self, claim)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def hold(self, claim: Claim | None) -> None:
        self._claim = claim

    def _keep(self) -> None:
        while not self._stopped.wait(queue.LEASE.total_seconds() / 4):
            claim = self._claim
            close_old_connections()
            try:
                if claim is not None:
                    queue.renew(claim)
                if self.beat is not None:
                    self.beat()
            except Exception:  # the database may be away for a moment; the next turn tries again
                log.warning("no sign of life, and no lease renewed of work %s", claim and claim.work_id, exc_info=True)
                connection.close()
        connection.close()


class Keeping:
    """`with keeper.keeping(claim)`: the lease is renewed inside."""

    def __init__(self, keeper: LeaseKeeper, claim: Claim) -> None:
        self._keeper, self._claim = keeper, claim

    def __enter__(self) -> None:
        self._keeper.hold(self._claim)

    def __exit__(self, *_: object) -> None:
        self._keeper.hold(None)
