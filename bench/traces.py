"""`python -m bench.traces`: whether every trace of every file is sound, and what the traces of a submission cost."""

import time
from statistics import median

import msgspec

from autograder.explain.batch import rehearse
from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.trace.traces import BYTES
from bench.engine import row
from bench.measure import variants_of
from sandbox.backends.bubblewrap import Bubblewrap
from tests.conftest import EXERCISES
from tests.replays import submission_traces
from tests.trace.told import AUTOGRAD, ENGINES, SEED, told, untrue_of_a_drawn_graph, untrue_of_a_wrong_engine


def main() -> None:
    print(f"{'traces':<66} {'measured':>18} {'must reach':>16}")
    with Judge(Bubblewrap()) as judge:
        sound(judge)
        cost(judge)


def sound(judge: Judge) -> None:
    """The tests look at one file of each mistake; here are all of them."""
    count, untrue = 0, list[str]()
    for slug in (*ENGINES, *AUTOGRAD):
        exercise = pack.load(pack.find(EXERCISES, slug))
        public = {check.id for check in exercise.checks if not check.hidden}
        further = [*sorted(exercise.folder.glob("wrong/*~*.py")), *variants_of(exercise)]
        for one in told(judge, exercise, "wrong/*.py", further=further):
            count += 1
            untrue += untrue_of_a_wrong_engine(one) if slug in ENGINES else untrue_of_a_drawn_graph(one, public)
    for line in untrue:
        print(f"  {line}", flush=True)
    row(f"statements of traces that are not true, of {count} wrong solutions", f"{len(untrue)}", "0", not untrue)


def cost(judge: Judge) -> None:
    seconds, sizes = [], [0]
    for folder in sorted((EXERCISES / "scalar-engine").glob("*/exercise.toml")):
        exercise = pack.load(folder.parent)
        rehearse(judge, exercise)
        for file in (folder.parent / "solution.py", *sorted(folder.parent.glob("*/*.py"))):
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
