"""Throttles password guessing: the more attempts fail, the longer the wait before the next one.

Failures are counted per account and address, per account, and per address. The first limit grows to minutes and affects
only that address. The other two stay at or below a minute, so that an attacker cannot lock anyone out. They are not
applied at all from an address where the account has signed in before, so the owner of an attacked account can sign in
as usual.
"""

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.web.models import Guess
from autograder.web.rate_limits import address_of, hashed, seconds

log = logging.getLogger("gradus.sign_in")
FIRST = 5.0  # seconds
FORGOTTEN = timedelta(hours=24)  # since the last failed attempt
KNOWN = timedelta(days=90)  # since the last successful login from the address
PENDING_TIMEOUT = timedelta(minutes=1)  # after this, a pending attempt is considered lost
MAX_WAIT_SECONDS = 10.0  # how long to wait for other pending attempts
MIN_PAUSE, MAX_PAUSE = 0.05, 1.0


@dataclass(frozen=True)
class WaitingRule:
    """`free` failures cost nothing. After that, each failure doubles the wait, up to `longest` seconds."""

    free: int
    longest: float

    def wait(self, failures: int) -> float:
        return 0.0 if failures < self.free else min(self.longest, FIRST * 2.0 ** min(failures - self.free, 30))

    def at_once(self, failures: int) -> int:
        """Maximum number of pending attempts. Even if all of them fail, no more passwords were checked than one by one."""
        return max(1, self.free - failures)


BOTH, ACCOUNT, ADDRESS = WaitingRule(5, 15 * 60.0), WaitingRule(30, 60.0), WaitingRule(150, 30.0)


@dataclass(frozen=True)
class Attempt:
    """A password that is about to be checked. The caller must report the result.

    Until then the attempt is pending, and the number of pending attempts is limited by the number that may still fail.
    Parallel guesses are therefore counted like sequential ones, and correct logins only wait for their turn.
    """

    user: User | None
    address: str
    both: str
    others: tuple[str, ...]

    def was_right(self) -> None:
        with transaction.atomic():
            for row in self._ended():
                if row.key == self.both:
                    row.failures, row.known_at = 0, timezone.now()
                row.save(update_fields=("failures", "pending", "known_at"))

    def was_wrong(self) -> None:
        now, first = timezone.now(), False
        with transaction.atomic():
            for row in self._ended():
                row.failures, row.last_at = _failures(row, now) + 1, now
                row.save(update_fields=("failures", "pending", "last_at"))
                if self.user and row.key == _all_of(self.user) and row.failures == ACCOUNT.free:
                    audit.record("sign-in-slowed", self.user, actor=None, wrong=ACCOUNT.free, address=self.address)
                first = first or (row.key == self.both and row.failures == 1)
            if first:
                sweep(now)  # rare for a user who mistypes; on every attempt of a client that tries many names

    def _ended(self) -> list[Guess]:
        """Lock all rows in one order, as `_taken` does, so that concurrent logins cannot deadlock."""
        rows = list(Guess.objects.select_for_update().filter(key__in=(self.both, *self.others)).order_by("key"))
        for row in rows:
            row.pending = max(0, row.pending - 1)
        return rows


def begin(request: HttpRequest, user: User | None, name: str) -> Attempt:
    """Register an attempt. Raises TooOften without checking the password if it comes too early. Unknown names are treated
    alike.
    """
    account = f"user {user.pk}" if user else f"name {name.casefold()}"
    address = address_of(request)
    both = hashed("sign-in", account, address)
    rules = {both: BOTH, hashed("sign-in", account): ACCOUNT}
    if address:
        rules[hashed("sign-in from", address)] = ADDRESS
    until, pause = time.monotonic() + MAX_WAIT_SECONDS, MIN_PAUSE
    while (counted := _taken(both, rules)) is None:
        if time.monotonic() > until:
            raise TooOften("Too many people are signing in right now. Try again in a few seconds.", FIRST)
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE)
    if isinstance(counted, float):
        who = f"account {user.pk}" if user else "a name that nobody has"
        log.warning("sign-in held up for %s: %s from %s", seconds(counted), who, address or "this machine")
        raise TooOften(f"Too many failed attempts. Try again in {seconds(counted)}.", counted)
    return Attempt(user, address or "this machine", both, tuple(key for key in counted if key != both))


def _taken(both: str, rules: dict[str, WaitingRule]) -> tuple[str, ...] | float | None:
    """Return the rows in which the attempt is now pending, or the seconds to wait. None means that other pending attempts
    decide first.
    """
    now = timezone.now()
    with transaction.atomic():
        Guess.objects.bulk_create((Guess(key=key, last_at=now) for key in sorted(rules)), ignore_conflicts=True)
        rows = {row.key: row for row in Guess.objects.select_for_update().filter(key__in=rules).order_by("key")}
        counted = (both,) if _is_known(rows[both], now) else tuple(rules)
        for key in counted:
            _give_up_lost(rows[key], now)
        left = max(_left(rows[key], rules[key], now) for key in counted)
        if left > 0:
            return left
        if any(rows[key].pending >= rules[key].at_once(_failures(rows[key], now)) for key in counted):
            return None
        for key in counted:
            rows[key].pending, rows[key].pending_at = rows[key].pending + 1, now
            rows[key].save(update_fields=("pending", "pending_at"))
    return counted


def _give_up_lost(row: Guess, now: datetime) -> None:
    """Count attempts whose result was never reported, because the process died, as failures."""
    if row.pending and (row.pending_at is None or now - row.pending_at > PENDING_TIMEOUT):
        row.failures, row.last_at, row.pending = _failures(row, now) + row.pending, now, 0
        row.save(update_fields=("failures", "last_at", "pending"))


def _all_of(user: User) -> str:
    return hashed("sign-in", f"user {user.pk}")


def sweep(now: datetime) -> None:
    """Delete rows whose failures have expired and whose address is no longer known."""
    old = Guess.objects.filter(last_at__lt=now - FORGOTTEN)
    old.filter(known_at=None).delete()
    old.filter(known_at__lt=now - KNOWN).delete()


def _is_known(row: Guess, now: datetime) -> bool:
    return row.known_at is not None and now - row.known_at < KNOWN


def _left(row: Guess, rule: WaitingRule, now: datetime) -> float:
    """Seconds left to wait, capped at the full wait so that a clock set back cannot extend it."""
    wait = rule.wait(_failures(row, now))
    return min(wait, max(0.0, wait - (now - row.last_at).total_seconds()))


def _failures(row: Guess, now: datetime) -> int:
    return 0 if now - row.last_at > FORGOTTEN else row.failures
