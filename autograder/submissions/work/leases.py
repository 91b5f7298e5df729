"""Work under a lease: claimed in one statement, renewed while it goes on, and finished by the worker that still holds it.

A worker that dies renews nothing, so its work returns to the queue when the lease expires (`reap`).
"""

import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from autograder.observability import ids
from autograder.submissions.models import Leased

log = logging.getLogger("gradus.queue")
LEASE: timedelta = settings.LEASE
MIN_BACKOFF, MAX_BACKOFF = timedelta(seconds=1), timedelta(minutes=5)  # delay before a retry, from the second lost worker on
TAKEN_BACK_AT_ONCE = 500
State = Leased.State
Row = TypeVar("Row", bound=Leased)

_CLAIM = """
UPDATE {table}
SET state = 'running', token = %s, worker = %s, lease_until = %s, started_at = %s, tries = tries + 1
WHERE state = 'queued' AND id = (
    SELECT id FROM {table} AS waiting
    WHERE state = 'queued' AND (not_before IS NULL OR not_before <= %s) AND {only} {others}
    ORDER BY {order} LIMIT 1 {lock}
)
RETURNING id, request, traceparent
"""


@dataclass(frozen=True)
class Claim:
    """A claimed row, and the token that proves the claim."""

    pk: int
    token: str
    request: str = ""  # the request that created the work, and the parent of its tracing spans
    traceparent: str = ""


class Leases(Generic[Row]):
    """The rows of one table, and the rule for what goes back to the queue.

    `name` is the word for a row in the logs, and `order` are the columns of the queue. Work fails after `max_tries` internal
    errors or `max_lost` workers that stopped responding; `settled` is told of each row that was given back, inside the
    transaction.
    """

    def __init__(
        self,
        model: type[Row],
        name: str,
        *,
        order: str,
        max_tries: int,
        max_lost: int,
        settled: Callable[[Row, str], None],
    ) -> None:
        self.name = name
        self._model, self._order = model, order
        self._max_tries, self._max_lost = max_tries, max_lost
        self._settled = settled

    def claim(
        self,
        worker: str,
        only: str,
        given: Sequence[Any] = (),
        *,
        lease: timedelta = LEASE,
        unreadable: Collection[int] = (),
    ) -> Claim | None:
        """Claim the next row that meets the condition `only`, with its parameters, or return None. Concurrent claims never
        return the same one.

        Exercise versions in `unreadable` are left to other workers.
        """
        token, now = secrets.token_hex(16), timezone.now()
        statement = _CLAIM.format(
            table=self._model._meta.db_table,
            only=only,
            others=f"AND version_id NOT IN ({numbers(unreadable)})" if unreadable else "",
            order=self._order,
            lock="FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else "",
        )
        adapt = connection.ops.adapt_datetimefield_value
        with connection.cursor() as cursor:
            cursor.execute(statement, [token, worker[:100], adapt(now + lease), adapt(now), adapt(now), *given])
            row = cursor.fetchone()
        return None if row is None else Claim(row[0], token, *row[1:])

    def renew(self, claim: Claim, lease: timedelta = LEASE) -> bool:
        """Renew the lease. Returns False if it was lost: the result must then be discarded."""
        return bool(self._held(claim).update(lease_until=timezone.now() + lease))

    def finish(self, claim: Claim, **result: Any) -> bool:
        """Mark the work as done and store `result` in its row. Returns False, with nothing stored, if the lease was lost."""
        ended = {"state": State.DONE, "token": "", "lease_until": None, "ended_at": timezone.now()}
        return bool(self._held(claim).update(**ended, **result))

    def give_back(self, claim: Claim, trouble: str, *, tried: bool = True) -> bool:
        """Return work that failed to the queue, or mark it as failed after its last try. With `tried=False` it does not use
        up a try."""
        with transaction.atomic():
            row = self._held(claim).select_for_update(of=("self",)).first()
            if row is None:
                return False
            if not tried:
                row.tries -= 1
            self._again_or_failed(row, trouble, "error" if tried else "untried")
        return True

    def reap(self, now: datetime | None = None) -> int:
        """Take back work with an expired lease. A lease that ends too far ahead, because a clock jumped, counts as expired."""
        now = now or timezone.now()
        return self._take_back(Q(lease_until__lt=now) | Q(lease_until__gt=now + 10 * LEASE))

    def take_back_from(self, worker: str, *, held: bool = False) -> int:
        """Take back the work of a worker that is known to be dead, without waiting for its lease to expire.

        `held`: the worker died because this work used too much CPU time or hung.
        """
        return self._take_back(Q(lease_until__isnull=False, worker=worker[:100]), "held" if held else "silent")

    def _take_back(self, lost: Q, cause: str = "silent") -> int:
        skip_locked = connection.features.has_select_for_update_skip_locked
        with transaction.atomic():
            leased = self._rows.filter(lost).select_for_update(skip_locked=skip_locked, of=("self",))  # all of it is running
            found = list(leased[:TAKEN_BACK_AT_ONCE])
            for row in found:
                trouble = "took too long on it or hung" if cause == "held" else "stopped responding"
                self._again_or_failed(row, f"worker {row.worker} {trouble}", cause)
        return len(found)

    @property
    def _rows(self) -> QuerySet[Row]:
        return self._model._default_manager.all()

    def _held(self, claim: Claim) -> QuerySet[Row]:
        return self._rows.filter(pk=claim.pk, token=claim.token, state=State.RUNNING)

    def _again_or_failed(self, row: Row, trouble: str, cause: str) -> None:
        row.token, row.lease_until, row.trouble, row.not_before = "", None, trouble, None
        if cause == "silent":
            row.lost += 1
            row.not_before = _not_before(row.lost)
        if row.tries - row.lost < self._max_tries and row.lost < self._max_lost:
            row.state = State.QUEUED
        else:
            row.state, row.ended_at = State.FAILED, timezone.now()
        row.save(update_fields=("token", "lease_until", "trouble", "state", "ended_at", "tries", "lost", "not_before"))
        with ids.bound(request=row.request):
            self._settled(row, cause)


def numbers(found: Collection[int]) -> str:
    """Numbers as they stand in a statement."""
    return ", ".join(str(int(number)) for number in sorted(found))


def _not_before(lost: int) -> datetime | None:
    """Return when work may be retried after lost workers.

    One worker may vanish for any reason. From the second one on, the work may be the cause, so its delay grows, which limits
    the harm.
    """
    return timezone.now() + min(MAX_BACKOFF, MIN_BACKOFF * 2 ** (lost - 2)) if lost > 1 else None
