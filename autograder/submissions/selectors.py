"""Read access to the queue, for waiting students and for operators."""

import socket
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from autograder.library.models import ExerciseVersion
from autograder.submissions.models import Grading, Lane, Submission, Work, Worker

ALIVE_WITHIN = timedelta(seconds=30)
EXPLAINED_AT_ONCE = timedelta(seconds=5)  # after the verdict; if later, the worker died or the mistakes had not been learned
RECENT_GRADINGS = 50
UNKNOWN_SECONDS = 0.5
State = Work.State


@dataclass(frozen=True)
class QueuePosition:
    """The number of items ahead in the queue, and the estimated waiting time."""

    before: int
    seconds: float


@dataclass(frozen=True)
class LaneDepth:
    """One lane of the queue."""

    lane: str
    waiting: int
    running: int
    oldest: datetime | None


def place_of(work: Work) -> QueuePosition:
    """Estimate the position of waiting work. With no live worker, the estimate assumes one."""
    earlier = (
        Q(lane__lt=work.lane)
        | Q(lane=work.lane, turn__lt=work.turn)
        | Q(lane=work.lane, turn=work.turn, place__lt=work.place)
        | Q(lane=work.lane, turn=work.turn, place=work.place, id__lt=work.pk)
    )
    before = Work.objects.filter(earlier, state=State.QUEUED).count()
    running = Work.objects.filter(lease_until__isnull=False).count()
    workers = max(1, living_workers().count())
    return QueuePosition(before, (before + running) / workers * _usual_seconds() + _usual_seconds())


def waits(lanes: Collection[int]) -> bool:
    """Return whether there is work to claim in these lanes."""
    return Work.objects.filter(state=State.QUEUED, lane__in=lanes).exists()


def versions_of(profiles: Collection[str]) -> set[int]:
    """Return the exercise versions that are graded in these profiles."""
    if not profiles:
        return set()
    return set(ExerciseVersion.objects.filter(profile__in=profiles).values_list("pk", flat=True))


def live_work_of(submission: Submission) -> Work:
    """Return the grading work created with the submission, as opposed to regrades."""
    return Work.objects.select_related("submission").get(submission=submission, batch=None)


def grading_of(submission: Submission) -> Grading | None:
    """Return the grading that counts."""
    return Grading.objects.filter(submission=submission, current=True).first()


def living_workers() -> QuerySet[Worker]:
    return Worker.objects.filter(seen_at__gt=timezone.now() - ALIVE_WITHIN).order_by("name")


def is_alive(worker: Worker) -> bool:
    return worker.seen_at > timezone.now() - ALIVE_WITHIN


def workers_here() -> QuerySet[Worker]:
    """Return the workers of this machine or container, including dead ones."""
    return Worker.objects.filter(name__startswith=f"{socket.gethostname()}:").order_by("name")


def workers() -> QuerySet[Worker]:
    """Return all workers, including dead ones. A worker that ends regularly removes itself."""
    return Worker.objects.order_by("-seen_at", "name")


def depths() -> list[LaneDepth]:
    rows = (
        Work.objects.filter(ended_at=None)
        .values("lane")
        .annotate(
            waiting=Count("id", filter=Q(state=State.QUEUED)),
            running=Count("id", filter=Q(state=State.RUNNING)),
            oldest=Min("queued_at", filter=Q(state=State.QUEUED)),
        )
    )
    found = {row["lane"]: LaneDepth(Lane(row["lane"]).label, row["waiting"], row["running"], row["oldest"]) for row in rows}
    return [found.get(lane, LaneDepth(lane.label, 0, 0, None)) for lane in Lane]


def states() -> dict[str, int]:
    return dict(Work.objects.values_list("state").annotate(Count("id")))


def given_up() -> QuerySet[Work]:
    """Return the work that could not be graded, latest first. The submissions themselves are kept."""
    found = Work.objects.filter(state=State.FAILED).order_by("-ended_at")
    return found.select_related("course", "submission__assignment").defer("submission__source")


def graded_in(last: timedelta) -> int:
    return Grading.objects.filter(graded_at__gt=timezone.now() - last).count()


def _usual_seconds() -> float:
    recent = list(Grading.objects.order_by("-id").values_list("seconds", flat=True)[:RECENT_GRADINGS])
    return median(recent) if recent else UNKNOWN_SECONDS
