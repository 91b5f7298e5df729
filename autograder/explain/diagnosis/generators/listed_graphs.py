"""Explains wrong graphs by applying one misunderstanding of `next_functions` to the right graph.

This works on answers of the form `{"root", "nodes", "edges"}`. Both sides are renumbered, so the traversal order does not
matter. A misunderstanding that would have given another graph in one of the failed checks is rejected.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from autograder.explain.diagnosis.evidence import Evidence, MistakeClaim, Pair, claims_by_key
from autograder.explain.diagnosis.fingerprint import plain

Slots = list[tuple[int | None, int]]  # target and output number of each slot
Slot = tuple[int, int | None, int]  # its number, target and output number
MAX_NODES = 4000
LEAF = "AccumulateGrad"
SHIFTED = ((True, False, False), (False, True, False), (False, False, True), (True, False, True), (True, True, True))


class ListedGraph:
    """A graph as exercises list it: the type name and slots of every node; node 0 is the root."""

    def __init__(self, names: list[str], slots: list[Slots]) -> None:
        self.names, self.slots = names, slots

    def listed(self, n: int) -> list[Slot]:
        return [(s, t, o) for s, (t, o) in enumerate(self.slots[n])]

    def filled(self, n: int) -> list[Slot]:
        return [slot for slot in self.listed(n) if slot[1] is not None]

    def answer(self, listed: Callable[[int], list[Slot]] | None = None) -> dict[str, Any]:
        edges = [(n, s, t, o) for n in range(len(self.names)) for s, t, o in (listed or self.listed)(n)]
        return {"root": 0 if self.names else None, "nodes": list(self.names), "edges": edges}


Edit = Callable[[ListedGraph], dict[str, Any] | None]


class GraphPair:
    """The given and the right graph, each normalised once for all edits."""

    def __init__(self, pair: Pair) -> None:
        self.wrong = not pair.agrees
        raised = pair.given.raised is not None or pair.right.raised is not None
        graph = None if raised or not isinstance(pair.given.value, dict) else _read(pair.right.value)
        self.seed, self.given = pair.seed, pair.given.value
        self.graph = None if graph is None or len(graph.names) > MAX_NODES else graph
        self.edges = 0 if graph is None else sum(map(len, graph.slots))
        self.form = None if self.graph is None else _comparable(self.given)

    @cached_property
    def right(self) -> Any:
        assert self.graph is not None
        return _comparable(self.graph.answer())

    def edited(self, edit: Edit) -> Any:
        """The edited right graph in its comparable form, or None if the edit does not apply."""
        assert self.graph is not None
        answer = edit(self.graph)
        return None if answer is None else _comparable(answer)

    def is_made_by(self, edit: Edit) -> bool:
        edited = self.edited(edit)
        return edited is not None and bool(edited == self.form)


def claims(evidence: Evidence) -> list[MistakeClaim]:
    graphs = {check: [GraphPair(pair) for pair in pairs] for check, pairs in evidence.pairs.items()}
    readable = {}
    for check, own in graphs.items():
        wrong = [graph for graph in own if graph.wrong]
        if {graph.seed for graph in wrong} == set(evidence.seeds) and all(graph.graph is not None for graph in wrong):
            readable[check] = wrong
    everything = [graph for own in graphs.values() for graph in own if graph.graph is not None]
    found = []
    for key, edits in EDITS.items():
        explained = {check for edit in edits for check in _explained(edit, readable, everything)}
        found += [(key, check) for check in readable if check in explained]
    for key, holds in (("wrong-numbering", _all_shifted), ("edges-reversed", _all_reversed)):
        found += [(key, check) for check, wrong in readable.items() if holds(wrong)]
    return claims_by_key(found, "edited-answers")


def _explained(edit: Edit, readable: dict[str, list[GraphPair]], everything: list[GraphPair]) -> list[str]:
    """The checks whose wrong graphs the edit gives, if it gives no other wrong graph anywhere."""
    checks = [check for check, wrong in readable.items() if all(graph.is_made_by(edit) for graph in wrong)]
    return checks if checks and not any(_contradicts(edit, graph) for graph in everything) else []


def _contradicts(edit: Edit, graph: GraphPair) -> bool:
    """Whether the edit gives a wrong graph here that differs from the given one."""
    edited = graph.edited(edit)
    return edited is not None and edited not in (graph.form, graph.right)


def _all_shifted(wrong: Sequence[GraphPair]) -> bool:
    return any(all(_is_shifted(graph, by, places) for graph in wrong) for by in (-1, 1) for places in SHIFTED)


def _is_shifted(graph: GraphPair, by: int, places: tuple[bool, bool, bool]) -> bool:
    """Whether the graph is right except that the numbers of the root, sources or targets are off by one."""
    assert graph.graph is not None
    given = graph.given
    root, source, target = (by if moved else 0 for moved in places)
    try:
        if (len(given["nodes"]), len(given["edges"])) != (len(graph.graph.names), graph.edges):
            return False
        edges = [(a + source, s, None if b is None else b + target, o) for a, s, b, o in given["edges"]]
        moved = {"root": given["root"] + root, "nodes": given["nodes"], "edges": edges}
        inside = all(0 <= a < len(given["nodes"]) and (b is None or b >= 0) for a, _, b, _ in edges)
    except (TypeError, ValueError, KeyError):
        return False
    return inside and bool(_comparable(moved) == graph.right)


def _all_reversed(wrong: Sequence[GraphPair]) -> bool:
    return all(map(_is_reversed, wrong))


def _is_reversed(graph: GraphPair) -> bool:
    """Whether the graph is right except that source and target of every edge are swapped."""
    given = graph.given
    try:
        edges = [(a, s, b, o) if b is None else (b, s, a, o) for a, s, b, o in given["edges"]]
        return bool(_comparable({"root": given["root"], "nodes": given["nodes"], "edges": edges}) == graph.right)
    except (TypeError, ValueError, KeyError):
        return False


def _comparable(graph: dict[str, Any]) -> Any:
    """A renumbered graph if possible; parts that the root does not reach are compared unchanged."""
    renumbered = plain(graph)
    edges = renumbered.get("edges") if isinstance(renumbered, dict) else None
    if not isinstance(edges, list):
        return None
    try:
        return renumbered.get("root"), list(renumbered.get("nodes", ())), sorted(map(repr, map(tuple, edges)))
    except TypeError:  # the value is not a list of edges
        return None


def _read(value: Any) -> ListedGraph | None:
    if not isinstance(value, dict) or sorted(value) != ["edges", "nodes", "root"]:
        return None
    ordered = plain(value)
    slots: list[Slots] = [[] for _ in ordered["nodes"]]
    for source, _, target, output in ordered["edges"]:
        slots[source].append((target, output))
    return ListedGraph(list(ordered["nodes"]), slots)


# -- edits ---------------------------------------------------------------------------------------------------------------


def _without_empty(graph: ListedGraph) -> dict[str, Any]:
    return graph.answer(graph.filled)


def _without_empty_renumbered(graph: ListedGraph) -> dict[str, Any]:
    return graph.answer(lambda n: [(at, t, o) for at, (_, t, o) in enumerate(graph.filled(n))])


def _no_output(graph: ListedGraph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, 0) for s, t, _ in graph.listed(n)])


def _slot_for_output(graph: ListedGraph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, 0 if t is None else s) for s, t, _ in graph.listed(n)])


def _traversed(
    graph: ListedGraph, depth_first: bool, listed: Callable[[Slot, dict[int, int]], Slot | None]
) -> dict[str, Any]:
    """Every slot as `listed` returns it, or without the slots for which that is None. `listed` receives the output numbers
    with which nodes were reached before."""
    known = {0: 0}
    slots: dict[int, list[Slot]] = {}
    waiting = [0] if graph.names else []
    while waiting:
        node = waiting.pop(-1 if depth_first else 0)
        slots[node] = []
        for slot in graph.listed(node):
            kept = listed(slot, known)
            slots[node] += [] if kept is None else [kept]
            _, target, output = slot
            if target is not None and target not in known:
                known[target] = output
                waiting.append(target)
    return graph.answer(lambda n: slots.get(n, []))


def _with_first_output(slot: Slot, known: dict[int, int]) -> Slot:
    """Every edge to a node has the output number with which the node was first reached."""
    number, target, output = slot
    return (number, None, 0) if target is None else (number, target, known.get(target, output))


def _if_new(slot: Slot, known: dict[int, int]) -> Slot | None:
    """Only edges to nodes that the traversal has not visited before are listed."""
    return None if slot[1] in known else slot


def _one_edge_per_pair(graph: ListedGraph) -> dict[str, Any]:
    def listed(n: int) -> list[Slot]:
        targets = [target for target, _ in graph.slots[n]]
        return [slot for slot in graph.listed(n) if slot[1] is None or slot[1] not in targets[: slot[0]]]

    return graph.answer(listed)


def _equal_slots_merged(graph: ListedGraph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, o) for s, (t, o) in enumerate(dict.fromkeys(graph.slots[n]))])


def _by_label(graph: ListedGraph, label: Callable[[ListedGraph, int], Any], depth_first: bool) -> dict[str, Any]:
    """Nodes with equal labels are merged; all edges of the visited nodes are listed."""
    first: dict[Any, int] = {}
    names: list[str] = []
    edges: list[tuple[int, int, int | None, int]] = []

    def number(n: int) -> int:
        if label(graph, n) not in first:
            first[label(graph, n)] = len(names)
            names.append(graph.names[n])
            waiting.append(n)
        return first[label(graph, n)]

    waiting: list[int] = []
    if graph.names:
        number(0)
    while waiting:
        node = waiting.pop(-1 if depth_first else 0)
        source = first[label(graph, node)]
        for slot, (target, output) in enumerate(graph.slots[node]):
            edges.append((source, slot, None if target is None else number(target), output))
    return {"root": 0 if names else None, "nodes": names, "edges": edges}


def _name(graph: ListedGraph, n: int) -> str:
    return graph.names[n]


def _name_and_targets(graph: ListedGraph, n: int) -> Any:
    return graph.names[n], tuple(None if t is None else graph.names[t] for t, _ in graph.slots[n])


def _unfolded(graph: ListedGraph, leaves_only: bool) -> dict[str, Any] | None:
    """Nodes that are reached twice are listed twice: all nodes, or only leaves."""
    names: list[str] = []
    edges: list[tuple[int, int, int | None, int]] = []
    known: dict[int, int] = {}

    def listed(n: int) -> int:
        if leaves_only and graph.slots[n] and n in known:
            return known[n]
        known[n] = len(names)
        names.append(graph.names[n])
        waiting.append((n, known[n]))
        return known[n]

    waiting: list[tuple[int, int]] = []
    if graph.names:
        listed(0)
    while waiting:
        node, source = waiting.pop()
        if len(names) > MAX_NODES:
            return None
        for slot, (target, output) in enumerate(graph.slots[node]):
            edges.append((source, slot, None if target is None else listed(target), output))
    return {"root": 0 if names else None, "nodes": names, "edges": edges}


def _without_leaves(empty: bool) -> Callable[[ListedGraph], dict[str, Any] | None]:
    """`AccumulateGrad` nodes are omitted; slots that lead to them are empty or omitted."""

    def edit(graph: ListedGraph) -> dict[str, Any] | None:
        kept = [n for n, name in enumerate(graph.names) if name != LEAF]
        number = {n: at for at, n in enumerate(kept)}
        edges = [
            (number[n], slot, number.get(target) if target is not None else None, output if target in number else 0)
            for n in kept
            for slot, (target, output) in enumerate(graph.slots[n])
            if empty or target is None or target in number
        ]
        return {"root": 0 if kept else None, "nodes": [graph.names[n] for n in kept], "edges": edges}

    return edit


BOTH = (True, False)
EDITS: dict[str, tuple[Edit, ...]] = {
    "drops-none-slots": (_without_empty, _without_empty_renumbered),
    "loses-output-index": (
        *(_no_output, _slot_for_output),
        *(partial(_traversed, depth_first=depth, listed=_with_first_output) for depth in BOTH),
    ),
    "drops-leaves": (_without_leaves(True), _without_leaves(False)),
    "drops-repeated-edges": tuple(partial(_traversed, depth_first=depth, listed=_if_new) for depth in BOTH),
    "lost-multiplicity": (_one_edge_per_pair, _equal_slots_merged),
    "duplicates-shared": (partial(_unfolded, leaves_only=False), partial(_unfolded, leaves_only=True)),
    "identity-by-name": tuple(
        partial(_by_label, label=label, depth_first=depth) for label in (_name, _name_and_targets) for depth in BOTH
    ),
}
