"""For every exercise with a picture: a right file is never called wrong, a file of each mistake has a first wrong step, and
nothing in its player is untrue or leaves its box."""

import msgspec
import pytest

from autograder.judge.checks.engine import Compared
from autograder.judge.checks.student import Student
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.trace import traces
from autograder.trace.model import Trace
from autograder.trace.program_trace import trace_program
from tests.trace.told import AUTOGRAD, ENGINES, SEED, is_sound, told, untrue_of_a_drawn_graph, untrue_of_a_wrong_engine
from tests.web.player.invariants import broken


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
    found = told(judge, packs[slug], "wrong/*.py")
    assert [untrue for one in found for untrue in untrue_of_a_wrong_engine(one)] == []


@pytest.mark.parametrize("slug", AUTOGRAD)
def test_an_exercise_on_autograd_draws_the_graph_of_a_public_check(slug: str, judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs[slug]
    public = {check.id for check in pack.checks if not check.hidden}
    found = told(judge, pack, "solution.py", "wrong/*.py")
    assert [untrue for one in found for untrue in untrue_of_a_drawn_graph(one, public)] == []


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
    (one,) = told(judge, packs["value-topo"], "wrong/bfs-order.py")
    assert one.traces
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
    (one,) = told(judge, packs[slug], "solution.py")
    assert one.traces == ()
