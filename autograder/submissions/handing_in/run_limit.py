"""The rate limit for running code without submitting it, shared by runs and scratch runs."""

from datetime import datetime, timedelta

from autograder.courses.errors import TooOften
from autograder.courses.models import Membership
from autograder.submissions.models import Kind, ScratchRun, Submission

RUNS, RUNS_PER = 12, timedelta(minutes=1)


def refuse_too_many_runs(membership: Membership, now: datetime) -> None:
    """Raise `TooOften` above the limit. Call it with the membership locked, because two concurrent runs could both pass."""
    since = now - RUNS_PER
    runs = Submission.objects.filter(membership=membership, kind=Kind.RUN, submitted_at__gt=since)
    scratch_runs = ScratchRun.objects.filter(membership=membership, asked_at__gt=since)
    times = runs.order_by().values_list("submitted_at").union(scratch_runs.order_by().values_list("asked_at"), all=True)
    recent = sorted((at for (at,) in times), reverse=True)
    if len(recent) >= RUNS:
        words = f"You have reached the limit of {RUNS} runs per minute. Wait a moment, and read your last result meanwhile."
        raise TooOften(words, (recent[RUNS - 1] + RUNS_PER - now).total_seconds())
