"""Measures real gradings on this machine: everything that a busy worker does between two claims, except for the database."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings

from autograder.examiner.examiners import Examiners
from autograder.explain.diagnosis import prediction
from autograder.judge import pack
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import Content
from autograder.library.sandboxes import backend
from sandbox.packages import EXAMINER
from tools.capacity.service_times import GradingTimes, ServiceTimes, service_times

STORING = 0.006  # seconds that the database takes for a claim and a verdict, as measured by `bench.service`
USUAL_WAKEUP_DELAY = 0.05
MAX_WRONG = 4  # wrong submissions per exercise


@dataclass(frozen=True)
class Exercise:
    content: Content
    checks: tuple[ListedCheck, ...]


def of_this_machine(slugs: Sequence[str], rounds: int, say: Callable[[str], object]) -> ServiceTimes:
    """Grade the solution, the starter and the known wrong submissions of these exercises like a worker, and measure the times."""
    contents = [pack.read(pack.find(settings.EXERCISES, slug)) for slug in slugs]
    times: dict[str, list[GradingTimes]] = {}
    with Examiners(backend()) as examiners:
        profiles = [EXAMINER, *sorted({content.settings.profile for content in contents})]
        warm_up = max(_warm_up(examiners, profile) for profile in profiles)
        for content in contents:
            exercise = Exercise(content, examiners.checks_of(content))
            sources = [content.solution, content.starter, *list(content.wrong.values())[:MAX_WRONG]]
            times[content.slug] = [_timed(examiners, exercise, source, n) for n in range(rounds) for source in sources]
            say(f"{content.slug}: {len(times[content.slug])} gradings")
    return service_times("real gradings on one machine", times, wakeup_delay=USUAL_WAKEUP_DELAY, warm_up=warm_up)


def _warm_up(examiners: Examiners, profile: str) -> float:
    began = time.perf_counter()
    examiners.sandbox(profile).wait_until_warm()
    return time.perf_counter() - began


def _timed(examiners: Examiners, exercise: Exercise, source: bytes, seed: int) -> GradingTimes:
    began = time.perf_counter()
    with examiners.examination(exercise.content, exercise.checks) as examination:
        report = examination.grade(source, seed)
        verdict = time.perf_counter() - began
        examination.trace(source, report)
        known = prediction.ready_file(exercise.content, settings.CACHE / "diagnosis")
        if known is not None:
            examination.explain(source, report, known.read_bytes())
    return GradingTimes(verdict + STORING, time.perf_counter() - began + 2 * STORING)
