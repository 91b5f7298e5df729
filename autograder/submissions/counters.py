"""Counts verdicts, waiting times, retries and zygotes, so that monitoring does not have to count rows.

Each process adds to its own rows in the transaction that stores what it counts: a verdict and its count are stored together
or not at all, and no process waits for another. A reader adds up the rows of all processes. Waiting times are counted in
histogram buckets, from which quantiles are estimated. Labels consist of fixed words only and never contain a person or a
course.
"""

import os
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Sum
from django.utils import timezone

from autograder.submissions.models import Lane, Snapshot, Tally
from autograder.submissions.selectors import living_workers

VERDICTS, RETRIES, FAILED = "verdicts", "retries", "failed"
FROM_CLAIM, FROM_SUBMIT = "claim-to-verdict", "submit-to-verdict"
ZYGOTE_STARTS, ZYGOTE_DEATHS = "zygote-starts", "zygote-deaths"
SECONDS = "seconds"  # the label suffix of the sum, stored in addition to the buckets
BUCKETS = (
    0.05,
    0.075,
    0.1,
    0.15,
    0.2,
    0.3,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    3.0,
    5.0,
    10.0,
    20.0,
    30.0,
    60.0,
    120.0,
    300.0,
    1800.0,
)
BEYOND = "inf"
SNAPSHOT_EVERY = timedelta(minutes=5)  # between two snapshots
SNAPSHOT_RETENTION = timedelta(hours=25)
CAUSES = {
    "error": "internal error",
    "held": "worker stopped because of this job",
    "silent": "worker stopped responding",
    "untried": "left to another worker",
}
Counts = dict[str, dict[str, float]]  # by counter, then by label


@dataclass(frozen=True)
class Increment:
    """An increment of a counter. A label consists of predefined words, separated by spaces."""

    counter: str
    label: str
    value: float = 1.0


@dataclass(frozen=True)
class DurationHistogram:
    """A histogram of durations with cumulative buckets: how many lasted at most this long."""

    at_most: tuple[tuple[float, int], ...]
    number: int
    seconds: float

    def quantile(self, share: float) -> float | None:
        """Estimate a quantile by linear interpolation within its bucket. Returns None for an empty histogram."""
        if not self.number:
            return None
        below, lower = 0, 0.0
        for bound, upto in self.at_most:
            if upto >= share * self.number:
                return lower + (bound - lower) * (share * self.number - below) / (upto - below)
            below, lower = upto, bound
        return lower


# -- counting -------------------------------------------------------------------------------------------------------------


def process_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"[:100]


def add(counts: Iterable[Increment]) -> None:
    """Add counts in one statement, inside the caller's transaction if there is one.

    Rows are always updated in the same order, so that concurrent threads cannot deadlock.
    """
    rows: dict[tuple[str, str], float] = {}
    for count in counts:
        key = (count.counter, count.label)
        rows[key] = rows.get(key, 0.0) + count.value
    if not rows:
        return
    process = process_name()
    values = [value for (counter, label), number in sorted(rows.items()) for value in (counter, label, process, number)]
    statement = f"""
        INSERT INTO submissions_tally (counter, label, process, value) VALUES {", ".join(["(%s, %s, %s, %s)"] * len(rows))}
        ON CONFLICT (counter, label, process) DO UPDATE SET value = submissions_tally.value + excluded.value
    """  # noqa: S608 - only placeholders are inserted
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def count_verdict(lane: int, verdict: str, reason: str | None, *, queued_at: datetime, claimed_at: datetime) -> None:
    """Count a verdict. Call it in the transaction that stores the verdict."""
    name, now = Lane(lane).name.lower(), timezone.now()
    add(
        [
            Increment(VERDICTS, f"{name} {verdict} {reason or verdict}"),
            *_timed(FROM_CLAIM, name, now - claimed_at),
            *_timed(FROM_SUBMIT, name, now - queued_at),
        ]
    )


def _timed(counter: str, lane: str, length: timedelta) -> Iterator[Increment]:
    seconds = max(0.0, length.total_seconds())  # the clocks of two machines may differ
    bucket = next((f"{bound:g}" for bound in BUCKETS if seconds <= bound), BEYOND)
    yield Increment(counter, f"{lane} {bucket}")
    yield Increment(counter, f"{lane} {SECONDS}", seconds)


# -- reading --------------------------------------------------------------------------------------------------------------


def counts() -> Counts:
    """Return the totals since the site was set up."""
    found: Counts = {}
    for counter, label, value in Tally.objects.values_list("counter", "label").annotate(Sum("value")).order_by("label"):
        found.setdefault(counter, {})[label] = value
    return found


def counts_since(moment: datetime, now: Counts) -> Counts:
    """Return the increase since the last snapshot before this moment, or the totals if there is none."""
    snapshot = Snapshot.objects.filter(at__lte=moment).order_by("-at").first()
    before: Counts = snapshot.counts if snapshot else {}
    return {
        counter: {label: value - before.get(counter, {}).get(label, 0.0) for label, value in labels.items()}
        for counter, labels in now.items()
    }


def times(counts: Counts, counter: str, lane: str) -> DurationHistogram:
    labels = counts.get(counter, {})
    at_most, number = [], 0
    for bound in BUCKETS:
        number += round(labels.get(f"{lane} {bound:g}", 0))
        at_most.append((bound, number))
    number += round(labels.get(f"{lane} {BEYOND}", 0))
    return DurationHistogram(tuple(at_most), number, labels.get(f"{lane} {SECONDS}", 0.0))


# -- retention ------------------------------------------------------------------------------------------------------------


def take_snapshot() -> None:
    """Take a snapshot if one is due, and delete what it makes redundant. Called by several processes; the first one does it."""
    now = timezone.now()
    if Snapshot.objects.filter(at__gt=now - SNAPSHOT_EVERY).exists():
        return
    try:
        with transaction.atomic():
            Snapshot.objects.create(at=_rounded(now), counts=counts())
    except IntegrityError:
        return  # another process took the snapshot first
    _sweep(now)
    _fold()


def _rounded(now: datetime) -> datetime:
    """Round down to a common interval, so that concurrent processes use the same value."""
    return datetime.fromtimestamp(
        now.timestamp() // SNAPSHOT_EVERY.total_seconds() * SNAPSHOT_EVERY.total_seconds(), now.tzinfo
    )


def _sweep(now: datetime) -> None:
    """Delete snapshots that the statistics of the last day do not need: all before the newest one older than a day."""
    last = Snapshot.objects.filter(at__lt=now - SNAPSHOT_RETENTION).order_by("-at").values_list("at", flat=True).first()
    if last is not None:
        Snapshot.objects.filter(at__lt=last).delete()


def _fold() -> None:
    """Add up the counts of processes that have ended. A process that was only unresponsive continues from zero."""
    with transaction.atomic():
        living = list(living_workers().values_list("name", flat=True))
        ended = list(Tally.objects.exclude(process__in=["", *living]).select_for_update().order_by("pk"))
        for tally in ended:
            _add_to_the_ended(tally)
        Tally.objects.filter(pk__in=[tally.pk for tally in ended]).delete()


def _add_to_the_ended(tally: Tally) -> None:
    total, _ = Tally.objects.select_for_update().get_or_create(counter=tally.counter, label=tally.label, process="")
    total.value += tally.value
    total.save(update_fields=("value",))
