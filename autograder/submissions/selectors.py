"""What the queue looks like from outside: for a student who waits, and for an operator who watches."""

import socket
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from autograder.courses.models import Assignment, AuditEntry, Membership
from autograder.library.models import ExerciseVersion
from autograder.submissions.attempts import FREE
from autograder.submissions.models import Grading, Kind, Lane, Submission, Work, Worker

ALIVE = timedelta(seconds=30)
EXPLAINED_AT_ONCE = timedelta(seconds=5)  # after its verdict. Later: its worker had died, or nothing had been learned
RECENT = 50
UNKNOWN_SECONDS = 0.5
State = Work.State


@dataclass(frozen=True)
class Place:
    """How many are before one in the queue, and how long that will take."""

    before: int
    seconds: float


@dataclass(frozen=True)
class Depth:
    """One lane of the queue."""

    lane: str
    waiting: int
    running: int
    oldest: datetime | None


def place_of(work: Work) -> Place:
    """For work that waits. With no worker alive, the estimate is what one would need."""
    earlier = (
        Q(lane__lt=work.lane)
        | Q(lane=work.lane, turn__lt=work.turn)
        | Q(lane=work.lane, turn=work.turn, place__lt=work.place)
        | Q(lane=work.lane, turn=work.turn, place=work.place, id__lt=work.pk)
    )
    before = Work.objects.filter(earlier, state=State.QUEUED).count()
    running = Work.objects.filter(lease_until__isnull=False).count()
    workers = max(1, living_workers().count())
    return Place(before, (before + running) / workers * _usual_seconds() + _usual_seconds())


def waits(lanes: Collection[int]) -> bool:
    """Whether there is anything to claim in these lanes."""
    return Work.objects.filter(state=State.QUEUED, lane__in=lanes).exists()


def versions_of(profiles: Collection[str]) -> set[int]:
    """The versions of exercises that are graded in these profiles."""
    if not profiles:
        return set()
    return set(ExerciseVersion.objects.filter(profile__in=profiles).values_list("pk", flat=True))


def identical_submission(source: bytes, assignment: Assignment, membership: Membership) -> Submission | None:
    """The latest submission of the same file, byte for byte; not one that was never graded."""
    never_graded = Work.objects.filter(state__in=FREE, batch=None, membership=membership).values("submission_id")
    same = Submission.objects.filter(assignment=assignment, membership=membership, kind=Kind.SUBMIT, source=source)
    return same.exclude(pk__in=never_graded).order_by("-pk").first()


def live_work_of(submission: Submission) -> Work:
    """The grading that was asked for when it came in; those of regrades are others."""
    return Work.objects.select_related("submission").get(submission=submission, batch=None)


def grading_of(submission: Submission) -> Grading | None:
    """The one that counts."""
    return Grading.objects.filter(submission=submission, current=True).first()


def audit_about(membership: Membership) -> QuerySet[AuditEntry]:
    """What was done to this person and to their submissions, the newest first."""
    return (
        AuditEntry.objects.filter(membership=membership)
        .select_related("actor", "membership__user", "assignment", "course")
        .order_by("-id")
    )


def living_workers() -> QuerySet[Worker]:
    return Worker.objects.filter(seen_at__gt=timezone.now() - ALIVE).order_by("name")


def is_alive(worker: Worker) -> bool:
    return worker.seen_at > timezone.now() - ALIVE


def workers_here() -> QuerySet[Worker]:
    """Of this machine, or this container; the dead, too."""
    return Worker.objects.filter(name__startswith=f"{socket.gethostname()}:").order_by("name")


def workers() -> QuerySet[Worker]:
    """The dead, too: who ends in order takes itself off the list."""
    return Worker.objects.order_by("-seen_at", "name")


def depths() -> list[Depth]:
    rows = (
        Work.objects.filter(ended_at=None)
        .values("lane")
        .annotate(
            waiting=Count("id", filter=Q(state=State.QUEUED)),
            running=Count("id", filter=Q(state=State.RUNNING)),
            oldest=Min("queued_at", filter=Q(state=State.QUEUED)),
        )
    )
    found = {row["lane"]: Depth(Lane(row["lane"]).label, row["waiting"], row["running"], row["oldest"]) for row in rows}
    return [found.get(lane, Depth(lane.label, 0, 0, None)) for lane in Lane]


def states() -> dict[str, int]:
    return dict(Work.objects.values_list("state").annotate(Count("id")))


def given_up() -> QuerySet[Work]:
    """What could not be graded, the latest first. What was handed in stays where it is."""
    found = Work.objects.filter(state=State.FAILED).order_by("-ended_at")
    return found.select_related("course", "submission__assignment").defer("submission__source")


def graded_in(last: timedelta) -> int:
    return Grading.objects.filter(graded_at__gt=timezone.now() - last).count()


def _usual_seconds() -> float:
    recent = list(Grading.objects.order_by("-id").values_list("seconds", flat=True)[:RECENT])
    return median(recent) if recent else UNKNOWN_SECONDS
