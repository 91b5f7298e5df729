"""`python -m bench.containers`: the container sandbox beside bubblewrap, in one run, in turn. Needs an engine and the
images (`make images`)."""

import os
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

import docker

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from bench.engine import milliseconds, row
from sandbox.backends.base import Backend
from sandbox.backends.bubblewrap import Bubblewrap
from sandbox.backends.container import Container
from sandbox.host import Sandbox
from sandbox.pool import Pool
from tests.conftest import EXERCISES
from tests.servers import wait_for

ROUNDS, IN_A_ROUND = 12, 5
POOL = 4
EXTRA_MS = 150
SIZES = {"sandbox": 1300, "app": 400}


def main() -> None:
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'what':<66} {'measured':>18} {'must reach':>16}")
    exercises = [pack.load(pack.find(EXERCISES, slug)) for slug in ("value-engine", "fn-cubic")]
    with ExitStack() as opened:
        run = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="gradus-run-")))
        nested = Container("gradus-sandbox", 61234, run)
        for exercise in exercises:
            warm(exercise, nested)
        used_once(exercises[1], replace(nested, pool=POOL))
    sizes()


def warm(exercise: Pack, nested: Container) -> None:
    """Medians of rounds that take turns, so that a slow minute of the machine hits both."""
    times: dict[str, list[float]] = {"bubblewrap": [], "container": []}
    with Judge(Bubblewrap()) as one, Judge(nested) as other:
        judges = {"bubblewrap": one, "container": other}
        for judge in judges.values():
            judge.grade(exercise, exercise.solution, 1)
        for _ in range(ROUNDS):
            for name, judge in judges.items():
                times[name].append(milliseconds(lambda judge=judge: judge.grade(exercise, exercise.solution, 1), IN_A_ROUND))  # type: ignore[misc]
    ours, theirs = median(times["container"]), median(times["bubblewrap"])
    print(f"  {exercise.slug}: bubblewrap {theirs:.1f} ms, container {ours:.1f} ms")
    ratio = ours / theirs
    row(f"{exercise.slug} warm in a container, against bubblewrap", f"{ratio:.2f} x", "at most 2 x", ratio <= 2)


def used_once(exercise: Pack, single: Container) -> None:
    """A verdict while the pool is not empty; and how fast it fills with nothing else to do, against what a core can start."""
    with Judge(Bubblewrap()) as judge:
        judge.grade(exercise, exercise.solution, 1)
        shared = milliseconds(lambda: judge.grade(exercise, exercise.solution, 1), 20)
    with Judge(single) as judge:
        box = judge.sandbox(exercise.settings.profile)
        assert isinstance(box, Pool)
        times = []
        for _ in range(3):
            box.start()
            wait_for(lambda: box.waiting == POOL, "the pool is not filled")
            for _ in range(POOL // 2):
                times.append(milliseconds(lambda: judge.grade(exercise, exercise.solution, 1), 1))
        extra = median(times) - shared
        print(f"  {exercise.slug}: bubblewrap {shared:.1f} ms, a container used once {median(times):.1f} ms")
        row(
            "verdict from a pool that is not empty, beyond bubblewrap's",
            f"{extra:.0f} ms",
            f"under {EXTRA_MS} ms",
            extra < EXTRA_MS,
        )
        wait_for(lambda: box.waiting == POOL, "the pool is not filled")
    seconds = refill(single)
    alone = starting(Bubblewrap())
    print(f"  a zygote with torch: {alone:.1f} s without a container, {seconds:.1f} s each while a pool is filled")
    row("refill of a pool, against starting torch on a core", f"{seconds / alone:.1f} x", "printed", True)


def refill(single: Container) -> float:
    with Pool(single, "torch") as pool:
        start = time.monotonic()
        pool.start()
        wait_for(lambda: pool.waiting == POOL, "the pool is not filled")
        return (time.monotonic() - start) / POOL


def starting(backend: Backend) -> float:
    def once() -> None:
        with Sandbox(backend, "torch") as box:
            box.wait_until_warm()

    return milliseconds(once, 4) / 1000


def sizes() -> None:
    for name, most in SIZES.items():
        size = docker.from_env().images.get(f"gradus-{name}").attrs["Size"] / 1e6
        row(f"image gradus-{name}", f"{size:.0f} MB", f"under {most} MB", size < most)


if __name__ == "__main__":
    main()
