"""Finds the wrong step that caused each later wrong value, by following marks along the edges of the graph."""

from collections.abc import Iterator

from autograder.trace.model import Edge, Event, Trace, TraceGraph


def causes(trace: Trace) -> Iterator[int | None]:
    """For each event that follows from a wrong step, yield the number of that step, counted from 1. None where the log
    does not determine it.
    """
    blamed: dict[tuple[bool, int], int] = {}
    first: int | None = None
    for number, event in enumerate(trace.events, 1):
        cause = None
        if event.wrong:
            first = first or number
            cause = number
        elif event.follows:
            cause = first if event.kind == "end" else next((blamed[p] for p in _places(trace, event) if p in blamed), None)
        for place in _own(event):
            if cause is not None:
                blamed[place] = cause
        yield cause if event.follows else None


def _own(event: Event) -> list[tuple[bool, int]]:
    """The node of an event in the given graph and in the expected one, if it has them."""
    both = ((True, event.given_node), (False, event.node))
    return [(is_given, node) for is_given, node in both if node is not None]


def _places(trace: Trace, event: Event) -> Iterator[tuple[bool, int]]:
    """Candidates for the location of the cause, nearest first: the sender, the receiver, the operands of the local
    derivative, all consumers.
    """
    sides = ((True, trace.given, event.given_edge), (False, trace.expected, event.edge))
    edges = [(is_given, graph, graph.edges[n]) for is_given, graph, n in sides if graph and n is not None and _has(graph, n)]
    if event.kind == "accumulate":
        yield from _own(event)
    for is_given, _, edge in edges:
        yield is_given, edge.consumer
    yield from _own(event)
    for is_given, graph, edge in edges:
        yield from ((is_given, other.operand) for other in _into(graph, edge.consumer))
    for is_given, node in _own(event):
        drawn = trace.given if is_given else trace.expected
        yield from ((is_given, edge.consumer) for edge in (drawn.edges if drawn else ()) if edge.operand == node)


def _has(graph: TraceGraph, edge: int) -> bool:
    return 0 <= edge < len(graph.edges)


def _into(graph: TraceGraph, consumer: int) -> list[Edge]:
    return [edge for edge in graph.edges if edge.consumer == consumer]
