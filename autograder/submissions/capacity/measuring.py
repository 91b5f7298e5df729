"""Measures real gradings in this process: everything that a worker does between two claims, except for the database."""

import time
from collections.abc import Callable, Sequence

from django.conf import settings

from autograder.judge import pack
from autograder.judge.diagnosis import explain, prediction
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.trace.traces import traces_of
from autograder.library.sandboxes import backend
from autograder.submissions.capacity.measured import Times

STORING = 0.006  # seconds that the database takes for a claim and a verdict, as measured by `tests.benchmarks.service`
WRONG_ONES = 4  # per exercise


def graded_here(slugs: Sequence[str], rounds: int, say: Callable[[str], object]) -> tuple[dict[str, list[Times]], float]:
    """Return the times of each exercise, and the seconds until the slowest profile was warm."""
    packs = [pack.load(pack.find(settings.EXERCISES, slug)) for slug in slugs]
    times: dict[str, list[Times]] = {}
    with Judge(backend()) as judge:
        warming = max(_warmed(judge, profile) for profile in sorted({one.settings.profile for one in packs}))
        for exercise in packs:
            sources = [exercise.solution, exercise.starter, *list(exercise.wrong.values())[:WRONG_ONES]]
            judge.grade(exercise, exercise.solution, 1)  # trigger lazy loading before the measurement
            times[exercise.slug] = [_timed(judge, exercise, source, n) for n in range(rounds) for source in sources]
            say(f"{exercise.slug}: {len(times[exercise.slug])} gradings")
    return times, warming


def _warmed(judge: Judge, profile: str) -> float:
    began = time.perf_counter()
    judge.sandbox(profile).wait_until_warm()
    return time.perf_counter() - began


def _timed(judge: Judge, exercise: Pack, source: bytes, seed: int) -> Times:
    began = time.perf_counter()
    report = judge.grade(exercise, source, seed)
    verdict = time.perf_counter() - began
    traces_of(judge, exercise, source, report)
    known = prediction.ready(exercise, settings.CACHE / "diagnosis")
    if known is not None:
        explain(judge, exercise, source, report, dictionary=known)
    return Times(verdict + STORING, time.perf_counter() - began + 2 * STORING)
