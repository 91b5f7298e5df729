"""How long gradings really take: measured here, or taken from the gradings of a site; kept as a small file of JSON."""

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

KEPT = 400  # times of an exercise: enough for its 95th percentile
USUAL_WARMING = 6.0  # seconds, where only a site was asked, which does not write this down
USUAL_BELL = 0.05


class Times(msgspec.Struct, frozen=True, array_like=True):
    """Of one grading, in seconds: from its claim to the stored verdict, and until its worker is free again."""

    verdict: float
    busy: float


class Exercise(msgspec.Struct, frozen=True):
    """What is handed in for one exercise; `share` of all submissions are for it."""

    slug: str
    share: float
    times: tuple[Times, ...]


class Measured(msgspec.Struct, frozen=True):
    """`bell`: seconds from handing in to the claim of a worker that idles. `warming`: until a new worker or zygote grades."""

    of: str
    at: datetime
    cores: int
    load: float  # of the machine, for each core, while it was measured
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
    """Raises ValueError for a file that is something else."""
    found = msgspec.json.decode(path.read_bytes(), type=Measured)
    if not found.exercises or not all(one.times for one in found.exercises):
        raise ValueError("it holds no times")
    return found


def write(measured: Measured, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(measured), indent=0))


# -- from the gradings of a site ------------------------------------------------------------------------------------------


class Graded(msgspec.Struct, frozen=True):
    """One live grading as the database has it; all in seconds since 1970."""

    number: int
    slug: str
    worker: str
    queued: float
    started: float
    ended: float
    explained: float


def of_site(most: int = 20_000) -> Measured | None:
    """From the latest gradings that were no regrades and needed one try. None where there are none."""
    rows = graded(most)
    if not rows:
        return None
    times: dict[str, list[Times]] = defaultdict(list)
    for row, until in zip(rows, ends_of(rows), strict=True):
        times[row.slug].append(Times(row.ended - row.started, until - row.started))
    return made(f"{len(rows)} gradings of a site", times, bell=bell_of(rows), warming=USUAL_WARMING)


def graded(most: int) -> list[Graded]:
    """In the order in which they were begun."""
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
    """The moment at which each one's worker was free. A worker that found the next one waiting began it just then; of the
    others it is known when they had explained, and what usually follows after that."""
    by_worker: dict[str, list[Graded]] = defaultdict(list)
    for row in rows:
        by_worker[row.worker].append(row)
    pairs = [pair for mine in by_worker.values() for pair in pairwise(mine)]
    went_on = {one.number: after.started for one, after in pairs if after.queued < one.explained <= after.started}
    gaps = [after.started - one.explained for one, after in pairs if one.number in went_on]
    usual = median(gaps) if gaps else 0.0
    longest = 10 * usual + 0.5  # beyond that it did not just go on
    return [min(went_on.get(row.number, row.explained + usual), row.explained + longest) for row in rows]


def bell_of(rows: Sequence[Graded]) -> float:
    """What the luckiest waited, whom an idle worker heard at once."""
    waits = sorted(row.started - row.queued for row in rows)
    return min(waits[len(waits) // 20], 1.0)


# -- on this machine ------------------------------------------------------------------------------------------------------


def of_this_machine(slugs: Sequence[str], rounds: int, say: Callable[[str], object]) -> Measured:
    """Grade the solution, the starter and the named mistakes of these exercises, as a worker does, and look at the clock."""
    from autograder.submissions.capacity.measuring import graded_here

    times, warming = graded_here(slugs, rounds, say)
    return made("real gradings on one machine", times, bell=USUAL_BELL, warming=warming)
