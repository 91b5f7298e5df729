"""Keeps passwords from being guessed: the more often one was wrong, the longer until the next may be tried.

Counted are an account from one address, the account from everywhere, and the address for all accounts. The first grows to
minutes and hits nobody else. The other two stay below a minute, so that nobody can lock somebody out; and from an address where
the account has signed in before, they do not count at all: whoever is attacked goes on as usual.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import TooOften
from autograder.courses.models import User
from autograder.web.models import Guess
from autograder.web.pace import hashed, seconds
from autograder.web.proxies import address_of

log = logging.getLogger("gradus.sign_in")
FIRST = 5.0  # seconds
FORGOTTEN = timedelta(hours=24)  # after the last one that was wrong
KNOWN = timedelta(days=90)  # since somebody signed in from an address


@dataclass(frozen=True)
class Slowed:
    """So many may be wrong for nothing; then each doubles the time to wait, up to `longest` seconds."""

    free: int
    longest: float

    def wait(self, failures: int) -> float:
        return 0.0 if failures < self.free else min(self.longest, FIRST * 2.0 ** min(failures - self.free, 30))


BOTH, ACCOUNT, ADDRESS = Slowed(5, 15 * 60.0), Slowed(30, 60.0), Slowed(150, 30.0)


@dataclass(frozen=True)
class Try:
    """A password that is about to be checked. It counts as wrong from the beginning, so that a hundred at once are a hundred."""

    both: str
    others: tuple[str, ...]

    def was_right(self) -> None:
        """All rows are locked in one order, here and in `begin`: two who sign in at once wait for each other, and no more."""
        with transaction.atomic():
            for row in Guess.objects.select_for_update().filter(key__in=(self.both, *self.others)).order_by("key"):
                if row.key == self.both:
                    row.failures, row.known_at = 0, timezone.now()
                else:
                    row.failures = max(0, row.failures - 1)
                row.save(update_fields=("failures", "known_at"))


def begin(request: HttpRequest, user: User | None, name: str) -> Try:
    """Raises TooOften where it is too early; the password is then not looked at. A name that nobody has is treated alike."""
    account = f"user {user.pk}" if user else f"name {name.casefold()}"
    address = address_of(request)
    both, all_of_account = hashed("sign-in", account, address), hashed("sign-in", account)
    rules = {both: BOTH, all_of_account: ACCOUNT}
    if address:
        rules[hashed("sign-in from", address)] = ADDRESS
    now = timezone.now()
    with transaction.atomic():
        Guess.objects.bulk_create((Guess(key=key, last_at=now) for key in sorted(rules)), ignore_conflicts=True)
        rows = {row.key: row for row in Guess.objects.select_for_update().filter(key__in=rules).order_by("key")}
        counted = [both] if _is_known(rows[both], now) else list(rules)
        left = max(_left(rows[key], rules[key], now) for key in counted)
        if left == 0:
            _count([rows[key] for key in counted], now)
    who = f"account {user.pk}" if user else "a name that nobody has"
    if left > 0:
        log.warning("sign-in held up for %s: %s from %s", seconds(left), who, address or "this machine")
        raise TooOften(f"That was wrong too often. Wait {seconds(left)}, then try again.", left)
    if user and all_of_account in counted and rows[all_of_account].failures == ACCOUNT.free:
        audit.record("sign-in-slowed", user, actor=None, wrong=ACCOUNT.free, address=address or "this machine")
    return Try(both, tuple(key for key in counted if key != both))


def sweep(now: datetime) -> None:
    """What is forgotten by then, and known no more."""
    old = Guess.objects.filter(last_at__lt=now - FORGOTTEN)
    old.filter(known_at=None).delete()
    old.filter(known_at__lt=now - KNOWN).delete()


def _is_known(row: Guess, now: datetime) -> bool:
    return row.known_at is not None and now - row.known_at < KNOWN


def _left(row: Guess, rule: Slowed, now: datetime) -> float:
    """Seconds. A clock that was set back must not make a wait of hours."""
    wait = rule.wait(_failures(row, now))
    return min(wait, max(0.0, wait - (now - row.last_at).total_seconds()))


def _failures(row: Guess, now: datetime) -> int:
    return 0 if now - row.last_at > FORGOTTEN else row.failures


def _count(rows: list[Guess], now: datetime) -> None:
    for row in rows:
        row.failures, row.last_at = _failures(row, now) + 1, now
        row.save(update_fields=("failures", "last_at"))
    if rows[0].failures == 1:
        sweep(now)  # hardly ever more than once for somebody who mistypes, and for whoever tries many names every time
