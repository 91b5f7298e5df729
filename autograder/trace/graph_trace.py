"""Traces a graph that a submission built, compared with the expected graph step by step from the output.

The steps visit the expected graph in the engine's order. They have no numbers: only the functions and their edges are
compared.
"""

from collections import Counter, deque
from dataclasses import dataclass, field

import msgspec

from autograder.judge.checks.graphs import COMMUTATIVE, LEAF, Drawn, Graph, bottom_up, canonical, same
from autograder.judge.text import neutralise
from autograder.trace import model, reasons
from autograder.trace.model import Event, Terms, Trace

NODES = 150
NAME = 80  # maximum length of a name, which may come from a submission
NOTHING = Terms()


def trace_graph(check: str, drawn: Drawn) -> Trace | None:
    """Both graphs and their steps; None for a graph that is empty or too large to draw."""
    if max(len(drawn.expected.nodes), len(drawn.given.nodes)) > 10 * NODES:  # dropping views rarely helps beyond this size
        return None
    right = canonical(drawn.expected, drop_views=drawn.drop_views)
    given = canonical(drawn.given, drop_views=drawn.drop_views)
    if right.root is None or max(len(right.nodes), len(given.nodes)) > NODES:
        return None
    if same(given, right):
        picture = GraphPicture(right)
        steps = tuple(_Steps(picture, None, None).events())
        return Trace(check, drawn.what, picture.graph(set()), steps, quantity="none")
    match = Match(right, given)
    mine, theirs = GraphPicture(right), GraphPicture(given)
    events = _Steps(mine, theirs, match).events()
    first = next(n for n, event in enumerate(events) if event.wrong)
    odd = set(range(len(right.nodes))) - set(match.there)
    other = set(range(len(given.nodes))) - set(match.there.values())
    graphs = mine.graph(odd), theirs.graph(other)
    return Trace(check, drawn.what, graphs[0], tuple(events), given=graphs[1], first_wrong=first, quantity="none")


@dataclass
class Match:
    """Matches two graphs from their roots. `apart` says why a slot, given by node and position, does not match."""

    right: Graph
    given: Graph
    there: dict[int, int] = field(default_factory=dict)
    apart: dict[tuple[int, int], str] = field(default_factory=dict)
    slots: dict[tuple[int, int], int] = field(default_factory=dict)  # the slot of the other node that a slot is matched with
    at_root: str = ""

    def __post_init__(self) -> None:
        if self.right.root is None or self.given.root is None:
            self.at_root = "The result has no graph: no gradient can flow back from it."
            return
        self.at_root = self._meet(self.right.root, self.given.root)
        waiting = deque([] if self.at_root else [self.right.root])
        while waiting:
            number = waiting.popleft()
            waiting.extend(self._compare_slots(number))

    def _meet(self, expected: int, given: int) -> str:
        """Matches two nodes, or returns why they differ."""
        expected_node, given_node = self.right.nodes[expected], self.given.nodes[given]
        if (expected_node.name, expected_node.leaf) != (given_node.name, given_node.leaf):
            return f"Expected {called(self.right, expected)} here, but your graph has {called(self.given, given)}."
        if self.there.get(expected, given) != given:
            name = called(self.right, expected)
            return f"Expected the same {name} node as before, but your graph has a second one."
        if given in self.there.values() and expected not in self.there:
            return f"Expected a separate {called(self.right, expected)} node here, but your graph reuses an existing one."
        if len(expected_node.slots) != len(given_node.slots):
            return f"{called(self.right, expected)} should have {len(expected_node.slots)} operands, but has {len(given_node.slots)}."
        self.there[expected] = given
        return ""

    def _compare_slots(self, number: int) -> list[int]:
        other = self.there[number]
        order = self._order(number, other)
        new = []
        for position, place in enumerate(order):
            self.slots[number, position] = place
            (target, output), (found, given_output) = (
                self.right.nodes[number].slots[position],
                self.given.nodes[other].slots[place],
            )
            if target is None and found is None:
                continue
            if target is None or found is None:
                self.apart[number, position] = self._one_sided(target, found)
                continue
            known = target in self.there
            reason = self._meet(target, found)
            if not reason and output != given_output:
                reason = f"This edge should lead to output {output} of {called(self.right, target)}, not to output {given_output}."
            if reason:
                self.apart[number, position] = reason
            elif not known:
                new.append(target)
        return new

    def _one_sided(self, target: int | None, found: int | None) -> str:
        if target is not None:
            return f"Expected {called(self.right, target)} here, but this slot is empty, so no gradient flows along it."
        return f"Expected a constant here, but your graph has {called(self.given, found or 0)}."

    def _order(self, number: int, other: int) -> list[int]:
        """The slots of the other node in the order that matches best; operands of a commutative function may be swapped."""
        count = len(self.right.nodes[number].slots)
        if count != 2 or self.right.nodes[number].name not in COMMUTATIVE:
            return list(range(count))
        return max(([0, 1], [1, 0]), key=lambda order: sum(self._alike(number, other, n, order[n]) for n in (0, 1)))

    def _alike(self, number: int, other: int, position: int, place: int) -> int:
        expected, given = self.right.nodes[number].slots[position][0], self.given.nodes[other].slots[place][0]
        if expected is None or given is None:
            return 8 * (expected is given)
        if expected in self.there or given in self.there.values():
            return 8 * (self.there.get(expected) == given)
        expected_node, given_node = self.right.nodes[expected], self.given.nodes[given]
        below = [Counter(called(g, t) for t in g.targets(n)) for g, n in ((self.right, expected), (self.given, given))]
        return 4 * ((expected_node.name, expected_node.leaf) == (given_node.name, given_node.leaf)) + 2 * (
            below[0] == below[1]
        )


def called(graph: Graph, number: int) -> str:
    node = graph.nodes[number]
    return node.leaf or neutralise(node.name, NAME)


class GraphPicture:
    """A graph with a label for every node and a number for every edge."""

    def __init__(self, graph: Graph) -> None:
        self.of = graph
        alike = Counter(called(graph, n) for n in range(len(graph.nodes)))
        names = [called(graph, n) for n in range(len(graph.nodes))]
        self.labels = [name if alike[name] == 1 else f"{name} (n{n})" for n, name in enumerate(names)]
        slots = [(n, p) for n, node in enumerate(graph.nodes) for p, (t, _) in enumerate(node.slots) if t is not None]
        self.edges = {slot: number for number, slot in enumerate(slots)}

    def target(self, slot: tuple[int, int]) -> int:
        target = self.of.nodes[slot[0]].slots[slot[1]][0]
        assert target is not None
        return target

    def graph(self, odd: set[int]) -> model.TraceGraph:
        nodes = [
            model.TraceNode(label, neutralise(self.of.nodes[n].name, NAME), leaf=self.of.nodes[n].name == LEAF, odd=n in odd)
            for n, label in enumerate(self.labels)
        ]
        edges = [model.Edge(self.target(slot), *slot, odd=self.target(slot) in odd) for slot in self.edges]
        return model.TraceGraph(tuple(nodes), tuple(edges))

    def order(self) -> list[int]:
        """The nodes in topological order from the root."""
        return bottom_up(self.of)[::-1]


class _Steps:
    """The events of visiting the expected graph, marked where the given graph differs."""

    def __init__(self, right: GraphPicture, given: GraphPicture | None, match: Match | None) -> None:
        self.right, self.given, self.match = right, given, match

    def events(self) -> list[Event]:
        events = [self._seed()]
        for number in self.right.order():
            events.append(self._ready(number))
            events += [self._sends(slot) for slot in self.right.edges if slot[0] == number]
        if self.match is not None and not any(event.wrong for event in events):
            reason = "The functions are not connected as expected."
            return [*events, Event("end", "All functions are visited: the graphs differ", wrong=True, reason=reason)]
        differ = self.match is not None
        says = "All functions are visited: the graphs differ" if differ else "All functions are visited"
        return [*events, Event("end", says, follows=differ)]

    def _node(self, number: int) -> tuple[int | None, Terms | None, bool]:
        """The matching node of the given graph, the given terms of the step, and whether the node is missing."""
        if self.match is None:
            return None, NOTHING, False
        other = self.match.there.get(number)
        return other, None if other is None else NOTHING, other is None

    def _seed(self) -> Event:
        root = self.right.of.root or 0
        other, given, missing = self._node(root)
        reason = self.match.at_root if self.match is not None else ""
        says = f"The graph starts at {self.right.labels[root]}"
        return Event(
            "seed", says, root, None, other, None, NOTHING, given, bool(reason), missing and not reason, reason=reason
        )

    def _ready(self, number: int) -> Event:
        label = self.right.labels[number]
        other, given, missing = self._node(number)
        if self.right.of.nodes[number].name == LEAF:
            return Event("ready", f"{label} is a leaf", number, None, other, None, NOTHING, given, follows=missing)
        return Event("ready", f"{label} is visited", number, None, other, None, NOTHING, given, follows=missing)

    def _sends(self, slot: tuple[int, int]) -> Event:
        number, position = slot
        target = self.right.target(slot)
        says = reasons.leads(
            self.right.labels[number], self.right.labels[target], position, len(self.right.of.nodes[number].slots)
        )
        event = Event("contribution", says, target, self.right.edges[slot], expected=NOTHING, given=NOTHING)
        if self.match is None or self.given is None:
            return event
        reason = self.match.apart.get(slot, "")
        other = self.match.there.get(number)
        place = None if other is None else self.given.edges.get((other, self.match.slots.get(slot, -1)))
        return msgspec.structs.replace(
            event,
            given_node=self.match.there.get(target),
            given_edge=place,
            given=None if place is None else NOTHING,
            wrong=bool(reason),
            follows=other is None,
            reason=reason,
        )
