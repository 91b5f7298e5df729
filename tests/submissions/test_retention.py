"""The size of a stored grading is bounded, and runs are deleted after some time."""

import json
from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone

from autograder.judge.report import Report
from autograder.judge.text import CUT, OUTPUT_LIMIT
from autograder.submissions import tasks
from autograder.submissions.comments import comment_add
from autograder.submissions.grader import store
from autograder.submissions.models import Event, Grading, Kind, Submission, Work
from autograder.submissions.retention import MAX_OUTPUT, MAX_TRACES, RUN_RETENTION, kept_report, kept_traces, sweep_runs
from autograder.submissions.work.queue import claim
from autograder.submissions.work.work_item import work_item_of
from tests.cast import Cast
from tests.web.conftest import checked, grade, reported

pytestmark = pytest.mark.django_db


def stored(report: Report) -> int:
    return len(json.dumps(msgspec.to_builtins(report)))


@pytest.mark.parametrize("letter", ["x", "\n", "é", "\N{GRINNING FACE}", '"'])
def test_what_was_printed_is_cut_for_the_grading_as_a_whole(letter: str) -> None:
    """Every check may print, and some characters take twelve bytes when stored."""
    printed = letter * OUTPUT_LIMIT
    kept = kept_report(reported(*(checked(f"c{n}", stdout=printed) for n in range(13)), stdout=printed))
    silent = reported(*(checked(f"c{n}") for n in range(13)))
    assert stored(kept) - stored(silent) < MAX_OUTPUT + 14 * 2 * len(CUT)
    assert kept.stdout.startswith(letter) and kept.checks[-1].stdout == CUT


def test_honest_output_is_kept_as_it_is() -> None:
    report = reported(checked("one", stdout="a\n" * 1000), checked("two", stdout="é"), stdout="hello")
    assert kept_report(report) == report


def test_output_is_truncated_when_a_verdict_is_stored() -> None:
    cast = Cast()
    cast.hands_in("ada")
    claimed = claim("worker")
    assert claimed is not None
    store(work_item_of(claimed), reported(*(checked(f"c{n}", stdout="x" * OUTPUT_LIMIT) for n in range(13))), "worker")
    assert len(json.dumps(Grading.objects.get().report)) < 2 * MAX_OUTPUT


def test_traces_are_kept_up_to_the_limit() -> None:
    large, small = {"steps": "x" * (MAX_TRACES - 100)}, {"steps": "x" * 200}
    assert kept_traces([small, small]) == [small, small]
    assert kept_traces([large, small]) == [large]
    assert kept_traces([{"steps": "x" * MAX_TRACES}, small, large]) == [small], "what does not fit takes no place"


# -- runs -----------------------------------------------------------------------------------------------------------------


def handed_in(cast: Cast, kind: Kind, age: timedelta, graded: bool = True) -> Submission:
    submission = cast.hands_in("ada", b"x = 1\n", kind)
    Submission.objects.filter(pk=submission.pk).update(submitted_at=timezone.now() - age)
    if graded:
        grade(submission, reported(checked("one")))
        Work.objects.filter(submission=submission).update(state="done", ended_at=timezone.now(), lease_until=None)
    return submission


def test_old_runs_are_deleted_with_their_data_and_nothing_else_is() -> None:
    cast, old = Cast(), RUN_RETENTION + timedelta(days=1)
    gone = handed_in(cast, Kind.RUN, old)
    said = handed_in(cast, Kind.RUN, old)
    comment_add(submission=said, by=cast.staff, text="Why?")
    kept = [
        said,
        handed_in(cast, Kind.RUN, RUN_RETENTION - timedelta(days=1)),
        handed_in(cast, Kind.RUN, old, graded=False),
        handed_in(cast, Kind.SUBMIT, old),
    ]
    assert sweep_runs() == 1
    assert list(Submission.objects.order_by("id")) == kept
    assert not any(model.objects.filter(submission_id=gone.pk).exists() for model in (Grading, Work, Event))
    assert Grading.objects.count() == 3


def test_the_scheduler_sweeps_them() -> None:
    handed_in(Cast(), Kind.RUN, RUN_RETENTION + timedelta(days=1))
    tasks.sweep()
    assert not Submission.objects.exists()
