"""What is kept of a grading, and for how long a run is.

A student may run code thirty times a minute, and what it prints is the student's choice. Submissions, and their gradings, are kept
for good; so what one grading adds to the database is bounded here, and runs end.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from msgspec.structs import replace

from autograder.judge.report import CheckResult, Report
from autograder.judge.text import CUT
from autograder.submissions.models import Grading, Kind, Submission, Work

MAX_OUTPUT = 64 * 1024  # bytes as they are stored, for all that was printed during one grading
MAX_TRACES = 256 * 1024
RUN_RETENTION = timedelta(days=60)
BATCH_SIZE = 200  # runs that are deleted in one transaction


def kept_report(report: Report) -> Report:
    """With what was printed while the file was loaded and during each check, in this order, as far as there is room."""
    stdout = _cut(report.stdout, MAX_OUTPUT)
    left = MAX_OUTPUT - _size(stdout)
    checks: list[CheckResult] = []
    for check in report.checks:
        checks.append(replace(check, stdout=_cut(check.stdout, max(0, left))))
        left -= _size(checks[-1].stdout)
    return replace(report, stdout=stdout, checks=tuple(checks))


def kept_traces(traces: Sequence[Any]) -> list[Any]:
    """As many backward passes as there is room for. The pages of the others have no player."""
    kept, left = [], MAX_TRACES
    for trace in traces:
        left -= len(json.dumps(trace))
        if left >= 0:
            kept.append(trace)
    return kept


def sweep_runs(now: datetime | None = None) -> int:
    """Delete old runs with all that belongs to them, but not where staff wrote a comment; how many there were."""
    old = Submission.objects.filter(kind=Kind.RUN, submitted_at__lt=(now or timezone.now()) - RUN_RETENTION, comments=None)
    ended = old.exclude(work__state__in=(Work.State.QUEUED, Work.State.RUNNING)).order_by("submitted_at")
    done = 0
    while runs := list(ended.values_list("pk", flat=True)[:BATCH_SIZE]):
        with transaction.atomic():
            Grading.objects.filter(submission__in=runs).delete()
            Work.objects.filter(submission__in=runs).delete()
            Submission.objects.filter(pk__in=runs).delete()
        done += len(runs)
    return done


def _size(text: str) -> int:
    return len(json.dumps(text)) - 2


def _cut(text: str, room: int) -> str:
    if (size := _size(text)) <= room:
        return text
    while size > room:  # letters take from one to twelve bytes
        text = text[: len(text) * room // size]
        size = _size(text)
    return text + CUT
