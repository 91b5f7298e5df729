"""Measures real gradings in this process: everything that a worker does between two claims, except for the database."""

import time
from collections.abc import Callable, Sequence

from django.conf import settings

from autograder.explain.diagnosis import explain, prediction
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.library.sandboxes import backend
from autograder.trace.traces import traces_of
from tools.capacity.service_times import GradingTimes, ServiceTimes, service_times

STORING = 0.006  # seconds that the database takes for a claim and a verdict, as measured by `bench.service`
USUAL_WAKEUP_DELAY = 0.05
MAX_WRONG = 4  # wrong submissions per exercise


def of_this_machine(slugs: Sequence[str], rounds: int, say: Callable[[str], object]) -> ServiceTimes:
    """Grade the solution, the starter and the known wrong submissions of these exercises like a worker, and measure the times."""
    packs = [pack.load(pack.find(settings.EXERCISES, slug)) for slug in slugs]
    times: dict[str, list[GradingTimes]] = {}
    with Judge(backend()) as judge:
        warm_up = max(_warm_up(judge, profile) for profile in sorted({exercise.settings.profile for exercise in packs}))
        for exercise in packs:
            sources = [exercise.solution, exercise.starter, *list(exercise.wrong.values())[:MAX_WRONG]]
            judge.grade(exercise, exercise.solution, 1)  # trigger lazy loading before the measurement
            times[exercise.slug] = [_timed(judge, exercise, source, n) for n in range(rounds) for source in sources]
            say(f"{exercise.slug}: {len(times[exercise.slug])} gradings")
    return service_times("real gradings on one machine", times, wakeup_delay=USUAL_WAKEUP_DELAY, warm_up=warm_up)


def _warm_up(judge: Judge, profile: str) -> float:
    began = time.perf_counter()
    judge.sandbox(profile).wait_until_warm()
    return time.perf_counter() - began


def _timed(judge: Judge, exercise: Pack, source: bytes, seed: int) -> GradingTimes:
    began = time.perf_counter()
    report = judge.grade(exercise, source, seed)
    verdict = time.perf_counter() - began
    known = prediction.ready(exercise, settings.CACHE / "diagnosis")
    with Replay(judge, exercise, source) as replay:
        traces_of(replay, report)
        if known is not None:
            explain(replay, report, known)
    return GradingTimes(verdict + STORING, time.perf_counter() - began + 2 * STORING)
