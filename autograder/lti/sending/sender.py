"""The sender: queues the scores that changed, and sends them to the platforms. See `manage.py lms_sender`.

Every registration has a lane of at most four threads, so a platform that hangs delays no other one. A lane is empty while
nothing is due; then the sender asks the database a few short questions every two seconds, and nothing else.
"""

import logging
import time
from collections import deque
from threading import Event, Lock, Thread

from django.db import Error as DatabaseTrouble
from django.db import close_old_connections, connection
from django.db.models import Count
from django.utils import timezone

from autograder.lti.errors import PlatformTrouble
from autograder.lti.launch import oidc
from autograder.lti.models import OutgoingScore
from autograder.lti.sending import changes, columns, delivery, results
from autograder.lti.sending.scores import scores_collect
from autograder.lti.services.ags import Cause, ServiceRefused

log = logging.getLogger("gradus.lti")
POLL_SECONDS = 2.0
CHORES_EVERY, SWEEP_EVERY = 10.0, 3600.0  # seconds
THREADS = 4  # requests to one registration at the same time
PER_SECOND = 25.0  # scores to one registration
AT_ONCE = 200  # scores that a lane reads at once
PAUSES = (2.0, 10.0, 30.0, 60.0, 120.0)  # seconds without a request, after a first, second, ... failure of a whole platform
STOP_SECONDS = 15.0
REGISTRATION = "line_item__context__deployment__registration"


class Rate:
    """Spaces the requests of several threads."""

    def __init__(self, per_second: float) -> None:
        self._gap, self._next, self._lock = 1 / per_second, 0.0, Lock()

    def wait(self, stop: Event) -> None:
        with self._lock:
            turn = max(time.monotonic(), self._next)
            self._next = turn + self._gap
        stop.wait(max(0.0, turn - time.monotonic()))


class Lane:
    """Sends the scores of one registration until none is due or the platform fails."""

    def __init__(self, registration: int, stop: Event) -> None:
        self.registration, self._stop = registration, stop
        self._threads: list[Thread] = []
        self._scores: deque[OutgoingScore] = deque()
        self._lock, self._rate = Lock(), Rate(PER_SECOND)
        self._failures, self._paused_until = 0, 0.0

    @property
    def paused(self) -> bool:
        return self._stop.is_set() or time.monotonic() < self._paused_until

    def start(self, due: int, *, chores: bool = False) -> None:
        """Have enough threads for this number of scores. One of them first does the chores."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self.paused:
            return
        for _ in range(min(THREADS - len(self._threads), max(due, int(chores)))):
            thread = Thread(target=self._run, args=(chores,), name=f"lms-{self.registration}", daemon=True)
            chores = False
            self._threads.append(thread)
            thread.start()

    def join(self, deadline: float) -> None:
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self, chores: bool) -> None:
        try:
            if chores:
                self._do_chores()
            while not self.paused and (score := self._next_score()) is not None:
                self._rate.wait(self._stop)
                self._send(score)
        except DatabaseTrouble:
            log.exception("a lane of the sender lost its database")  # the claimed score is sent after its lease
        finally:
            connection.close()

    def _next_score(self) -> OutgoingScore | None:
        with self._lock:
            if not self._scores:
                self._scores.extend(delivery.next_scores(self.registration, AT_ONCE))
            return self._scores.popleft() if self._scores else None

    def _send(self, score: OutgoingScore) -> None:
        if self.paused or (claim := delivery.score_claim(score)) is None:
            return
        trouble = delivery.score_send(claim)
        if trouble is None:
            self._failures, self._paused_until = 0, 0.0
        else:
            self._heard(trouble)

    def _do_chores(self) -> None:
        try:
            for link in columns.links_without_column(self.registration):
                columns.column_make(link)
            for context in results.contexts_to_read(self.registration):
                results.results_read(context)
        except PlatformTrouble as trouble:
            log.warning("registration %s: %s", self.registration, trouble.message)
            self._heard(trouble)

    def _heard(self, trouble: PlatformTrouble) -> None:
        """Pause if the platform fails as a whole, so that the scores that wait do not all try."""
        if isinstance(trouble, ServiceRefused) and trouble.cause not in (Cause.BUSY, Cause.REGISTRATION):
            return
        pause = trouble.after or PAUSES[min(self._failures, len(PAUSES) - 1)]
        with self._lock:
            self._failures += 1
            self._paused_until = time.monotonic() + pause
            self._scores.clear()


class Sender:
    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._lanes: dict[int, Lane] = {}
        self._position: changes.Position | None = None
        self._chores_at = self._swept_at = float("-inf")

    def round(self) -> None:
        """Queue what changed, and see to it that everything due is being sent."""
        now, position = time.monotonic(), changes.position_now()
        chores = now - self._chores_at >= CHORES_EVERY
        if chores or position != self._position:
            self._collect()
            self._position = position
        due = due_by_registration()
        registrations = _with_chores() if chores else set()
        for registration in registrations | set(due):
            self._lane(registration).start(due.get(registration, 0), chores=registration in registrations)
        if chores:
            self._chores_at = now
        if now - self._swept_at >= SWEEP_EVERY:
            self._swept_at = now
            oidc.sweep()

    def _collect(self) -> None:
        for context, change in changes.contexts_changed():
            try:
                scores_collect(context, change)
            except DatabaseTrouble:
                raise
            except Exception:  # one course whose scores cannot be computed stops no other
                log.exception("the scores of context %s cannot be computed", context.pk)

    def finish(self) -> None:
        """Let every thread finish the score that it is sending."""
        deadline = time.monotonic() + STOP_SECONDS
        for lane in self._lanes.values():
            lane.join(deadline)

    def _lane(self, registration: int) -> Lane:
        return self._lanes.setdefault(registration, Lane(registration, self._stop))


def run(stop: Event) -> None:
    """Send until asked to stop."""
    sender = Sender(stop)
    while not stop.is_set():
        try:
            sender.round()
        except DatabaseTrouble:
            log.exception("the sender cannot use the database; it tries again")
            connection.close()
        close_old_connections()
        stop.wait(POLL_SECONDS)
    sender.finish()


def due_by_registration() -> dict[int, int]:
    due = delivery.due_scores(timezone.now()).values_list(REGISTRATION).annotate(Count("pk")).order_by()
    return dict(due)


def _with_chores() -> set[int]:
    """Return the registrations where columns are missing or results are due."""
    making = {link.context.deployment.registration_id for link in columns.links_without_column()}
    return making | {context.deployment.registration_id for context in results.contexts_to_read()}
