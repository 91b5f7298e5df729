"""Runs the jobs of a proof on two pools of slots.

The processes of the two pools have different hash seeds, inside and outside the sandbox. Jobs that must be deterministic run
in both.
"""

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from autograder.explain.batch import Slots
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.prove.jobs import ProofJob, work
from autograder.prove.memory import Memory
from sandbox.backends.base import HASH_SEED_VARIABLE, Backend

HASH_SEEDS = ("1", "2")
AHEAD = 2  # jobs queued in a pool for each of its slots
Progress = Callable[[int, int], None]
Results = Mapping[tuple[str, str], list[Any]]
Item = tuple[Path, ProofJob]
RunJobs = Callable[[Sequence[Item], Progress], Mapping[Path, Results]]


@contextmanager
def pools(backend: Backend, folders: Sequence[Path], slots: int) -> Iterator[list[Slots]]:
    """Two pools of processes with different hash seeds. They share the requested slots; each has at least one."""
    with ExitStack() as stack:
        opened = []
        for hash_seed in HASH_SEEDS:
            pool = Slots(backend, folders, max(1, slots // 2), rehearse=False, apart=True)
            with _environment(PYTHONHASHSEED=hash_seed, **{HASH_SEED_VARIABLE: hash_seed}):
                opened.append(stack.enter_context(pool))
        yield opened


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def run(opened: Sequence[Slots], jobs: Sequence[Item], progress: Progress) -> dict[Path, Results]:
    """Results by exercise, purpose and name. Each pool takes the next job as soon as it has room."""
    shared = deque(item for item in jobs if item[1].purpose != "flicker")
    own = [deque(item for item in jobs if item[1].purpose == "flicker") for _ in opened]
    of = len(shared) + sum(map(len, own))
    results: dict[Path, dict[tuple[str, str], list[Any]]] = defaultdict(lambda: defaultdict(list))
    running: dict[Future[Any], tuple[int, Item]] = {}
    room = [AHEAD * pool.count for pool in opened]
    done = 0
    progress(0, of)
    while True:
        for n, pool in enumerate(opened):
            while room[n] and (queue := shared or own[n]):
                folder, job = queue.popleft()
                running[pool.submit(work, folder, job)] = n, (folder, job)
                room[n] -= 1
        if not running:
            return dict(results)
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            n, (folder, job) = running.pop(future)
            room[n] += 1
            result = future.result()
            results[folder][job.purpose, job.name] += result if isinstance(result, list) else [result]
            done += 1
            progress(done, of)


def run_here(judge: Judge, exercise: Pack, memory: Memory, jobs: Sequence[Item], progress: Progress) -> dict[Path, Results]:
    """The same for one exercise, in this process, where jobs that must be deterministic run twice. What the memory knows is not
    done again."""
    results: dict[tuple[str, str], list[Any]] = defaultdict(list)
    progress(0, len(jobs))
    for done, (_, job) in enumerate(jobs, 1):
        result = memory.result(job, partial(_done_here, judge, exercise, job))
        results[job.purpose, job.name] += result if isinstance(result, list) else [result]
        progress(done, len(jobs))
    return {exercise.folder: results}


def _done_here(judge: Judge, exercise: Pack, job: ProofJob) -> Any:
    result = work(judge, exercise, job)
    return [*result, *work(judge, exercise, job)] if job.purpose == "flicker" else result
