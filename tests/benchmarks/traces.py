"""`python -m tests.benchmarks.traces`: what the traces of a submission cost, over every file of the engine exercises."""

import time
from statistics import median

import msgspec

from autograder.judge import pack
from autograder.judge.batch import rehearse
from autograder.judge.grade import Judge
from autograder.judge.trace.traces import BYTES
from sandbox.backends.bubblewrap import Bubblewrap
from tests.benchmarks.engine import row
from tests.conftest import EXERCISES
from tests.judge.replays import submission_traces

SEED = 20


def main() -> None:
    seconds, sizes = [], [0]
    print(f"{'traces':<66} {'measured':>18} {'must reach':>16}")
    with Judge(Bubblewrap()) as judge:
        for folder in sorted((EXERCISES / "scalar-engine").iterdir()):
            exercise = pack.load(folder)
            rehearse(judge, exercise)
            for file in (folder / "solution.py", *sorted(folder.glob("*/*.py"))):
                report = judge.grade(exercise, file.read_bytes(), SEED)
                start = time.perf_counter()
                traces = submission_traces(judge, exercise, file.read_bytes(), report)
                seconds.append(time.perf_counter() - start)
                sizes += [len(msgspec.json.encode(trace)) for trace in traces]
    row(f"median time of the traces of a submission ({len(seconds)})", f"{1000 * median(seconds):.0f} ms", "-", True)
    row("longest", f"{1000 * max(seconds):.0f} ms", "-", True)
    row(f"largest trace, of {len(sizes) - 1}", f"{max(sizes) / 1000:.0f} kB", f"{BYTES // 1000} kB", max(sizes) <= BYTES)


if __name__ == "__main__":
    main()
