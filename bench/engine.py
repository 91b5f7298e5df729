"""`make bench`: how fast and how small the engine is, as ratios measured in one run on this machine.

Prints what was measured against what must be reached, also what missed it. Page not found is a test: machines are noisy.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from autograder.examiner.examiners import Examiners
from autograder.explain.batch import GradingRequest, Slots, grade, rehearse
from autograder.judge import pack
from autograder.judge.arrays import tensor
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.library.sandboxes import backend
from bench.inline import InlineJudge
from sandbox.host import Sandbox
from sandbox.selfcheck import children, descendants
from tests.conftest import EXERCISES, SLUGS

WARM_ROUNDS, FRESH_ROUNDS, MIXED = 60, 5, 200
EXAMINED = ("value-engine", "fn-cubic", "tensor-matmul", "vjp-attention")  # from cheap to dear
OPENING_SECONDS = 0.2  # in which an examiner that is prepared has opened its exercise
MIB = 1 << 20


def main() -> None:
    packs = {slug: pack.load(pack.find(EXERCISES, slug)) for slug in SLUGS}
    print(f"{'what':<66} {'measured':>18} {'must reach':>16}")
    with Judge(backend()) as judge:
        cubic, engine = packs["fn-cubic"], packs["value-engine"]
        for exercise in (cubic, engine):
            rehearse(judge, exercise)
        against_fresh_process(judge, cubic)
        against_no_sandbox(judge, cubic)
        against_fork(judge, engine)
        memory(judge, cubic)
        with Examiners(backend()) as examiners:
            for slug in EXAMINED:
                examined(judge, examiners, packs[slug])
    throughput(packs)


def row(what: str, measured: str, wanted: str, reached: bool) -> None:
    print(f"{what:<66} {measured:>18} {wanted:>16} {'' if reached else '  MISSED'}", flush=True)


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """Median time of a call."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * median(times)


def against_fresh_process(judge: Judge, cubic: Pack) -> None:
    fresh, warm = [], []
    for _ in range(FRESH_ROUNDS):  # in turn, so that a slow minute of the machine hits both
        command = [sys.executable, "-m", "bench.inline", cubic.slug]
        fresh.append(milliseconds(lambda command=command: subprocess.run(command, check=True), 1))  # type: ignore[misc]
        warm.append(milliseconds(lambda: judge.grade(cubic, cubic.solution, 1), 10))
    ratio = median(fresh) / median(warm)
    print(f"  fn-cubic: fresh process {median(fresh):.0f} ms, warm in the sandbox {median(warm):.1f} ms")
    row("fn-cubic warm, against a fresh process that imports torch", f"{ratio:.0f} x faster", "at least 25 x", ratio >= 25)


def against_no_sandbox(judge: Judge, cubic: Pack) -> None:
    inline = InlineJudge(cubic)
    inline.grade(cubic.solution, 1)
    bare = milliseconds(lambda: inline.grade(cubic.solution, 1), WARM_ROUNDS)
    warm = milliseconds(lambda: judge.grade(cubic, cubic.solution, 1), WARM_ROUNDS)
    print(f"  fn-cubic: same checks in this process {bare:.1f} ms, in the sandbox {warm:.1f} ms")
    row(
        "fn-cubic warm, against the same checks without a sandbox",
        f"{warm / bare:.1f} x slower",
        "at most 6 x",
        warm <= 6 * bare,
    )


def against_fork(judge: Judge, engine: Pack) -> None:
    box = judge.sandbox(engine.settings.profile)
    forks, warm = [], []
    for _ in range(6):
        assert isinstance(box, Sandbox)
        forks.append(1000 * median(box.fork_bare() for _ in range(10)))
        warm.append(milliseconds(lambda: judge.grade(engine, engine.solution, 1), 10))
    ratio = median(warm) / median(forks)
    print(f"  value-engine: fork and exit {median(forks):.2f} ms, graded {median(warm):.2f} ms")
    row("value-engine, against a bare fork and exit of its zygote", f"{ratio:.1f} x", "at most 6 x", ratio <= 6)


def memory(judge: Judge, cubic: Pack) -> None:
    box = judge.sandbox(cubic.settings.profile)
    with box.session(cubic.limits(box.limits)) as session:
        session.load(cubic.solution, 1, cubic.entry_points)
        Student(session).operate("function.nth", tensor([0.5]), name="Cubic", order=3)
        zygote = next(pid for pid in reversed(descendants(box.launcher_pid or 0)) if children(pid))
        job = children(zygote)[0]
        private = _field(f"/proc/{job}/smaps_rollup", "Private_Dirty") + _field(f"/proc/{job}/smaps_rollup", "Private_Clean")
        slot = _field(f"/proc/{zygote}/status", "VmRSS") + _field(f"/proc/{os.getpid()}/status", "VmRSS")
    row("private memory of one submission", f"{private / MIB:.1f} MB", "under 20 MB", private < 20 * MIB)
    row("zygote and judge together (torch)", f"{slot / MIB:.0f} MB", "under 700 MB", slot < 700 * MIB)


def _field(path: str, name: str) -> int:
    with open(path) as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))


def examined(judge: Judge, examiners: Examiners, exercise: Pack) -> None:
    """The checks in an examiner, as in a worker, against the same checks in this process: a verdict of a worker that had
    nothing else to do, and the computing of one that is busy."""
    content, checks = pack.read(exercise.folder), [check.listed for check in exercise.checks]

    def here() -> None:
        judge.grade(exercise, exercise.solution, 1)

    def walled() -> None:
        with examiners.examination(content, checks) as examination:
            assert examination.grade(exercise.solution, 1).verdict == "passed"

    bare, behind = [], []
    for _ in range(WARM_ROUNDS // 4):
        bare.append(milliseconds(here, 1))
        examiners.prepare()
        time.sleep(OPENING_SECONDS)
        behind.append(milliseconds(walled, 1))
    ratio, what = median(behind) / median(bare), f"{exercise.slug}: with an examiner, against checks in this process"
    row(f"{what}, verdict", f"{ratio:.2f} x", "at most 1.15 x", ratio <= 1.15)
    begun = computed()
    for _ in range(WARM_ROUNDS // 2):
        here()
    between = computed()
    for _ in range(WARM_ROUNDS // 2):
        walled()
    ratio = (computed() - between) / (between - begun)
    row(f"{what}, computing", f"{ratio:.2f} x", "at most 1.15 x", ratio <= 1.15)


def throughput(packs: dict[str, Pack]) -> None:
    """Right and wrong submissions of all exercises in turn, on two slots. The slots are warm when the clock starts."""
    sources = [
        (exercise.folder, GradingRequest(source))
        for exercise in packs.values()
        for source in (exercise.solution, *exercise.right.values(), *_quick(exercise))
    ]
    jobs = list(islice(cycle(sources), MIXED + 2))
    rate, each = _rate(jobs)
    row(f"throughput, {MIXED} mixed submissions on 2 slots", f"{rate:.0f} per second", "at least 12", rate >= 12)
    row("  computing for one of them, judge and sandbox", f"{1000 * each:.0f} ms", "at most 60 ms", each <= 0.06)
    careless = [(folder, _endless(folder) if n % 20 == 19 else one) for n, (folder, one) in enumerate(jobs)]
    slower, _ = _rate(careless)
    row("the same with an endless loop in every twentieth", f"{slower / rate:.0%}", "at least 60%", slower >= 0.6 * rate)


def _rate(jobs: list[tuple[Path, GradingRequest]]) -> tuple[float, float]:
    """Submissions a second, and what one costs in computing."""
    with Slots(backend(), list({folder: None for folder, _ in jobs}), 2) as slots:
        reports = slots.map(grade, jobs)
        next(reports), next(reports)
        start, begun = time.perf_counter(), computed()
        count = sum(1 for _ in reports)
        return count / (time.perf_counter() - start), (computed() - begun) / count


def computed() -> float:
    """Seconds of computing by this process, all below it, and all that those have waited for."""
    ticks = 0
    for pid in (os.getpid(), *descendants(os.getpid())):
        with suppress(OSError), open(f"/proc/{pid}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _endless(folder: Path) -> GradingRequest:
    """Whatever is called never returns."""
    names = pack.load(folder).entry_points
    return GradingRequest(
        "\n".join(["def endless(*_, **__):\n    while True: pass", *(f"{n} = endless" for n in names)]).encode()
    )


def _quick(exercise: Pack) -> list[bytes]:
    """Wrong submissions without those that are made to run into a limit."""
    return [source for name, source in exercise.wrong.items() if name != "duplicates-shared"]


if __name__ == "__main__":
    main()
