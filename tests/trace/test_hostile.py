"""Whatever a submission does to its gradients, a trace is typed, small and nobody's trouble, and no verdict hangs on it."""

import logging
import sys
from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest

from autograder.judge.checks.compare import SCALAR
from autograder.judge.checks.engine import Compared
from autograder.judge.checks.student import BadAnswer, Student, StudentRaised
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.trace.program_trace import trace_program
from autograder.trace.traces import BYTES
from sandbox.errors import JobEnded, OutOfTime
from tests.hostile.catalogue.case import RUNNER
from tests.replays import submission_traces
from tests.trace.engines import ENGINE, Enter, chain, changed, shared, traced

PROPERTY = changed(
    ("self.data, self.grad = data, 0", "self.data, self.held = data, 0"),
    ("    def __add__", "    @property\n    def grad(self):\n        GET\n\n    @grad.setter\n    def grad(self, value):\n"
     "        SET\n\n    def __add__"),
)  # fmt: skip


def with_property(get: str = "return self.held", put: str = "self.held = value") -> str:
    return PROPERTY.replace("GET", get).replace("SET", put)


@pytest.fixture(autouse=True)
def nothing_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """None of this is an accident of ours."""
    with caplog.at_level(logging.WARNING, "gradus.trace"):
        yield
    assert caplog.records == []


def test_a_property_is_passed_through(enter: Enter) -> None:
    assert traced(enter, with_property(), shared()).events == traced_plain(enter)


def test_slots_and_a_default_of_the_class_are_passed_through(enter: Enter) -> None:
    slots = changed(("    def __init__", "    __slots__ = ('data', 'grad', 'operands', 'push')\n\n    def __init__"))
    default = changed(
        ("self.data, self.grad = data, 0", "self.data = data"), ("    def __init__", "    grad = 0\n\n    def __init__")
    )
    plain = [event.says for event in traced(enter, ENGINE, shared()).events]
    assert [event.says for event in traced(enter, slots, shared()).events] == plain
    assert [event.says for event in traced(enter, default, shared()).events] == plain


def traced_plain(enter: Enter) -> tuple[object, ...]:
    """The same engine with its lines where those of the property stand."""
    lines = with_property().splitlines().index("    def __add__(self, other):") - ENGINE.splitlines().index(
        "    def __add__(self, other):"
    )
    events = traced(enter, ENGINE, shared()).events
    return tuple(msgspec.structs.replace(e, line=e.line + lines if e.line else None) for e in events)


@pytest.mark.parametrize(
    "source",
    [
        with_property(get="self.held += 1; return self.held"),
        with_property(get="raise AttributeError('no')"),
        with_property(put="self.held = [value] * 3"),
        with_property(put="self.grad = value"),
        changed(("self.grad = 1\n", "self.grad = 10 ** 5000\n")),
        changed(("self.grad = 1\n", "self.grad = float('nan')\n")),
        changed(("self.grad = 1\n", "self.grad = 'one'\n")),
        changed(("self.grad = 1\n", "self.grad = self\n")),
        changed(("self.grad = 1\n", "del self.grad\n")),
        changed(("self.grad = 1\n", "self.grad = type('N', (float,), {'__float__': lambda s: s.x})(1)\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        for _ in range(20_000):\n            self.grad += 0\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        [Value(i) + self for i in range(5000)]\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        Value.grad = property(lambda s: 1)\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        raise SystemExit\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        raise type('X' * 10_000, (Exception,), {})\n")),
        changed(("self.grad = 1\n", "self.grad = 1\n        visit.__code__ = (lambda v: v.push()).__code__\n")),
    ],
)
def test_a_trace_of_anything_is_small_or_none(source: str, enter: Enter) -> None:
    try:
        trace = traced(enter, source, chain())
    except (StudentRaised, BadAnswer, OutOfTime, JobEnded):
        return
    assert len(trace.events) < 3100
    assert all(len(event.says) < 300 and len(event.reason) < 3000 for event in trace.events)
    msgspec.json.encode(trace)


ANSWERS = {
    "nothing": "None",
    "no bytes": "[1]",
    "bytes of something else": "b'\\x93\\x01'",
    "another number of passes": "packed([[[], [], [], {}], [], []])",
    "slots that are none": "packed([[[1.0], [1.0], [], {}], [[7, [0.0], [0.0], []]], []])",
    "touches of no slot": "packed([D, [[4, Z, Z, [[True, -5, 1.0, 0.0, 1, [], []]]]], []])",
    "a line far away": "packed([D, [[4, Z, Z, [[True, 4, 1.0, 0.0, 1 << 60, [], []]]]], []])",
    "values beyond all": "packed([D, [[4, Z, Z, [[True, 999, 1.0, 0.0, 1, [], [777]]]]], [5]])",
    "makers beyond all": "packed([D, [[4, Z, Z, [[False, 5, 1.0, None, 1, [0], []], [True, 0, 1.0, 0.0, 1, [0], [5]]]]], [99]])",
    "numbers that are none": "packed([D, [[4, Z, Z, [[True, 4, NAN, INF, 1, [], []], [True, 0, INF, NAN, 1, [], []]]]], []])",
    "nan for every gradient": "packed([[[NAN] * 5, [NAN] * 5, [], {}], [[4, Z, [NAN] * 5, []]], []])",
    "another length of data": "packed([[[1.0], [], [], {}], [[4, Z, Z, []]], []])",
    "long lists": "packed([D, [[4, Z, Z, [[True, n % 5, float(n), 0.0, 1, [], []] for n in range(3000)]]], []])",
}
FORGED = (
    RUNNER
    + """
NAN, INF, Z = float("nan"), float("inf"), [0.0] * 5
D = [Z, Z, [], {}]
packed = msgpack().encode
dispatch = runner._dispatch
runner._dispatch = lambda ask, args: FORGE if ask.name == "engine.trace" else dispatch(ask, args)
"""
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_forged_answer_is_read_as_a_claim_or_not_at_all(answer: str, enter: Enter) -> None:
    source = ENGINE + FORGED.replace("FORGE", ANSWERS[answer])
    try:
        trace = traced(enter, source, chain())
    except BadAnswer:
        return
    assert all(event.node is None or 0 <= event.node < 5 for event in trace.events)
    assert trace.first_wrong is not None


TOO_MUCH = {
    "touches": "packed([D, [[4, Z, Z, [TOUCH] * 3001]], []])",
    "touches without end": "packed([D, [[4, Z, Z, [[True, 0, None, None, 1, [], [4]]] * 200_000]], []])",
    "frames": "packed([D, [[4, Z, Z, [[True, 4, 1.0, 0.0, 1, [0] * 5, []]]]], []])",
    "variables": "packed([D, [[4, Z, Z, [[True, 4, 1.0, 0.0, 1, [], [0] * 17]]]], []])",
    "makers": "packed([D, [[4, Z, Z, []]], [0] * 3001])",
    "passes": "packed([D, [[4, Z, Z, []]] * 2, []])",
    "passes of a program that raised": "packed([D, [[4, Z, Z, []]] * 2, [], False, 'E', 1])",
}


@pytest.mark.parametrize("answer", TOO_MUCH)
def test_more_events_than_the_guest_can_record_are_refused(answer: str, enter: Enter) -> None:
    source = ENGINE + FORGED.replace("FORGE", TOO_MUCH[answer].replace("TOUCH", "[True, 0, 1.0, 0.0, 1, [], [4]]"))
    with pytest.raises(BadAnswer):
        traced(enter, source, chain())


SENT = {
    "one value sends to another": "[True, 2, 7.0, 0.0, 1, [0], [4]]",
    "the output is set late": "[True, 2 if n < COUNT // 2 else 4, 7.0, 0.0, 1, [0], [3]]",
    "all values send to each other": "[n % 2 == 1, n % 5, 7.0, 0.0, 1, [0], [n % 5, (n + 1) % 5]]",
}


@pytest.mark.parametrize("touch", SENT.values(), ids=SENT)
def test_describing_a_trace_takes_time_linear_in_its_events(touch: str, enter: Enter) -> None:
    def work(count: int) -> int:
        forged = f"packed([D, [[4, Z, Z, [{touch} for n in range(COUNT)]]], []])".replace("COUNT", str(count))
        student, calls = enter(ENGINE + FORGED.replace("FORGE", forged), "python"), 0

        def count_calls(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count_calls)
        try:
            trace_program(student, "check", Compared(chain(), "Value", "all", SCALAR))
        finally:
            sys.setprofile(None)
        return calls

    assert work(2400) < 5.0 * work(600)


TRAP = b"""
_backward = Value.backward


def backward(self):
    while "grad" in vars(Value):
        pass
    _backward(self)


Value.backward = backward
"""


def test_a_pass_that_never_ends_while_it_is_watched_costs_no_verdict(judge: Judge, packs: dict[str, Pack]) -> None:
    """It behaves while it is graded, and does not when its gradient is behind a descriptor."""
    pack = packs["value-engine"]
    source = pack.solution + TRAP
    report = judge.grade(pack, source, 1)
    assert report.verdict == "passed"
    assert submission_traces(judge, pack, source, report, seconds=0.2) == ()


def test_a_flood_of_steps_fits_a_page(judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs["value-engine"]
    flood = b"self.grad = 1.0\n        for _ in range(500):\n            self.grad += 0.5\n"
    source = pack.solution.replace(b"self.grad = 1.0\n", flood)
    report = judge.grade(pack, source, 1)
    traces = submission_traces(judge, pack, source, report)
    assert traces
    for trace in traces:
        assert trace.cut
        assert trace.first_wrong is not None
        assert len(msgspec.json.encode(trace)) <= BYTES


def test_a_report_of_other_checks_gives_nothing(judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs["value-engine"]
    report = judge.grade(replace(pack, checks=()), pack.solution, 1)
    assert submission_traces(judge, pack, pack.solution, report) == ()


def test_the_students_own_classes_are_left_as_they_are_outside_a_pass(enter: Enter) -> None:
    student: Student = enter(with_property(), "python")
    program = shared().instructions
    options = {"class": "Value", "programs": msgspec.msgpack.encode([program])}
    before = student.operate("engine.run", **options)
    student.operate("engine.trace", **options)
    assert student.operate("engine.run", **options) == before
