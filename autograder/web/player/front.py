"""The pass that the front page plays: f = (x · x) · w at x = 3, w = −2, where everything is right."""

from autograder.judge.trace.model import Edge, Event, EventKind, Graph, Node, Term, Terms, Trace

X, W, A, F = range(4)
A_FIRST, A_SECOND, F_FIRST, F_SECOND = range(4)

_GRAPH = Graph(
    (Node("x", "in", "3", leaf=True), Node("w", "in", "-2", leaf=True), Node("a", "*", "9"), Node("f", "*", "-18")),
    (Edge(X, A), Edge(X, A, 1), Edge(A, F), Edge(W, F, 1)),
)


def _step(kind: EventKind, says: str, node: int | None = None, edge: int | None = None, **numbers: str) -> Event:
    terms = Terms(**{name: Term(text) for name, text in numbers.items()}) if numbers else None
    return Event(kind, says, node=node, edge=edge, expected=terms, given=terms)


EXAMPLE = Trace(
    check="",
    program="f = (x * x) * w",
    inputs={"x": "3", "w": "-2"},
    expected=_GRAPH,
    events=(
        _step("seed", "f is seeded: the derivative of f by itself is 1", F, now="1"),
        _step("ready", "f is ready: the output has no consumers", F),
        _step("contribution", "f sends to a, first operand", A, F_FIRST, upstream="1", local="-2", contribution="-2"),
        _step("accumulate", "a accumulates", A, F_FIRST, old="0", contribution="-2", now="-2"),
        _step("contribution", "f sends to w, second operand", W, F_SECOND, upstream="1", local="9", contribution="9"),
        _step("accumulate", "w accumulates", W, F_SECOND, old="0", contribution="9", now="9"),
        _step("ready", "a is ready: its only consumer is done", A),
        _step("contribution", "a sends to x, first operand", X, A_FIRST, upstream="-2", local="3", contribution="-6"),
        _step("accumulate", "x accumulates", X, A_FIRST, old="0", contribution="-6", now="-6"),
        _step("contribution", "a sends to x, second operand", X, A_SECOND, upstream="-2", local="3", contribution="-6"),
        _step("accumulate", "x accumulates", X, A_SECOND, old="-6", contribution="-6", now="-12"),
        _step("end", "The pass ends: all 4 gradients agree"),
    ),
)
