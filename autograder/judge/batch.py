"""Grades many files on several warm slots, and hands the reports back in the order of the files."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from sandbox.backends.base import Backend
from sandbox.errors import LayerMissing, SandboxError
from sandbox.selfcheck import canary, missing_layers

Job = tuple[str, bytes, int | None]  # the exercise's folder, the source, the seed
AHEAD = 4

_judge: Judge
_packs: dict[str, Pack]
_trouble: Exception | None = None


def prepare(judge: Judge, profiles: Sequence[str]) -> None:
    """Start the zygotes and refuse to go on when a layer of the sandbox does not hold."""
    with canary():
        for profile in profiles:
            judge.sandbox(profile).start()
    for profile in profiles:
        box = judge.sandbox(profile)
        for finding in missing_layers(box):
            if finding.layer in judge.backend.layers:
                raise LayerMissing(finding.layer, f"{finding.seen}. To get it: {finding.cure}")


def grade_all(backend: Backend, folders: Sequence[Path], jobs: Sequence[Job], slots: int = 1) -> Iterator[Report]:
    """Reports in the order of `jobs`. With one slot everything happens in this process."""
    if slots <= 1:
        yield from _here(backend, folders, jobs)
        return
    context = multiprocessing.get_context("spawn")  # the judge has torch in it: it is never forked
    start = (backend, tuple(folders))
    with ProcessPoolExecutor(slots, context, _start_slot, start) as pool:
        waiting: list[Future[Report]] = []
        todo = iter(jobs)
        try:
            for job in todo:
                waiting.append(pool.submit(_grade_in_slot, job))
                if len(waiting) >= slots * AHEAD:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()
        except BrokenProcessPool as error:
            raise SandboxError("a grading process was ended from outside; start the command again") from error


def _here(backend: Backend, folders: Sequence[Path], jobs: Sequence[Job]) -> Iterator[Report]:
    with Judge(backend) as judge:
        packs = _ready(judge, folders)
        for folder, source, seed in jobs:
            yield judge.grade(packs[folder], source, seed)


def _ready(judge: Judge, folders: Sequence[Path]) -> dict[str, Pack]:
    """The zygote warms up while this process imports what the checks import."""
    profiles = sorted({pack.profile_of(folder) for folder in folders})
    with canary():
        for profile in profiles:
            judge.sandbox(profile).start()
    packs = {str(folder): pack.load(folder) for folder in folders}
    prepare(judge, profiles)
    for exercise in packs.values():
        rehearse(judge, exercise)
    return packs


def rehearse(judge: Judge, exercise: Pack) -> None:
    """Grade the exercise's own solution: imports what is lazy, and finds an exercise that fails itself."""
    report = judge.grade(exercise, exercise.solution, seed=0)
    if report.verdict != "passed":
        failed = next((f"{check.id}: {check.message}" for check in report.checks if not check.passed), report.message)
        raise pack.PackError(
            f"exercise {exercise.slug} fails its own solution ({report.verdict}); {' '.join(failed.split())}"
        )


def _start_slot(backend: Backend, folders: Sequence[Path]) -> None:
    """What goes wrong here is told by the first grading: an initialiser cannot."""
    global _judge, _packs, _trouble
    try:
        _judge = Judge(backend)
        _packs = _ready(_judge, folders)
    except (SandboxError, pack.PackError) as error:
        _trouble = error


def _grade_in_slot(job: Job) -> Report:
    if _trouble is not None:
        raise _trouble
    folder, source, seed = job
    return _judge.grade(_packs[folder], source, seed)
