"""A graph that was built otherwise than wanted: where the two part, walking from the output."""

import pytest

from autograder.judge.checks.graphs import Drawn, Graph, Node
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.trace.graph_trace import NODES, trace_graph
from autograder.trace.model import Trace
from tests.replays import submission_traces

A, B = Node("AccumulateGrad", "a", ()), Node("AccumulateGrad", "b", ())
# sin(a * b) + a * b, the product once and twice
SHARED = Graph(
    0,
    (
        Node("Add", None, ((1, 0), (2, 0))),
        Node("Sin", None, ((2, 0),)),
        Node("Mul", None, ((3, 0), (4, 0))),
        A,
        B,
    ),
)
TWICE = Graph(
    0,
    (
        Node("Add", None, ((1, 0), (2, 0))),
        Node("Sin", None, ((3, 0),)),
        Node("Mul", None, ((4, 0), (5, 0))),
        Node("Mul", None, ((4, 0), (5, 0))),
        A,
        B,
    ),
)


def told(given: Graph, expected: Graph = SHARED) -> Trace:
    trace = trace_graph("shared", Drawn(given, expected, "build", drop_views=True))
    assert trace is not None
    return trace


def why(trace: Trace) -> tuple[str, str]:
    assert trace.first_wrong is not None
    event = trace.events[trace.first_wrong]
    return event.says, event.reason


def test_the_same_graph_with_operands_exchanged_has_no_wrong_step() -> None:
    exchanged = Graph(0, (Node("Add", None, ((2, 0), (1, 0))), *SHARED.nodes[1:]))
    trace = told(exchanged)
    assert (trace.given, trace.first_wrong) == (None, None)
    assert [event.says for event in trace.events] == [
        "The graph starts at Add",
        "Add is visited",
        "Add leads to Sin, slot 0",
        "Add leads to Mul, slot 1",
        "Sin is visited",
        "Sin leads to Mul",
        "Mul is visited",
        "Mul leads to a, slot 0",
        "Mul leads to b, slot 1",
        "a is a leaf",
        "b is a leaf",
        "All functions are visited",
    ]


def test_a_value_computed_twice_is_found_where_it_should_be_met_again() -> None:
    trace = told(TWICE)
    assert why(trace) == (
        "Sin leads to Mul",
        "Expected the same Mul node as before, but your graph has a second one.",
    )
    assert trace.given is not None
    assert [node.label for node in trace.given.nodes if node.odd] == ["Mul (n3)"]
    assert not any(node.odd for node in trace.expected.nodes)


def test_a_detached_operand() -> None:
    cut = Graph(0, (SHARED.nodes[0], Node("Sin", None, ((None, 0),)), *SHARED.nodes[2:]))
    assert why(told(cut)) == (
        "Sin leads to Mul",
        "Expected Mul here, but this slot is empty, so no gradient flows along it.",
    )


def test_another_function() -> None:
    other = Graph(0, (SHARED.nodes[0], Node("Cos", None, ((2, 0),)), *SHARED.nodes[2:]))
    trace = told(other)
    assert why(trace) == ("Add leads to Sin, slot 0", "Expected Sin here, but your graph has Cos.")
    assert [node.label for node in trace.expected.nodes if node.odd] == ["Sin"]


def test_no_graph_at_all() -> None:
    says, reason = why(told(Graph(None, ())))
    assert (says, reason) == ("The graph starts at Add", "The result has no graph: no gradient can flow back from it.")


def test_a_graph_too_large_to_be_drawn_is_not() -> None:
    chain = Graph(0, (*(Node("Sin", None, ((n + 1, 0),)) for n in range(NODES)), A))
    assert trace_graph("deep", Drawn(SHARED, chain, "build", drop_views=True)) is None


@pytest.mark.parametrize(
    ("file", "check", "reason"),
    [
        (
            "lost-sharing",
            "one-shown",
            "Expected the same Mul node as before, but your graph has a second one.",
        ),
        ("pow-for-product", "two-graph", "Expected Mul here, but your graph has Pow."),
    ],
)
def test_a_submission_that_built_another_graph(
    file: str, check: str, reason: str, judge: Judge, packs: dict[str, Pack]
) -> None:
    pack = packs["graph-build"]
    source = (pack.folder / "wrong" / f"{file}.py").read_bytes()
    traces = submission_traces(judge, pack, source, judge.grade(pack, source, 3), seconds=10)
    trace = next(trace for trace in traces if trace.quantity == "none")
    assert trace.check == check
    assert why(trace)[1] == reason


def test_another_output_of_the_same_function() -> None:
    unbound = Graph(0, (Node("Add", None, ((1, 0), (1, 1))), Node("Unbind", None, ((2, 0),)), A))
    twice = Graph(0, (Node("Add", None, ((1, 1), (1, 1))), *unbound.nodes[1:]))
    assert why(told(twice, unbound))[1] == "This edge should lead to output 0 of Unbind, not to output 1."


def test_names_of_an_answer_are_made_harmless() -> None:
    other = Graph(0, (Node("\x1b[31mAdd\u202e", None, SHARED.nodes[0].slots), *SHARED.nodes[1:]))
    said = why(told(other))[1]
    assert said.isprintable()
