"""Service times of a site's latest gradings."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import msgspec
from django.db.models import F

from autograder.submissions.models import Grading
from autograder.submissions.selectors import EXPLAINED_AT_ONCE
from tools.capacity.service_times import GradingTimes, ServiceTimes, service_times

USUAL_WARM_UP = 6.0  # in seconds; a site does not record it


class GradedWork(msgspec.Struct, frozen=True):
    """One live grading from the database, with all times in seconds since 1970."""

    submission_id: int
    slug: str
    worker: str
    queued: float
    started: float
    ended: float
    explained: float


def of_site(most: int = 20_000) -> ServiceTimes | None:
    """Return the times of the latest gradings, without regrades and retries, or None if there are none."""
    rows = graded(most)
    if not rows:
        return None
    times: dict[str, list[GradingTimes]] = defaultdict(list)
    for row, until in zip(rows, ends_of(rows), strict=True):
        times[row.slug].append(GradingTimes(row.ended - row.started, until - row.started))
    return service_times(f"{len(rows)} gradings of a site", times, wakeup_delay=wakeup_delay_of(rows), warm_up=USUAL_WARM_UP)


def graded(most: int) -> list[GradedWork]:
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
    rows = [GradedWork(pk, slug, worker, *(at.timestamp() for at in times)) for pk, slug, worker, *times in found]
    return sorted((row for row in rows if row.started >= row.queued), key=lambda row: row.started)


def ends_of(rows: Sequence[GradedWork]) -> list[float]:
    """Return the time at which each grading's worker became free.

    If the worker's next work was already waiting, that work started at this time. For the others, the time of the
    explanation is known, and the usual delay after it is added.
    """
    by_worker: dict[str, list[GradedWork]] = defaultdict(list)
    for row in rows:
        by_worker[row.worker].append(row)
    pairs = [pair for works in by_worker.values() for pair in pairwise(works)]
    continued = {row.submission_id: after.started for row, after in pairs if after.queued < row.explained <= after.started}
    gaps = [after.started - row.explained for row, after in pairs if row.submission_id in continued]
    usual = median(gaps) if gaps else 0.0
    longest = 10 * usual + 0.5  # a longer gap means that the worker did not continue immediately
    return [min(continued.get(row.submission_id, row.explained + usual), row.explained + longest) for row in rows]


def wakeup_delay_of(rows: Sequence[GradedWork]) -> float:
    """Return the delay of the submissions that an idle worker claimed at once: the 5th percentile of all delays, at most one
    second."""
    waits = sorted(row.started - row.queued for row in rows)
    return min(waits[len(waits) // 20], 1.0)
