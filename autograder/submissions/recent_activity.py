"""What some students handed in lately, and how long they waited for it: what staff watch while a class is at work."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import QuerySet

from autograder.courses.models import Membership
from autograder.submissions.models import Grading, Kind, Submission, Work

LATEST = 10
WAITS = 500  # the newest submissions tell how long it takes now
STATES = {
    Work.State.QUEUED: "waiting",
    Work.State.RUNNING: "waiting",
    Work.State.FAILED: "internal",
    Work.State.SUPERSEDED: "replaced",
}


@dataclass(frozen=True)
class Latest:
    """A submission and its state: a verdict, or waiting, internal, replaced."""

    submission: Submission
    state: str
    share: float | None

    @property
    def is_run(self) -> bool:
        return self.submission.kind == Kind.RUN


def latest(students: QuerySet[Membership], count: int = LATEST) -> list[Latest]:
    """The newest first."""
    newest = Submission.objects.filter(membership__in=students).order_by("-submitted_at", "-id")
    numbers = list(newest.values_list("pk", flat=True)[:count])  # of whole rows, a database sorts the sources as well
    submissions = list(
        Submission.objects.filter(pk__in=numbers)
        .select_related("membership__user", "assignment")
        .defer("source")
        .order_by("-submitted_at", "-id")
    )
    gradings = {
        submission_id: (verdict, score / most if most else 0.0)
        for submission_id, verdict, score, most in Grading.objects.filter(current=True, submission__in=submissions)
        .order_by()
        .values_list("submission_id", "verdict", "score", "max_score")
    }
    works = dict(Work.objects.filter(submission__in=submissions, batch=None).values_list("submission_id", "state"))
    found = []
    for submission in submissions:
        verdict, share = gradings.get(submission.pk, ("", None))
        state = verdict or STATES.get(Work.State(works.get(submission.pk, Work.State.QUEUED)), "waiting")
        found.append(Latest(submission, state, share))
    return found


def waiting_of(students: QuerySet[Membership]) -> int:
    """How many of their submissions and runs have no verdict yet."""
    return Work.objects.filter(membership__in=students, batch=None, ended_at=None).count()


def retried_of(students: QuerySet[Membership], since: datetime) -> int:
    """How many of their submissions and runs were graded after an internal error: not at the first try."""
    graded = Work.objects.filter(membership__in=students, batch=None, state=Work.State.DONE, ended_at__gt=since)
    return graded.filter(tries__gt=1).count()


def usual_wait(students: QuerySet[Membership], since: datetime) -> float | None:
    """The median of the seconds from handing in to the verdict; None where nothing was graded. What was replayed was queued
    later than it says that it was handed in, and nobody waited for it."""
    newest = Submission.objects.filter(membership__in=students, submitted_at__gt=since).order_by("-submitted_at")
    # asked for by number: of a join, PostgreSQL would believe that it has a few rows
    gradings = Grading.objects.filter(submission_id__in=list(newest.values_list("pk", flat=True)[:WAITS])).order_by()
    times = gradings.exclude(why=Grading.Why.REGRADE).values_list("submission__submitted_at", "work__queued_at", "graded_at")
    waits = [(graded - handed_in).total_seconds() for handed_in, queued, graded in times if queued == handed_in]
    return median(waits) if waits else None
