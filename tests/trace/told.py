"""Gradings of the files of exercises and their traces, and what must hold of them: in the tests for one file a mistake, in
`python -m bench.traces` for all."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.judge.grade import Judge
from autograder.judge.pack import VARIANT, Pack
from autograder.judge.report import Report
from autograder.trace import traces
from autograder.trace.model import Trace
from autograder.trace.plain_text import lines
from tests.conftest import EXERCISES
from tests.replays import submission_traces
from tests.web.player.invariants import broken


def unit(name: str) -> list[str]:
    return sorted(folder.name for folder in (EXERCISES / name).iterdir() if folder.is_dir())


def draws(slug: str) -> bool:
    """Whether the checks of an exercise declare a graph to draw."""
    (checks,) = EXERCISES.glob(f"*/{slug}/checks.py")
    return re.search(r"\b(show_(graph|backward|order|paths)|expect_graph)\(", checks.read_text("utf-8")) is not None


ENGINES = [slug for slug in unit("scalar-engine") if slug != "value-mlp"]  # its public checks train a network
# their answers can fail in ways that leave nothing to draw
OFTEN_WITHOUT_A_GRAPH = ("predict-graph", "control-flow-graph", "none-grad-clinic")
AUTOGRAD = [
    slug
    for slug in (*unit("reading-the-graph"), *unit("autograd-semantics"))
    if draws(slug) and slug not in OFTEN_WITHOUT_A_GRAPH
]
SEED = 20


@dataclass(frozen=True)
class Told:
    file: Path
    report: Report
    traces: tuple[Trace, ...]


def told(judge: Judge, pack: Pack, *names: str, further: Iterable[Path] = ()) -> list[Told]:
    """Gradings of files of the exercise and of further files, and their traces, without the checks that measure how long a
    deep graph takes. Of each mistake only the first file is graded, not those whose names end in `~2`, `~3` and so on."""
    pack = replace(pack, checks=tuple(check for check in pack.checks if check.seconds is None))
    found = []
    for file in (*sorted(f for name in names for f in pack.folder.glob(name) if VARIANT not in f.stem), *further):
        report = judge.grade(pack, file.read_bytes(), SEED)
        found.append(Told(file, report, submission_traces(judge, pack, file.read_bytes(), report, seconds=10)))
    assert found
    return found


def is_sound(trace: Trace) -> bool:
    """Every place that is pointed to exists, and the marks agree with each other."""
    places = [n for n, event in enumerate(trace.events) if event.wrong]
    nodes = {event.node for event in trace.events} - {None}
    edges = {event.edge for event in trace.events} - {None}
    return (
        trace.first_wrong == (places[0] if places else None)
        and not any(event.follows for event in trace.events[: trace.first_wrong])
        and all(0 <= node < len(trace.expected.nodes) for node in nodes if node is not None)
        and all(0 <= edge < len(trace.expected.edges) for edge in edges if edge is not None)
        and all(event.reason for event in trace.events if event.wrong)
        and not any(event.reason for event in trace.events if not event.wrong)
        and trace.events[-1].kind == "end"
        and len(lines(trace)) == len(trace.events) + trace.cut
    )


def untrue_of_a_wrong_engine(one: Told) -> Iterator[str]:
    if all(check.passed for check in one.report.checks):  # what is wrong with it is the time it takes
        return
    passed = {check.id for check in one.report.checks if check.passed}
    for trace in one.traces:
        yield from _unsound(one, trace)
        if (trace.first_wrong is None) != (trace.check in passed):
            yield f"{one.file}: {trace.check} passed, and a step is wrong, or the other way round"
    failed = [check.id for check in one.report.checks if check.ending == "failed" and _compares_programs(check.message)]
    for check in set(failed[: traces.CHECKS - 1]) - {trace.check for trace in one.traces}:
        yield f"{one.file}: {check} failed and has no trace"


def untrue_of_a_drawn_graph(one: Told, public: set[str]) -> Iterator[str]:
    """Whatever was submitted, a public check has a graph; of a wrong one also the first check that failed, where the answer
    came at all."""
    endings = {check.id: check.ending for check in one.report.checks}
    if not public & {trace.check for trace in one.traces}:
        yield f"{one.file}: no public check has a graph"
    for trace in one.traces:
        yield from _unsound(one, trace)
        if trace.first_wrong is not None and endings[trace.check] not in traces.FAILED:
            yield f"{one.file}: {trace.check} did not fail, and a step is wrong"
        if not (trace.reference or endings[trace.check] == "passed" or trace.first_wrong is not None):
            yield f"{one.file}: {trace.check} failed, and no step is wrong"


def _unsound(one: Told, trace: Trace) -> Iterator[str]:
    if not is_sound(trace):
        yield f"{one.file}: the trace of {trace.check} contradicts itself"
    yield from (f"{one.file}: {trace.check}: {what}" for what in broken(trace))


def _compares_programs(message: str) -> bool:
    """A failed comparison of programs says so in its first words."""
    return message.startswith("In ") and (".grad should be" in message or ".data should be" in message)
