"""Torch graphs that a check is about: torch's own numbers beside the answers that are compared."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge.arrays import array, tensor
from autograder.judge.checks.pictures import Backward, Counted, Ordered, Picture, Reference
from autograder.trace.graph_trace import NODES
from autograder.trace.model import Event, Trace
from autograder.trace.picture_trace import trace_picture
from autograder.trace.plain_text import lines


def leaf(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def shared() -> Reference:
    """b = exp(a); out = b + sin(b): b waits for two consumers. `idle` plays no part."""
    a, idle = leaf(0.0), leaf(1.0)
    b = a.exp()
    return Reference([b + b.sin()], {"a": a, "idle": idle})


def traced(picture: Picture) -> Trace:
    trace = trace_picture("check", picture)
    assert trace is not None
    return trace


def first_wrong(trace: Trace) -> Event:
    assert trace.first_wrong is not None
    return trace.events[trace.first_wrong]


def backward(**answer: Any) -> Trace:
    return traced(Backward("b + sin(b)", shared, answer=answer))


def test_a_pass_has_the_numbers_and_the_order_of_torch() -> None:
    slope = np.cos(1.0)
    trace = backward(a=tensor(np.asarray(1 + slope)), idle=None)
    assert trace.first_wrong is None
    assert lines(trace) == [
        "AddBackward0 is seeded: 1",
        "AddBackward0 is ready: the output has no consumers",
        "AddBackward0 propagates to ExpBackward0, first operand: 1",
        "ExpBackward0 accumulates: 1",
        "AddBackward0 propagates to SinBackward0, second operand: 1",
        "SinBackward0 accumulates: 1",
        "SinBackward0 is ready: its only consumer is done",
        "SinBackward0 propagates to ExpBackward0: 0.540302",
        "ExpBackward0 accumulates: 1 + 0.540302 = 1.5403",
        "ExpBackward0 is ready: both consumers are done",
        "ExpBackward0 propagates to a: 1.5403",
        "a accumulates: 1.5403",
        "a.grad is written: 1.5403",
        "The pass ends: both gradients agree",
    ]


def test_a_leaf_that_nothing_reaches_is_drawn_without_edges() -> None:
    graph = backward().expected
    (number,) = [n for n, node in enumerate(graph.nodes) if node.label == "idle"]
    assert graph.nodes[number].leaf
    assert not [edge for edge in graph.edges if number in (edge.operand, edge.consumer)]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"a": tensor(np.asarray(1.0))}, "Your gradient with respect to a differs from the one that torch computes."),
        ({"a": tensor(np.ones(3))}, "Your gradient with respect to a differs from the one that torch computes."),
        ({"a": "1.54"}, "Your gradient with respect to a differs from the one that torch computes."),
        ({"a": None}, "Your code computes no gradient for a."),
        ({"idle": tensor(np.asarray(0.5))}, "idle should receive no gradient: no path leads from the output to it."),
    ],
)
def test_an_answer_that_differs_is_wrong_at_its_leaf(answer: dict[str, Any], reason: str) -> None:
    event = first_wrong(backward(**answer))
    assert (event.kind, event.reason) == ("grad", reason)


@pytest.mark.parametrize("nothing", [None, tensor(np.asarray(0.0)), array(0.0)])
def test_zeros_are_as_good_as_no_gradient(nothing: Any) -> None:
    assert backward(idle=nothing).first_wrong is None


def test_without_an_answer_it_is_the_expected_pass_alone() -> None:
    trace = traced(Backward("b + sin(b)", shared))
    assert trace.reference
    assert trace.first_wrong is None
    assert trace.events[-1].says == "The pass ends"


def test_several_outputs_send_to_the_same_leaf() -> None:
    def two() -> Reference:
        a = leaf(3.0)
        return Reference([a * 2, a * a], {"a": a}, [torch.tensor(1.0, dtype=torch.float64)] * 2)

    trace = traced(Backward("two", two, answer={"a": tensor(np.asarray(8.0))}))
    assert trace.first_wrong is None
    assert [event.kind for event in trace.events].count("seed") == 2


# AddBackward0, ExpBackward0, SinBackward0, AccumulateGrad, numbered from the root
def ordered(*order: int) -> Trace:
    def alone() -> Reference:
        return Reference(shared().outputs, {})

    return traced(Ordered("topo(out)", alone, answer=order))


def test_a_right_order_has_no_wrong_step() -> None:
    trace = ordered(0, 2, 1, 3)
    assert trace.first_wrong is None
    assert lines(trace)[-2:] == ["AccumulateGrad is at index 3: 3", "The list ends: 4 of 4 functions are in it"]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ((0, 1, 2, 3), "ExpBackward0 comes before SinBackward0, which points to it."),
        ((0, 2, 1), "AccumulateGrad is not in the list."),
        ((0, 2, 2, 1, 3), "SinBackward0 is already in the list, at index 1."),
        ((0, -1, 2, 1, 3), "This entry is not a function of the graph."),
        ((), "AddBackward0 is not in the list."),
    ],
)
def test_the_first_function_out_of_order_is_wrong(order: tuple[int, ...], reason: str) -> None:
    assert first_wrong(ordered(*order)).reason == reason


def test_an_early_function_says_where_it_may_stand() -> None:
    event = first_wrong(ordered(0, 1, 2, 3))
    assert event.expected and event.expected.now and event.given and event.given.now
    assert (event.expected.now.text, event.given.now.text) == ("2 or later", "1")


def counted(**counts: Any) -> Trace:
    return traced(Counted("b + sin(b)", shared, answer=counts))


def test_paths_add_up_along_the_graph() -> None:
    trace = counted(a=2, idle=0)
    assert trace.first_wrong is None
    assert "Paths to ExpBackward0: 1 + 1 = 2" in lines(trace)


@pytest.mark.parametrize("answer", [1, 2.0, True, "two", None, pytest.param(10**5000, id="long")])
def test_a_count_that_differs_is_wrong_at_its_leaf(answer: object) -> None:
    assert first_wrong(counted(a=answer)).reason == "There are 2 paths to a."


@pytest.mark.parametrize("dtype", ["complex128", "bool", "float32", "int64"])
def test_arrays_of_any_kind_can_be_answered(dtype: str) -> None:
    assert first_wrong(backward(a=tensor(np.ones((2, 6), dtype)))).node is not None


def test_a_graph_too_large_or_none_is_not_drawn() -> None:
    def deep() -> Reference:
        a = out = leaf(1.0)
        for _ in range(NODES):
            out = out * 2
        return Reference([out], {"a": a})

    a = leaf(1.0)
    assert trace_picture("deep", Backward("deep", deep)) is None
    assert trace_picture("leaf", Counted("leaf", lambda: Reference([a], {"a": a}))) is None
