"""Runs many gradings on several worker processes and returns the results in order.

A slot is a process with its own judge and sandboxes. With a single slot, everything runs in the calling process.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from autograder.explain.diagnosis import Explanation, can_be_explained, explain, prediction
from autograder.judge import pack
from autograder.judge.grade import Judge, Slot
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.judge.report import Report
from autograder.trace.model import Trace
from autograder.trace.traces import traces_of
from sandbox.backends.base import Backend
from sandbox.errors import LayerMissing, SandboxError
from sandbox.selfcheck import LayerFinding, canary, missing_layers
from sandbox.wire import Limits

AHEAD = 4
TRACE_SECONDS = 3.0  # long enough for all traces on a busy machine, for somebody who runs the command
Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Judge, Pack, Item], Result]


@dataclass(frozen=True)
class GradingRequest:
    """A source to grade, optionally with a seed to repeat a grading and with limits below the exercise's."""

    source: bytes
    seed: int | None = None
    ceiling: Limits | None = None


class Slots:
    """A pool of warm processes for a set of exercises.

    `rehearse` grades each exercise's own solution first; `apart` uses a separate process even for a single slot.
    """

    def __init__(
        self, backend: Backend, folders: Sequence[Path], count: int = 1, *, rehearse: bool = True, apart: bool = False
    ) -> None:
        self._apart = apart or count > 1
        self._start = (backend, tuple(folders), rehearse)
        self.count = count
        self._stack = ExitStack()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Slots":
        if not self._apart:
            self._stack.callback(_close_slot)
            _open_slot(*self._start)
        else:
            context = multiprocessing.get_context("spawn")  # the judge has imported torch, so it must not be forked
            self._pool = ProcessPoolExecutor(self.count, context, _start_slot, self._start)
            self._stack.enter_context(self._pool)
            for _ in range(self.count):
                self._pool.submit(os.getpid)  # start the processes now, with the current environment
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def call(self, work: Work[Item, Result], folder: Path, item: Item) -> Result:
        """Runs `work(judge, exercise, item)` and returns its result."""
        return next(self.map(work, [(folder, item)]))

    def submit(self, work: Work[Item, Result], folder: Path, item: Item) -> Future[Result]:
        """Schedules `work(judge, exercise, item)` on the next free process of the pool."""
        assert self._pool is not None, "a pool of its own: more than one slot, or apart"
        return self._pool.submit(_in_slot, work, folder, item)

    def map(self, work: Work[Item, Result], items: Iterable[tuple[Path, Item]]) -> Iterator[Result]:
        """Yields `work(judge, exercise, item)` for every `(folder, item)`, in order. `work` must be a module-level function."""
        if self._pool is None:
            for folder, item in items:
                yield _in_slot(work, folder, item)
            return
        waiting: list[Future[Result]] = []
        try:
            for folder, item in items:
                waiting.append(self._pool.submit(_in_slot, work, folder, item))
                if len(waiting) >= self.count * AHEAD:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()
        except BrokenProcessPool as error:
            raise SandboxError("a grading process was killed; run the command again") from error


def grade(judge: Judge, exercise: Pack, submission: GradingRequest) -> Report:
    """Work for a slot: grades a submission."""
    return judge.grade(exercise, submission.source, submission.seed, submission.ceiling)


@dataclass(frozen=True)
class GradedSource:
    """A graded source to explain, with its report and the cache folder of the dictionaries, and whether to trace it too."""

    source: bytes
    report: Report
    cache: Path
    trace: bool = False
    explain: bool = True
    proved: prediction.EndingsOf = prediction.unproved


def explained(judge: Judge, exercise: Pack, graded: GradedSource) -> tuple[tuple[Trace, ...], tuple[Explanation, ...]]:
    """Work for a slot: the traces and the explanations of a graded submission."""
    explainable = graded.explain and can_be_explained(graded.report)
    known = prediction.load(judge, exercise, graded.cache, proved=graded.proved) if explainable else None
    with Replay(judge, exercise, graded.source) as replay:
        traces = traces_of(replay, graded.report, seconds=TRACE_SECONDS) if graded.trace else ()
        return traces, explain(replay, graded.report, known) if known is not None else ()


# -- in a slot ------------------------------------------------------------------------------------------------------------

_judge: Judge
_packs: dict[Path, Pack]
_trouble: Exception | None = None


def _start_slot(backend: Backend, folders: Sequence[Path], with_rehearsal: bool) -> None:
    """Prepares a slot. An error is kept and raised by the first work, because a pool initialiser cannot report it."""
    global _trouble
    try:
        _open_slot(backend, folders, with_rehearsal)
    except (SandboxError, pack.PackError) as error:
        _trouble = error


def _open_slot(backend: Backend, folders: Sequence[Path], with_rehearsal: bool) -> None:
    """Starts the zygotes and meanwhile imports what the checks import."""
    global _judge, _packs, _trouble
    _judge, _packs, _trouble = Judge(backend), {}, None
    profiles = sorted({pack.profile_of(folder) for folder in folders})
    with canary():
        for profile in profiles:
            _judge.sandbox(profile).start()
    _packs = {folder: pack.load(folder) for folder in folders}
    require_layers(_judge, profiles)
    if with_rehearsal:
        for exercise in _packs.values():
            rehearse(_judge, exercise)


def _close_slot() -> None:
    _judge.close()


def _in_slot(work: Work[Item, Result], folder: Path, item: Item) -> Result:
    if _trouble is not None:
        raise _trouble
    return work(_judge, _packs[folder], item)


def require_layers(slot: Slot, profiles: Sequence[str]) -> None:
    """Raises if a layer of the sandbox is not in effect."""
    for finding in layers_not_in_effect(slot, profiles):
        raise LayerMissing(finding.layer, f"{finding.seen}. To enable it: {finding.cure}")


def layers_not_in_effect(slot: Slot, profiles: Sequence[str]) -> Iterator[LayerFinding]:
    """The layers that the backend promises but that are not in effect, as far as a quick test can tell."""
    for profile in profiles:
        for finding in missing_layers(slot.sandbox(profile)):
            if finding.layer in slot.backend.layers:
                yield finding


def rehearse(judge: Judge, exercise: Pack) -> None:
    """Grades the exercise's own solution, to trigger lazy imports and to find an exercise whose solution fails."""
    report = judge.grade(exercise, exercise.solution, seed=0)
    if report.verdict != "passed":
        failed = next((f"{check.id}: {check.message}" for check in report.checks if not check.passed), report.message)
        words = " ".join(failed.split())
        raise pack.PackError(
            f"the solution of exercise {exercise.slug} does not pass its own checks ({report.verdict}): {words}"
        )
