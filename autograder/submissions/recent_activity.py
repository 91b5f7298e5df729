"""Recent submissions of a group of students and their waiting times, for staff who watch a class at work."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import QuerySet

from autograder.courses.models import Membership
from autograder.submissions.models import Grading, Kind, Submission, Work

LATEST = 10
MAX_EXAMINED = 500  # the newest submissions, which show the current waiting time
STATES = {
    Work.State.QUEUED: "waiting",
    Work.State.RUNNING: "waiting",
    Work.State.FAILED: "internal",
    Work.State.SUPERSEDED: "replaced",
}


@dataclass(frozen=True)
class Latest:
    """A submission and its state: a verdict, waiting, internal or replaced."""

    submission: Submission
    state: str
    share: float | None

    @property
    def is_run(self) -> bool:
        return self.submission.kind == Kind.RUN


def latest(students: QuerySet[Membership], count: int = LATEST) -> list[Latest]:
    """Return the latest submissions, newest first."""
    newest = Submission.objects.filter(membership__in=students).order_by("-submitted_at", "-id")
    numbers = list(newest.values_list("pk", flat=True)[:count])  # sorting whole rows would include the sources
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
    """Count the submissions and runs of these students without a verdict."""
    return Work.objects.filter(membership__in=students, batch=None, ended_at=None).count()


def retried_of(students: QuerySet[Membership], since: datetime) -> int:
    """Count the submissions and runs of these students that needed more than one try, because of an internal error."""
    graded = Work.objects.filter(membership__in=students, batch=None, state=Work.State.DONE, ended_at__gt=since)
    return graded.filter(tries__gt=1).count()


def usual_wait(students: QuerySet[Membership], since: datetime) -> float | None:
    """Return the median of the seconds from submission to verdict, or None if nothing was graded.

    Replayed submissions, which were queued later than they were submitted, are excluded.
    """
    newest = Submission.objects.filter(membership__in=students, submitted_at__gt=since).order_by("-submitted_at")
    # queried by id, because PostgreSQL underestimates the rows of the join
    gradings = Grading.objects.filter(submission_id__in=list(newest.values_list("pk", flat=True)[:MAX_EXAMINED])).order_by()
    times = gradings.exclude(why=Grading.Why.REGRADE).values_list("submission__submitted_at", "work__queued_at", "graded_at")
    waits = [(graded - handed_in).total_seconds() for handed_in, queued, graded in times if queued == handed_in]
    return median(waits) if waits else None
