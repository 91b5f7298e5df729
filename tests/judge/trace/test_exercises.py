"""On every file of every exercise with a picture: a right one is never called wrong, a wrong one has a first wrong step, and
nothing in its player is untrue or leaves its box."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from autograder.judge.checks.engine import Compared
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from autograder.judge.trace import traces
from autograder.judge.trace.model import Trace
from autograder.judge.trace.plain_text import lines
from autograder.judge.trace.program_trace import trace_program
from tests.conftest import EXERCISES
from tests.judge.replays import submission_traces
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


def told(judge: Judge, pack: Pack, *names: str) -> list[Told]:
    """Gradings of these files and their traces, without the checks that measure how long a deep graph takes."""
    pack = replace(pack, checks=tuple(check for check in pack.checks if check.seconds is None))
    found = []
    for file in sorted(file for name in names for file in pack.folder.glob(name)):
        report = judge.grade(pack, file.read_bytes(), SEED)
        found.append(Told(file, report, submission_traces(judge, pack, file.read_bytes(), report, seconds=10)))
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


@pytest.mark.parametrize("slug", ENGINES)
def test_nothing_is_wrong_in_a_right_solution(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    for one in told(judge, packs[slug], "solution.py", "right/*.py"):
        assert all(check.passed for check in one.report.checks)
        assert len(one.traces) == 1, one.file
        (trace,) = one.traces
        assert is_sound(trace), one.file
        assert not broken(trace)
        assert trace.first_wrong is None
        assert not any(event.follows for event in trace.events)
        assert "agree" in trace.events[-1].says


@pytest.mark.parametrize("slug", ENGINES)
def test_a_wrong_solution_has_a_first_wrong_step(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    for one in told(judge, packs[slug], "wrong/*.py"):
        if all(check.passed for check in one.report.checks):  # what is wrong with it is the time it takes
            continue
        passed = {check.id for check in one.report.checks if check.passed}
        for trace in one.traces:
            assert is_sound(trace), (one.file, trace.check)
            assert not broken(trace), (one.file, trace.check)
            assert (trace.first_wrong is None) == (trace.check in passed)
        failed = [check.id for check in one.report.checks if check.ending == "failed" and _compares_programs(check.message)]
        assert {trace.check for trace in one.traces} >= set(failed[: traces.CHECKS - 1]), one.file


@pytest.mark.parametrize("slug", AUTOGRAD)
def test_an_exercise_on_autograd_draws_the_graph_of_a_public_check(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    """Whatever was handed in: of a wrong one also the first check that failed, where the answer came at all."""
    pack = packs[slug]
    public = {check.id for check in pack.checks if not check.hidden}
    for one in told(judge, pack, "solution.py", "wrong/*[!0-9].py"):
        endings = {check.id: check.ending for check in one.report.checks}
        assert public & {trace.check for trace in one.traces}, one.file
        for trace in one.traces:
            assert is_sound(trace), (one.file, trace.check)
            assert not broken(trace), (one.file, trace.check)
            assert trace.first_wrong is None or endings[trace.check] in traces.FAILED
            assert trace.reference or endings[trace.check] == "passed" or trace.first_wrong is not None


def _compares_programs(message: str) -> bool:
    """A failed comparison of programs says so in its first words."""
    return message.startswith("In ") and (".grad should be" in message or ".data should be" in message)


def test_every_program_of_every_check_of_a_right_solution_can_be_told(judge: Judge, packs: dict[str, Pack]) -> None:
    """Not only the first one, which a student is shown."""
    pack = packs["value-unary"]
    for file in (pack.folder / "solution.py", *sorted(pack.folder.glob("right/*.py"))):
        for trace in every_trace(judge, pack, file.read_bytes()):
            assert trace.first_wrong is None, (file, trace.program)
            assert is_sound(trace)


def every_trace(judge: Judge, pack: Pack, source: bytes) -> list[Trace]:
    found = []
    with judge.sandbox(pack.settings.profile).session(pack.limits(judge.ceiling)) as session:
        session.load(source, SEED, pack.entry_points)
        student = Student(session)
        for check in pack.checks:
            for subject in traces.subjects_of(student, check, "passed", SEED):
                assert isinstance(subject, Compared)
                trace = trace_program(student, check.id, subject)
                found += [trace] if trace is not None else []
    assert len(found) > 20
    return found


def test_a_trace_is_data(judge: Judge, packs: dict[str, Pack]) -> None:
    for one in told(judge, packs["value-topo"], "wrong/bfs-order.py"):
        for trace in one.traces:
            packed = msgspec.json.encode(trace)
            assert len(packed) <= traces.BYTES
            assert msgspec.json.decode(packed, type=Trace) == trace


def test_public_checks_come_first(judge: Judge, packs: dict[str, Pack]) -> None:
    (one,) = told(judge, packs["value-topo"], "wrong/no-seed.py")
    hidden = {check.id: check.hidden for check in packs["value-topo"].checks}
    assert [hidden[trace.check] for trace in one.traces] == [False, False, False, True, True, True]


def test_traces_of_public_checks_say_nothing_of_hidden_ones(judge: Judge, packs: dict[str, Pack]) -> None:
    """Whether there is a picture below a public check must not tell that a hidden one failed."""
    pack = packs["value-engine"]
    hidden = {check.id for check in pack.checks if check.hidden}
    (right,) = told(judge, pack, "solution.py")
    shown = [trace.check for trace in right.traces]
    seen = 0
    for wrong in told(judge, pack, "wrong/*.py"):
        if all(check.passed for check in wrong.report.checks if not check.hidden):
            assert [trace.check for trace in wrong.traces if trace.check not in hidden] == shown
            seen += 1
    assert seen


def test_a_long_pass_is_cut_around_its_first_wrong_step(judge: Judge, packs: dict[str, Pack]) -> None:
    (one,) = told(judge, packs["value-topo"], "wrong/double-count.py")
    cut = [trace for trace in one.traces if trace.cut]
    assert cut
    assert all(trace.first_wrong is not None and trace.events[trace.first_wrong].wrong for trace in cut)


@pytest.mark.parametrize("slug", ["vjp-matmul", "fn-cubic"])
def test_an_exercise_without_a_graph_has_no_trace(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    for one in told(judge, packs[slug], "solution.py"):
        assert one.traces == ()
