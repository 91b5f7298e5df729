"""A graph that was built otherwise than wanted: where the two part, walking from the output."""

import pytest

from autograder.judge.checks.graphs import Drawn, Graph, Node
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.trace.graphs import NODES, trace_graph
from autograder.judge.trace.model import Trace
from autograder.judge.trace.traces import traces_of

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
        "Add is seeded",
        "Add is ready: the output has no consumers",
        "Add sends to Sin, first operand",
        "Add sends to Mul, second operand",
        "Sin is ready: its only consumer is done",
        "Sin sends to Mul",
        "Mul is ready: both consumers are done",
        "Mul sends to a, first operand",
        "Mul sends to b, second operand",
        "a.grad is written",
        "b.grad is written",
        "The pass ends",
    ]


def test_a_value_computed_twice_is_found_where_it_should_be_met_again() -> None:
    trace = told(TWICE)
    assert why(trace) == (
        "Sin sends to Mul",
        "Expected the same Mul node as before, but your graph has a second one: the value is computed twice.",
    )
    assert trace.given is not None
    assert [node.label for node in trace.given.nodes if node.odd] == ["Mul (n3)"]
    assert not any(node.odd for node in trace.expected.nodes)


def test_a_detached_operand() -> None:
    cut = Graph(0, (SHARED.nodes[0], Node("Sin", None, ((None, 0),)), *SHARED.nodes[2:]))
    assert why(told(cut)) == (
        "Sin sends to Mul",
        "Expected Mul here, but nothing is connected: no gradient flows this way.",
    )


def test_another_function() -> None:
    other = Graph(0, (SHARED.nodes[0], Node("Cos", None, ((2, 0),)), *SHARED.nodes[2:]))
    trace = told(other)
    assert why(trace) == ("Add sends to Sin, first operand", "Expected Sin here, but your graph has Cos.")
    assert [node.label for node in trace.expected.nodes if node.odd] == ["Sin"]


def test_no_graph_at_all() -> None:
    says, reason = why(told(Graph(None, ())))
    assert (says, reason) == ("Add is seeded", "The result has no graph: no gradient can flow back from it.")


def test_a_graph_too_large_to_be_drawn_is_not() -> None:
    chain = Graph(0, (*(Node("Sin", None, ((n + 1, 0),)) for n in range(NODES)), A))
    assert trace_graph("deep", Drawn(SHARED, chain, "build", drop_views=True)) is None


@pytest.mark.parametrize(
    ("file", "check", "reason"),
    [
        (
            "lost-sharing",
            "one-graph",
            "Expected the same Mul node as before, but your graph has a second one: the value is computed twice.",
        ),
        ("pow-for-product", "two-graph", "Expected Mul here, but your graph has Pow."),
    ],
)
def test_a_submission_that_built_another_graph(
    file: str, check: str, reason: str, judge: Judge, packs: dict[str, Pack]
) -> None:
    pack = packs["graph-build"]
    source = (pack.folder / "wrong" / f"{file}.py").read_bytes()
    traces = traces_of(judge, pack, source, judge.grade(pack, source, 3))
    assert traces[0].check == check
    assert why(traces[0])[1] == reason
