"""A course whose assignment is worth 10 points, and submissions that are graded without a sandbox."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from autograder.submissions.messages import doorbell
from autograder.submissions.models import Grading, Kind, Submission, Work
from autograder.submissions.work import queue
from tests.cast import Cast


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_regrades", lambda: None)
    yield


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


def graded(
    cast: Cast, name: str, score: float, at: datetime | None = None, kind: Kind = Kind.SUBMIT, **grading: Any
) -> Submission:
    """Create a submission of the student at that time, graded with this score out of 10."""
    submission = cast.hands_in(name, b"x = 1\n", kind)
    handed_in = at or timezone.now()
    Submission.objects.filter(pk=submission.pk).update(submitted_at=handed_in)
    submission.work.update(queued_at=handed_in)
    add_grading(submission, submission.work.get(), score, **grading)
    submission.refresh_from_db()
    return submission


def add_grading(submission: Submission, work: Work, score: float, **changed: Any) -> Grading:
    work.state, work.ended_at = queue.State.DONE, timezone.now()
    work.save()
    given = {
        "current": True,
        "why": Grading.Why.FIRST,
        "seed": 1,
        "verdict": "partial",
        "max_score": 10,
        "seconds": 0.1,
        "report": {},
        "worker": "w",
        "graded_at": timezone.now(),
    }
    return Grading.objects.create(
        submission=submission, work=work, version=submission.assignment.exercise_version, score=score, **(given | changed)
    )
