"""Merges the expected and the given graph: common nodes become one spot, all others keep the side that they are on.

Positions and steps are computed on the merged graph, so a node has the same position in every view.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.trace.model import Edge, Event, Trace, TraceGraph, TraceNode

Side = Literal["both", "expected", "given"]


@dataclass(frozen=True)
class Spot:
    """A node of one or both graphs, or a card that represents `count` nodes."""

    node: TraceNode
    side: Side = "both"
    count: int = 1


@dataclass(frozen=True)
class Way:
    """An edge of one or both graphs between spots. At a card, it represents `count` edges."""

    operand: int
    consumer: int
    position: int = 0
    side: Side = "both"
    count: int = 1


@dataclass(frozen=True)
class Merged:
    """Spots and ways, and the maps from node and edge numbers of both graphs to them. Edges inside a card map to None."""

    spots: tuple[Spot, ...]
    ways: tuple[Way, ...]
    expected_spots: tuple[int, ...]
    given_spots: tuple[int, ...]
    expected_ways: tuple[int | None, ...]
    given_ways: tuple[int | None, ...]

    @property
    def is_folded(self) -> bool:
        return any(spot.count > 1 for spot in self.spots)

    def spot_of(self, event: Event) -> int | None:
        """The spot of an event, in the expected graph if it has one there."""
        found = _at(self.expected_spots, event.node)
        return _at(self.given_spots, event.given_node) if found is None else found

    def way_of(self, event: Event) -> int | None:
        found = _at(self.expected_ways, event.edge)
        return _at(self.given_ways, event.given_edge) if found is None else found

    def given_spot_of(self, event: Event) -> int | None:
        found = _at(self.given_spots, event.given_node)
        return self.spot_of(event) if found is None else found

    def given_way_of(self, event: Event) -> int | None:
        found = _at(self.given_ways, event.given_edge)
        return self.way_of(event) if found is None else found


def _at(numbers: Sequence[int | None], index: int | None) -> int | None:
    return numbers[index] if index is not None and 0 <= index < len(numbers) else None


def merge(trace: Trace) -> Merged:
    """Merge the graphs of a trace. A trace without a given graph has the same graph on both sides."""
    if trace.given is None:
        ways, places = _ways_of(trace.expected, range(len(trace.expected.nodes)), "both")
        same = tuple(range(len(trace.expected.nodes)))
        return Merged(tuple(Spot(node) for node in trace.expected.nodes), tuple(ways), same, same, places, places)
    return _laid_on(trace.expected, trace.given, trace.events)


def _laid_on(expected: TraceGraph, given: TraceGraph, events: Sequence[Event]) -> Merged:
    twins = _twins(expected, given, events)
    spots = [Spot(node, "expected") for node in expected.nodes]
    given_spots = []
    for index, node in enumerate(given.nodes):
        if index in twins:
            spots[twins[index]] = Spot(expected.nodes[twins[index]])
            given_spots.append(twins[index])
        else:
            given_spots.append(len(spots))
            spots.append(Spot(node, "given"))
    own = tuple(range(len(expected.nodes)))
    ways, expected_ways = _ways_of(expected, own, "expected")
    theirs, places = _ways_of(given, given_spots, "given")
    free: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for place, way in enumerate(ways):
        free[way.operand, way.consumer, way.position].append(place)
    moved: list[int | None] = []
    for way in theirs:
        same = free[way.operand, way.consumer, way.position]
        if same:
            place = same.pop(0)
            moved.append(place)
            ways[place] = Way(way.operand, way.consumer, way.position)
        else:
            moved.append(len(ways))
            ways.append(way)
    given_ways = tuple(None if place is None else moved[place] for place in places)
    return Merged(tuple(spots), tuple(ways), own, tuple(given_spots), expected_ways, given_ways)


def _twins(expected: TraceGraph, given: TraceGraph, events: Sequence[Event]) -> dict[int, int]:
    """Map given nodes to expected nodes: first those paired by events, then those with equal label and operation, in
    order.
    """
    twins: dict[int, int] = {}
    taken: set[int] = set()

    def pair(theirs: int, ours: int) -> None:
        if theirs not in twins and ours not in taken:
            twins[theirs] = ours
            taken.add(ours)

    for event in events:
        theirs, ours = event.given_node, event.node
        if theirs is not None and ours is not None and theirs < len(given.nodes) and ours < len(expected.nodes):
            pair(theirs, ours)
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, node in enumerate(expected.nodes):
        if not node.odd and index not in taken:
            waiting[node.label, node.operation].append(index)
    for index, node in enumerate(given.nodes):
        alike = waiting[node.label, node.operation]
        if not node.odd and index not in twins and alike:
            pair(index, alike.pop(0))
    return twins


def _ways_of(graph: TraceGraph, spots: Sequence[int], side: Side) -> tuple[list[Way], tuple[int | None, ...]]:
    """Edges in the order of the graph. Edges that refer to missing nodes are left out."""
    ways: list[Way] = []
    places: list[int | None] = []
    for edge in graph.edges:
        if _is_inside(edge, len(graph.nodes)):
            places.append(len(ways))
            ways.append(Way(spots[edge.operand], spots[edge.consumer], edge.position, side))
        else:
            places.append(None)
    return ways, tuple(places)


def _is_inside(edge: Edge, count: int) -> bool:
    return 0 <= edge.operand < count and 0 <= edge.consumer < count
