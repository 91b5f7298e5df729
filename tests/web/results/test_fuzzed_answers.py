"""A part of every answer becomes something else: it is still traced, explained and shown, on every page and in a terminal."""

import logging
from io import StringIO

import pytest
from django.urls import reverse
from rich.console import Console

from autograder.explain.diagnosis import explain, prediction
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.library import terminal
from autograder.trace.traces import traces_of
from tests.cast import Cast
from tests.conftest import SLUGS
from tests.hostile.fuzz import CHANGES, fuzzed
from tests.web.conftest import Signed, browser_of, grade, page

pytestmark = [pytest.mark.hostile, pytest.mark.slow, pytest.mark.django_db]
SEED = 20


@pytest.mark.parametrize("slug", SLUGS)
def test_whatever_the_answer_is_it_is_explained_and_shown(
    slug: str,
    judge: Judge,
    packs: dict[str, Pack],
    cast: Cast,
    signed: Signed,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    exercise = packs[slug]
    known = prediction.dictionary_of(judge, exercise, ())
    change = list(CHANGES)[SLUGS.index(slug) % len(CHANGES)]
    with monkeypatch.context() as patched:
        patched.setattr(Student, "_ask", fuzzed(change, slug))
        report = judge.grade(exercise, exercise.solution, SEED)
        with Replay(judge, exercise, exercise.solution) as replay:
            traces, found = traces_of(replay, report), explain(replay, report, known)
    assert report.verdict in ("partial", "failed"), "no answer was changed"

    if slug != cast.exercise:
        cast.exercise, cast.assignment = slug, cast.assign(slug)
    submission = cast.hands_in("ada", exercise.solution)
    grade(submission, report, diagnosis=found, traces=traces)
    address = reverse("exercise", args=(cast.course.slug, slug))
    for failed in (check for check in report.checks if check.ending != "passed"):
        page(signed("ada"), f"{address}?s={submission.pk}&check={failed.id}")
    page(signed("ada"), reverse("outcome", args=(submission.pk,)))
    page(browser_of(cast.owner), reverse("submission", args=(cast.course.slug, submission.pk)))
    console = Console(file=StringIO(), width=100)
    terminal.show_report(console, "mine.py", report)
    terminal.show_traces(console, report, traces)
    terminal.show_explanations(console, report, found, traces)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
