"""Service times of gradings, measured on this machine or taken from a site's gradings, and stored as a small JSON file."""

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

import msgspec
from django.db.models import F

from autograder.submissions.models import Grading
from autograder.submissions.selectors import EXPLAINED_AT_ONCE

KEPT = 400  # times per exercise: enough for a 95th percentile
USUAL_WARMING = 6.0  # in seconds; used for times from a site, which does not record it
USUAL_BELL = 0.05


class Times(msgspec.Struct, frozen=True, array_like=True):
    """The times of one grading in seconds: from its claim to the stored verdict, and until its worker is free again."""

    verdict: float
    busy: float


class Exercise(msgspec.Struct, frozen=True):
    """The measured times of one exercise; `share` is its share of all submissions."""

    slug: str
    share: float
    times: tuple[Times, ...]


class Measured(msgspec.Struct, frozen=True):
    """All measured times.

    `bell` is the time in seconds from submitting until an idle worker claims the work. `warming` is the time until a new
    worker or zygote can grade.
    """

    of: str
    at: datetime
    cores: int
    load: float  # system load per core during the measurement
    bell: float
    warming: float
    exercises: tuple[Exercise, ...]

    @property
    def mean_busy(self) -> float:
        return sum(one.share * sum(t.busy for t in one.times) / len(one.times) for one in self.exercises)

    @property
    def mean_verdict(self) -> float:
        return sum(one.share * sum(t.verdict for t in one.times) / len(one.times) for one in self.exercises)


def made(of: str, times: "dict[str, list[Times]]", *, bell: float, warming: float) -> Measured:
    total = sum(map(len, times.values()))
    exercises = tuple(
        Exercise(slug, len(found) / total, tuple(found[:: len(found) // KEPT + 1])) for slug, found in sorted(times.items())
    )
    cores = os.cpu_count() or 1
    return Measured(of, datetime.now(UTC), cores, os.getloadavg()[0] / cores, bell, warming, exercises)


def read(path: Path) -> Measured:
    """Read a file of measured times. Raises ValueError if it is not one."""
    found = msgspec.json.decode(path.read_bytes(), type=Measured)
    if not found.exercises or not all(one.times for one in found.exercises):
        raise ValueError("it holds no times")
    return found


def write(measured: Measured, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(measured), indent=0))


# -- from a site's gradings ----------------------------------------------------------------------------------------------


class Graded(msgspec.Struct, frozen=True):
    """One live grading from the database, with all times in seconds since 1970."""

    number: int
    slug: str
    worker: str
    queued: float
    started: float
    ended: float
    explained: float


def of_site(most: int = 20_000) -> Measured | None:
    """Return the times of the latest gradings, without regrades and retries, or None if there are none."""
    rows = graded(most)
    if not rows:
        return None
    times: dict[str, list[Times]] = defaultdict(list)
    for row, until in zip(rows, ends_of(rows), strict=True):
        times[row.slug].append(Times(row.ended - row.started, until - row.started))
    return made(f"{len(rows)} gradings of a site", times, bell=bell_of(rows), warming=USUAL_WARMING)


def graded(most: int) -> list[Graded]:
    """Return the latest gradings in the order in which they were started."""
    found = (
        Grading.objects.filter(work__batch=None, work__tries=1, work__started_at__isnull=False)
        .filter(explained_at__lt=F("work__ended_at") + EXPLAINED_AT_ONCE)
        .order_by("-id")
        .values_list(
            *("submission_id", "version__exercise__slug", "worker"),
            *("work__queued_at", "work__started_at", "work__ended_at", "explained_at"),
        )[:most]
    )
    rows = [Graded(number, slug, worker, *(at.timestamp() for at in moments)) for number, slug, worker, *moments in found]
    return sorted((row for row in rows if row.started >= row.queued), key=lambda row: row.started)


def ends_of(rows: Sequence[Graded]) -> list[float]:
    """Return the time at which each grading's worker became free.

    If the worker's next work was already waiting, that work started at this time. For the others, the time of the
    explanation is known, and the usual delay after it is added.
    """
    by_worker: dict[str, list[Graded]] = defaultdict(list)
    for row in rows:
        by_worker[row.worker].append(row)
    pairs = [pair for mine in by_worker.values() for pair in pairwise(mine)]
    went_on = {one.number: after.started for one, after in pairs if after.queued < one.explained <= after.started}
    gaps = [after.started - one.explained for one, after in pairs if one.number in went_on]
    usual = median(gaps) if gaps else 0.0
    longest = 10 * usual + 0.5  # a longer gap means that the worker did not continue immediately
    return [min(went_on.get(row.number, row.explained + usual), row.explained + longest) for row in rows]


def bell_of(rows: Sequence[Graded]) -> float:
    """Return the delay of the submissions that an idle worker claimed at once: the 5th percentile of all delays, at most one
    second."""
    waits = sorted(row.started - row.queued for row in rows)
    return min(waits[len(waits) // 20], 1.0)


# -- on this machine -----------------------------------------------------------------------------------------------------


def of_this_machine(slugs: Sequence[str], rounds: int, say: Callable[[str], object]) -> Measured:
    """Grade the solution, the starter and the known wrong submissions of these exercises like a worker, and measure the times."""
    from autograder.submissions.capacity.measuring import graded_here

    times, warming = graded_here(slugs, rounds, say)
    return made("real gradings on one machine", times, bell=USUAL_BELL, warming=warming)
