"""Explains gradings whose verdict is stored: immediately afterwards, or later, once the mistakes of the exercise have been learned.

Errors here never affect a verdict. A submission's answers can still make an explanation slow, so the sandbox has a time
limit for all its questions, the examiner has one for its CPU time, and a grading whose explanation failed twice, with its
worker or with the sandbox, gets no explanation.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from autograder.examiner.examiners import Examination, ExaminerError, Examiners
from autograder.explain.diagnosis import Explanation, can_be_explained, prediction
from autograder.judge.introspection import uses_of
from autograder.judge.pack import PackError
from autograder.judge.report import Report
from autograder.library.versions import StoredExercise, exercise_of
from autograder.submissions.messages import events
from autograder.submissions.models import Grading, Kind
from autograder.submissions.retention import kept_traces
from autograder.submissions.selectors import EXPLAINED_AT_ONCE
from sandbox.errors import SandboxError

log = logging.getLogger("gradus.explanations")
BATCH_SIZE = 200  # gradings examined per pass
MAX_TRIES = 2
TRY_TAKES = timedelta(minutes=1)  # at most, by far: a try that is older has ended with its worker
STOPPED = "The search for the mistake could not be finished. The result is not affected."


def explain_grading(
    examination: Examination, grading: Grading, exercise: StoredExercise, source: bytes, report: Report
) -> bool:
    """Store the traces and explanations of a grading, and where its file looks at what runs beside it.

    Returns False if the mistakes of its exercise have not been learned yet, or if the sandbox failed at the first try. The
    grading then stays unexplained, and `unexplained` returns it when it can be explained.
    """
    known = prediction.ready_file(exercise.content, settings.CACHE / "diagnosis")
    found: tuple[Explanation, ...] = ()
    traces: list[dict[str, Any]] = []
    looks = msgspec.to_builtins(uses_of(source))
    try:
        traces = kept_traces(msgspec.to_builtins(examination.trace(source, report)))
    except (SandboxError, ExaminerError) as error:
        return _left_to_the_next_try(grading, error)
    except Exception:
        log.exception("the backward passes of submission %s could not be traced", grading.submission_id)
    if can_be_explained(report):  # traces of public checks come as soon as where there is nothing to explain
        Grading.objects.filter(pk=grading.pk).update(traces=traces, introspection=looks)
        if known is None:  # learning may take a minute, which is too long to wait here
            return False
    try:
        if known is not None:
            found = examination.explain(source, report, known.read_bytes())
    except (SandboxError, ExaminerError) as error:
        return _left_to_the_next_try(grading, error)
    except Exception:
        log.exception("submission %s could not be explained", grading.submission_id)
    _store(grading, traces=traces, diagnosis=msgspec.to_builtins(found), introspection=looks)
    return True


def _left_to_the_next_try(grading: Grading, error: Exception) -> bool:
    log.warning("the sandbox failed while submission %s was explained: %s", grading.submission_id, error)
    return False


def _store(grading: Grading, **found: object) -> None:
    Grading.objects.filter(pk=grading.pk).update(**found, explained_at=timezone.now())
    if grading.why != Grading.Why.REGRADE:  # a preview is visible to staff only
        events.tell(grading.submission_id, "explained")


def unexplained() -> Iterator[Grading]:
    """Yield gradings that can be explained now, newest first."""
    now = timezone.now()
    free = Q(explanation_tried_at=None) | Q(explanation_tried_at__lt=now - TRY_TAKES)
    left = Grading.objects.filter(free, explained_at=None, graded_at__lt=now - EXPLAINED_AT_ONCE)
    ready: dict[int, bool] = {}
    for grading in left.select_related("submission").order_by("-graded_at")[:BATCH_SIZE]:
        if grading.version_id not in ready:
            ready[grading.version_id] = _learned(grading.version_id)
        if ready[grading.version_id] or not can_be_explained(msgspec.convert(grading.report, Report)):
            yield grading


def explain_stored(examiners: Examiners, grading: Grading) -> bool:
    """Explain a stored grading, again or for the first time, after its worker died or its mistakes had not been learned.

    Only one worker explains it at a time. A grading that killed its worker at every try is stored without an explanation.
    """
    report = msgspec.convert(grading.report, Report)
    if not _claim(grading):
        return False
    if grading.explanation_tries >= MAX_TRIES:
        log.error("the explanation of submission %s was given up after %s tries", grading.submission_id, MAX_TRIES)
        found = (Explanation("", STOPPED),) if can_be_explained(report) else ()
        _store(grading, diagnosis=msgspec.to_builtins(found))
        return False
    exercise, only_public = exercise_of(grading.version_id), grading.submission.kind == Kind.RUN
    with examiners.examination(exercise.content, exercise.checks, only_public=only_public) as examination:
        return explain_grading(examination, grading, exercise, bytes(grading.submission.source), report)


def _claim(grading: Grading) -> bool:
    """Whether no other worker has started to explain it since it was read."""
    unchanged = Grading.objects.filter(pk=grading.pk, explained_at=None, explanation_tries=grading.explanation_tries)
    return bool(unchanged.update(explanation_tries=grading.explanation_tries + 1, explanation_tried_at=timezone.now()))


def _learned(version_id: int) -> bool:
    try:
        return prediction.ready_file(exercise_of(version_id).content, settings.CACHE / "diagnosis") is not None
    except PackError:  # of another code version, whose workers explain it
        return False
