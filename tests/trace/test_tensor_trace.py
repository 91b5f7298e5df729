"""The smallest program of tensors that fails, and its steps."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.judge.checks.random_programs import random_program
from autograder.judge.checks.student import Student
from autograder.judge.checks.tensors import ComparedTensors, TensorProgram
from autograder.trace.model import Event, Trace
from autograder.trace.tensor_trace import trace_tensors
from tests.tensor_engine import SOURCE, broken

OPERATIONS = (
    *("+", "-", "*", "neg", "exp", "tanh", "relu", "sum", "mean", "max"),
    *("reshape", "permute", "expand", "getitem"),
)
Tracer = Callable[..., Trace]


@pytest.fixture
def traced(enter: Callable[..., Student]) -> Tracer:
    """`traced(source, program)`: the trace of a program on an engine."""

    def trace(source: bytes, program: TensorProgram) -> Trace:
        found = trace_tensors(enter(source.decode(), "numpy"), "check", ComparedTensors(program))
        assert found is not None
        return found

    return trace


def first_wrong(trace: Trace) -> Event:
    assert trace.first_wrong is not None
    return trace.events[trace.first_wrong]


def failing(source: bytes, traced: Tracer) -> list[Trace]:
    """The traces of random programs on which an engine fails."""
    traces = [traced(source, random_program(np.random.default_rng(seed), OPERATIONS, steps=8)) for seed in range(12)]
    return [trace for trace in traces if trace.first_wrong is not None]


def test_a_right_engine_has_no_wrong_step(traced: Tracer) -> None:
    for seed in range(12):
        program = random_program(np.random.default_rng(seed), OPERATIONS, steps=8)
        trace = traced(SOURCE.encode(), program)
        assert trace.first_wrong is None and not any(event.follows for event in trace.events)
        assert trace.events[0].kind == "seed" and trace.events[-1].kind == "end"


@pytest.mark.parametrize(
    ("old", "new", "program"),
    [
        ("(g * (1 - value * value),)", "(g * (1 - value),)", "y = a.tanh()"),
        ("(g.transpose(np.argsort(axes)),)", "(g.transpose(axes),)", "permute"),
        ("np.add.at(into, index, g)", "into[index] = g", "[["),
        ("total.data.size / self.data.size", "1 / self.data.size", "mean"),
    ],
)
def test_a_random_program_shrinks_to_the_operation_that_is_wrong(traced: Tracer, old: str, new: str, program: str) -> None:
    found = failing(broken(old, new), traced)
    assert found
    for trace in found:
        operations = [node.operation for node in trace.expected.nodes if node.operation != "in"]
        assert len(operations) == 1, trace.program
        name = program.removeprefix("y = a.").removesuffix("()")
        assert name in trace.program


def test_a_shrunk_program_has_small_whole_numbers(traced: Tracer) -> None:
    found = failing(broken("(g * (1 - value * value),)", "(g * (1 - value),)"), traced)
    assert found
    for trace in found:
        assert set(trace.inputs.values()) <= {"1", "[1]", "2", "[2]"}, trace.inputs


def test_a_missing_sum_is_shown_at_the_step_that_omits_it(traced: Tracer) -> None:
    program = TensorProgram()
    a, b = program.input(np.ones((2, 3)), "a"), program.input([1.0, -2.0, 3.0], "b")
    program.backward(program.name("y", (a * b).call("tanh")), np.ones((2, 3)))
    source = broken("unbroadcast(g * self.data, other.data.shape)", "g * self.data")
    trace = traced(source, program)
    wrong = first_wrong(trace)
    assert wrong.kind == "unbroadcast"
    assert "must be summed over the broadcast axes" in wrong.reason
    assert [node.operation for node in trace.expected.nodes].count("*") == 1
    sent = trace.events[trace.first_wrong - 1] if trace.first_wrong else None
    assert sent is not None and sent.kind == "contribution" and not sent.wrong


def test_a_right_sum_is_shown_as_a_step_of_its_own(traced: Tracer) -> None:
    program = TensorProgram()
    a, b = program.input(np.ones((2, 3)), "a"), program.input([1.0, -2.0, 3.0], "b")
    program.backward(program.name("y", a * b), np.ones((2, 3)))
    kinds = [event.kind for event in traced(SOURCE.encode(), program).events]
    assert kinds == ["seed", "ready", "contribution", "contribution", "unbroadcast", "grad", "grad", "end"]


def test_a_contribution_that_replaces_another_is_the_first_wrong_step(traced: Tracer) -> None:
    source = broken("part if operand not in arrived else arrived[operand] + part", "part")
    program = TensorProgram()
    a = program.input([1.5, 2.5], "a")
    b = program.name("b", a.call("exp"))
    program.backward(program.name("y", b * 2.0 + b.call("tanh")), [1.0, 1.0])
    trace = traced(source, program)
    wrong = first_wrong(trace)
    assert wrong.kind in ("accumulate", "contribution")
    assert "contribution" in wrong.reason
    operations = [node.operation for node in trace.expected.nodes if node.operation != "in"]
    assert len(operations) <= 3


def test_a_wrong_forward_pass_is_told_at_the_value_that_is_wrong(traced: Tracer) -> None:
    program = TensorProgram()
    a = program.input([1.5, -2.5], "a")
    program.backward(program.name("y", (a * 2.0).call("relu")), [1.0, 1.0])
    wrong = first_wrong(traced(broken("np.maximum(self.data, 0.0)", "np.abs(self.data)"), program))
    assert wrong.kind == "forward" and "The forward pass is already wrong" in wrong.reason


def test_a_program_that_raises_shrinks_to_one_that_raises_alike(traced: Tracer) -> None:
    program = TensorProgram()
    a = program.input(np.ones((2, 3)), "a")
    program.backward(program.name("y", (a * 2.0 + 1.0).call("tanh")), np.ones((2, 3)))
    trace = traced(broken("(g * (1 - value * value),)", "1 / 0"), program)
    assert [node.operation for node in trace.expected.nodes] == ["in", "tanh"]
    assert "ZeroDivisionError" in first_wrong(trace).reason


def test_a_forged_answer_makes_no_trace_and_no_harm(enter: Callable[..., Student]) -> None:
    program = TensorProgram()
    program.backward(program.input([1.0], "a").call("tanh"))
    forging = "import sys; sys._getframe(1).f_globals['_read'] = lambda *_: 7; self.grad = None"
    student = enter(broken("self.grad = None", forging).decode(), "numpy")
    with pytest.raises(Exception, match="could not be read"):
        trace_tensors(student, "check", ComparedTensors(program))
