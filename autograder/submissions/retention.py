"""Limits how much of a grading is stored, and how long a run is kept.

A student may run code many times a minute (see `run_limit`), and controls what it prints. Submissions and their gradings are
kept permanently, so this module bounds how much one grading adds to the database, and deletes old runs.
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

MAX_OUTPUT = 64 * 1024  # bytes as stored, for the output of one grading
MAX_TRACES = 256 * 1024
RUN_RETENTION = timedelta(days=60)
BATCH_SIZE = 200  # runs deleted per transaction


def kept_report(report: Report) -> Report:
    """Return the report with the output of loading the file and of each check, in this order, up to the limit."""
    stdout = _cut(report.stdout, MAX_OUTPUT)
    left = MAX_OUTPUT - _size(stdout)
    checks: list[CheckResult] = []
    for check in report.checks:
        checks.append(replace(check, stdout=_cut(check.stdout, max(0, left))))
        left -= _size(checks[-1].stdout)
    return replace(report, stdout=stdout, checks=tuple(checks))


def kept_traces(traces: Sequence[Any]) -> list[Any]:
    """Keep as many backward passes as fit. Pages show no player for the others."""
    stored, left = [], MAX_TRACES
    for trace in traces:
        size = len(json.dumps(trace))
        if size <= left:
            stored.append(trace)
            left -= size
    return stored


def sweep_runs(now: datetime | None = None) -> int:
    """Delete old runs and everything that belongs to them, except runs with comments. Returns how many were deleted."""
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
    while size > room:  # a character takes from one to twelve bytes
        text = text[: len(text) * room // size]
        size = _size(text)
    return text + CUT
