"""Hand-written logs, each with one aspect that the player must get right."""

import msgspec

from autograder.trace.model import Edge, Event, EventKind, Term, Terms, Trace, TraceGraph, TraceNode
from autograder.web.player.front_page import LOG


def number(value: float | str) -> Term:
    return Term(value if isinstance(value, str) else f"{value:g}")


def sent(upstream: float, local: float) -> Terms:
    return Terms(upstream=number(upstream), local=number(local), contribution=number(upstream * local))


def summed(old: float, contribution: float, now: float | None = None) -> Terms:
    return Terms(old=number(old), contribution=number(contribution), now=number(old + contribution if now is None else now))


def agreed(
    kind: EventKind,
    says: str,
    terms: Terms | None = None,
    *,
    node: int | None = None,
    edge: int | None = None,
    line: int | None = None,
) -> Event:
    return Event(kind, says, node=node, edge=edge, given_node=node, given_edge=edge, expected=terms, given=terms, line=line)


def shared_value() -> Trace:
    """f = (x · x) · w, where the second contribution overwrites the first."""
    return msgspec.json.decode(LOG.read_bytes(), type=Trace)


def fan_out() -> Trace:
    """a is used by b and c, and sends its gradient on before c's has arrived."""
    graph = TraceGraph(
        (
            TraceNode("x", "in", "2", leaf=True),
            TraceNode("a", "exp", "7.38905609893065"),
            TraceNode("b", "sin", "0.8"),
            TraceNode("c", "cos", "0.4"),
            TraceNode("d", "+", "1.2"),
        ),
        (Edge(0, 1), Edge(1, 2), Edge(1, 3), Edge(2, 4), Edge(3, 4, 1)),
    )
    events = (
        agreed("seed", "d is seeded", Terms(now=number(1)), node=4),
        agreed("contribution", "d sends to b, first operand", sent(1, 1), node=2, edge=3, line=4),
        agreed("accumulate", "b accumulates", summed(0, 1), node=2, edge=3, line=4),
        agreed("contribution", "d sends to c, second operand", sent(1, 1), node=3, edge=4, line=5),
        agreed("accumulate", "c accumulates", summed(0, 1), node=3, edge=4, line=5),
        agreed("contribution", "b sends to a", sent(1, 0.5), node=1, edge=1, line=9),
        agreed("accumulate", "a accumulates", summed(0, 0.5), node=1, edge=1, line=9),
        Event(
            "ready",
            "a is ready: one of its two consumers is not done",
            node=1,
            wrong=True,
            line=20,
            reason="a sends on before c has sent to it.",
        ),
        Event(
            "contribution",
            "a sends to x",
            node=0,
            edge=0,
            expected=sent(0.25, 7.38905609893065),
            given=sent(0.5, 7.38905609893065),
            follows=True,
            line=12,
        ),
        Event(
            "accumulate",
            "x accumulates",
            node=0,
            edge=0,
            expected=summed(0, 1.84726),
            given=summed(0, 3.69453),
            follows=True,
            line=12,
        ),
        agreed("end", "The pass ends: 1 of 5 gradients is wrong (x)"),
    )
    return Trace("fan-out", "d = sin(exp(x)) + cos(exp(x))", graph, events, inputs={"x": "2"}, first_wrong=7)


def missing_and_doubled() -> Trace:
    """a + b: nothing reaches a, and b gets its contribution twice."""
    graph = TraceGraph(
        (TraceNode("a", "in", "1", leaf=True), TraceNode("b", "in", "2", leaf=True), TraceNode("s", "+", "3")),
        (Edge(0, 2), Edge(1, 2, 1)),
    )
    once = sent(1, 1)
    events = (
        agreed("seed", "s is seeded", Terms(now=number(1)), node=2),
        Event(
            "contribution",
            "s sends to a, first operand",
            node=0,
            edge=0,
            expected=once,
            wrong=True,
            reason="s never sends to its first operand.",
        ),
        Event("accumulate", "a accumulates", node=0, edge=0, expected=summed(0, 1), follows=True),
        agreed("contribution", "s sends to b, second operand", once, node=1, edge=1, line=7),
        agreed("accumulate", "b accumulates", summed(0, 1), node=1, edge=1, line=7),
        Event(
            "contribution",
            "s sends to b, second operand",
            node=1,
            edge=1,
            given=once,
            wrong=True,
            line=8,
            reason="s sends to b a second time.",
        ),
        Event("accumulate", "b accumulates", node=1, edge=1, given=summed(1, 1), follows=True, line=8),
        agreed("end", "The pass ends: 2 of 3 gradients differ"),
    )
    return Trace("missing", "s = a + b", graph, events, first_wrong=1)


def tensors() -> Trace:
    """x @ w + b, where b was broadcast and its gradient is summed back."""
    graph = TraceGraph(
        (
            TraceNode("x", "in", "[[1, 2], [3, 4], [5, 6]]", (3, 2), leaf=True),
            TraceNode("w", "in", "[[0.5, -1], [2, 0.25]]", (2, 2), leaf=True),
            TraceNode("b", "in", "[0.1, -0.2]", (2,), leaf=True),
            TraceNode("h", "@", "[[4.5, -0.5], [9.5, -2], [14.5, -3.5]]", (3, 2)),
            TraceNode("y", "+", "[[4.6, -0.7], [9.6, -2.2], [14.6, -3.7]]", (3, 2)),
        ),
        (Edge(0, 3), Edge(1, 3, 1), Edge(3, 4), Edge(2, 4, 1)),
    )
    ones = Term("[[1, 1], [1, 1], [1, 1]]", (3, 2))
    sums, means = Term("[3, 3]", (2,)), Term("[1, 1]", (2,))
    events = (
        agreed("seed", "y is seeded", Terms(now=ones), node=4),
        agreed("contribution", "y sends to h", Terms(upstream=ones, contribution=ones), node=3, edge=2, line=11),
        agreed("accumulate", "h accumulates", Terms(contribution=ones, now=ones), node=3, edge=2),
        agreed("contribution", "y sends to b", Terms(upstream=ones, contribution=ones), node=2, edge=3, line=12),
        Event(
            "unbroadcast",
            "the contribution is summed to the shape of b",
            node=2,
            edge=3,
            expected=Terms(contribution=ones, now=sums),
            given=Terms(contribution=ones, now=means),
            wrong=True,
            line=13,
            reason="The broadcast axis is averaged, not summed.",
        ),
        Event("grad", "b.grad is written", node=2, expected=Terms(now=sums), given=Terms(now=means), follows=True, line=14),
        agreed("freed", "y frees what it saved", node=4),
        agreed("freed", "h frees what it saved", node=3),
        agreed("end", "The pass ends: 1 gradient is wrong (b)"),
    )
    return Trace("tensors", "y = x @ w + b", graph, events, first_wrong=4)


def other_shape() -> Trace:
    """Expected: one product of x with itself. Given: a square node instead, and an unused node."""
    expected = TraceGraph(
        (TraceNode("x", "in", "3", leaf=True), TraceNode("s", "*", "9", odd=True), TraceNode("f", "exp", "8103.08")),
        (Edge(0, 1), Edge(0, 1, 1), Edge(1, 2)),
    )
    given = TraceGraph(
        (
            TraceNode("x", "in", "3", leaf=True),
            TraceNode("c", "clone", "3", odd=True),
            TraceNode("q", "**", "9", odd=True),
            TraceNode("f", "exp", "8103.08"),
        ),
        (Edge(0, 1, odd=True), Edge(1, 2, odd=True), Edge(2, 3)),
    )
    one = Terms(now=number(1))
    events = (
        Event("seed", "f is seeded", node=2, given_node=3, expected=one, given=one),
        Event(
            "contribution",
            "f sends to s",
            node=1,
            edge=2,
            expected=sent(1, 8103.08),
            wrong=True,
            reason="Your graph has no product here.",
        ),
        Event("contribution", "f sends to q", given_node=2, given_edge=2, given=sent(1, 8103.08), follows=True),
        Event("accumulate", "s accumulates", node=1, edge=2, expected=summed(0, 8103.08), follows=True),
        Event("accumulate", "q accumulates", given_node=2, given_edge=2, given=summed(0, 8103.08), follows=True),
        Event(
            "accumulate",
            "x accumulates",
            node=0,
            edge=0,
            given_node=0,
            given_edge=0,
            expected=summed(0, 24309.24),
            given=summed(0, 48618.48),
            follows=True,
        ),
        agreed("end", "The pass ends"),
    )
    return Trace("shape", "f = exp(x * x)", expected, events, given=given, first_wrong=1)


def long_chain(nodes: int = 80, wrong_at: int = 20) -> Trace:
    """x · w0 · w1 …, where one product in the middle sends a wrong number on."""
    products = nodes // 2
    labels = [TraceNode("x", "in", "1", leaf=True)]
    edges = []
    for index in range(products):
        labels += [TraceNode(f"w{index}", "in", "1", leaf=True), TraceNode(f"p{index}", "*", "1")]
        edges += [Edge(2 * index, 2 * index + 2), Edge(2 * index + 1, 2 * index + 2, 1)]
    graph = TraceGraph(tuple(labels), tuple(edges))
    events = [agreed("seed", f"p{products - 1} is seeded", Terms(now=number(1)), node=2 * products)]
    first = None
    for index in range(products - 1, -1, -1):
        for edge in (2 * index, 2 * index + 1):
            wrong, late = index == wrong_at and edge == 2 * index, index < wrong_at
            if wrong:
                first = len(events)
            events += _sent_along(graph, edge, wrong=wrong, late=late)
    events.append(agreed("end", "The pass ends"))
    return Trace("long", "for w in ws: x = x * w", graph, tuple(events), first_wrong=first)


def _sent_along(graph: TraceGraph, number_of_edge: int, *, wrong: bool, late: bool) -> list[Event]:
    edge = graph.edges[number_of_edge]
    consumer, operand = graph.nodes[edge.consumer].label, graph.nodes[edge.operand].label
    send = Event(
        "contribution",
        f"{consumer} sends to {operand}",
        node=edge.operand,
        edge=number_of_edge,
        expected=sent(1, 1),
        given=sent(1, 2) if wrong else sent(2, 1) if late else sent(1, 1),
        wrong=wrong,
        follows=late,
        line=edge.consumer,
        reason=f"{consumer} sends twice its gradient." if wrong else "",
    )
    add = Event(
        "accumulate",
        f"{operand} accumulates",
        node=edge.operand,
        edge=number_of_edge,
        expected=summed(0, 1),
        given=summed(0, 2 if wrong or late else 1),
        follows=wrong or late,
        line=edge.consumer,
    )
    return [send, add]


HOSTILE = "<b>x</b>\"'&\u202e\u200f\x07"


def hostile() -> Trace:
    """Every text in the log is an injection attempt."""
    graph = TraceGraph(
        (TraceNode(HOSTILE, "in", HOSTILE, leaf=True), TraceNode(f"{HOSTILE}2", HOSTILE, HOSTILE)),
        (Edge(0, 1), Edge(0, 1, 1), Edge(7, 9)),
    )
    terms = Terms(upstream=Term(HOSTILE), local=Term(HOSTILE), contribution=Term(HOSTILE), now=Term(HOSTILE))
    events = (
        agreed("seed", HOSTILE, terms, node=1),
        Event(
            "contribution",
            f"{HOSTILE}: {HOSTILE}",
            node=0,
            edge=0,
            expected=terms,
            given=Terms(now=Term("</script><script>alert(1)</script>")),
            wrong=True,
            reason=HOSTILE,
        ),
        Event("accumulate", HOSTILE, node=99, edge=99, expected=terms, given=terms, follows=True, line=3),
        agreed("end", "The pass ends"),
    )
    return Trace(HOSTILE, HOSTILE, graph, events, inputs={HOSTILE: HOSTILE}, first_wrong=1)


ALL = (shared_value, fan_out, missing_and_doubled, tensors, other_shape, long_chain, hostile)


# f = (x · x) · w at x = 3, w = −2, without errors
X, W, A, F = range(4)
A_FIRST, A_SECOND, F_FIRST, F_SECOND = range(4)

_GRAPH = TraceGraph(
    (
        TraceNode("x", "in", "3", leaf=True),
        TraceNode("w", "in", "-2", leaf=True),
        TraceNode("a", "*", "9"),
        TraceNode("f", "*", "-18"),
    ),
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
        _step("ready", "f is ready: the output waits for nobody", F),
        _step("contribution", "f sends to a, first operand", A, F_FIRST, upstream="1", local="-2", contribution="-2"),
        _step("accumulate", "a accumulates", A, F_FIRST, old="0", contribution="-2", now="-2"),
        _step("contribution", "f sends to w, second operand", W, F_SECOND, upstream="1", local="9", contribution="9"),
        _step("accumulate", "w accumulates", W, F_SECOND, old="0", contribution="9", now="9"),
        _step("ready", "a is ready: its one consumer is done", A),
        _step("contribution", "a sends to x, first operand", X, A_FIRST, upstream="-2", local="3", contribution="-6"),
        _step("accumulate", "x accumulates", X, A_FIRST, old="0", contribution="-6", now="-6"),
        _step("contribution", "a sends to x, second operand", X, A_SECOND, upstream="-2", local="3", contribution="-6"),
        _step("accumulate", "x accumulates", X, A_SECOND, old="-6", contribution="-6", now="-12"),
        _step("end", "The pass ends: all 4 gradients agree"),
    ),
)
