"""Explains wrong graphs by applying one misunderstanding of `next_functions` to the right graph.

This works on answers of the form `{"root", "nodes", "edges"}`. Both sides are renumbered, so the traversal order does not
matter. A misunderstanding that would have given another graph in one of the failed checks is rejected.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from autograder.judge.diagnosis.evidence import Evidence, Finding, Pair
from autograder.judge.diagnosis.fingerprint import plain

Slots = list[tuple[int | None, int]]  # target and output number of each slot
LIMIT = 4000
LEAF = "AccumulateGrad"
SHIFTED = ((True, False, False), (False, True, False), (False, False, True), (True, False, True), (True, True, True))


class Graph:
    """The type name and slots of every node; node 0 is the root."""

    def __init__(self, names: list[str], slots: list[Slots]) -> None:
        self.names, self.slots = names, slots

    def answer(self, slots: Callable[[int], list[tuple[int, int | None, int]]] | None = None) -> dict[str, Any]:
        listed = slots or (lambda n: [(s, t, o) for s, (t, o) in enumerate(self.slots[n])])
        edges = [(n, s, t, o) for n in range(len(self.names)) for s, t, o in listed(n)]
        return {"root": 0 if self.names else None, "nodes": list(self.names), "edges": edges}


Edit = Callable[[Graph], dict[str, Any] | None]


class Look:
    """The given and the right graph, each normalised once for all edits."""

    def __init__(self, pair: Pair) -> None:
        self.wrong = not pair.agrees
        raised = pair.given.raised is not None or pair.right.raised is not None
        graph = None if raised or not isinstance(pair.given.value, dict) else _read(pair.right.value)
        self.seed, self.given = pair.seed, pair.given.value
        self.graph = None if graph is None or len(graph.names) > LIMIT else graph
        self.edges = 0 if graph is None else sum(map(len, graph.slots))
        self.form = None if self.graph is None else _comparable(self.given)

    @cached_property
    def right(self) -> Any:
        assert self.graph is not None
        return _comparable(self.graph.answer())


def findings(evidence: Evidence) -> list[Finding]:
    looks = {check: [Look(pair) for pair in pairs] for check, pairs in evidence.pairs.items()}
    readable = {
        check: wrong
        for check, wrong in ((check, [look for look in own if look.wrong]) for check, own in looks.items())
        if {look.seed for look in wrong} == set(evidence.seeds) and all(look.graph is not None for look in wrong)
    }
    everything = [look for own in looks.values() for look in own if look.graph is not None]
    found = []
    for key, variants in EDITS.items():
        made = [[c for c, wrong in readable.items() if all(_made_by(edit, look) for look in wrong)] for edit in variants]
        checks = [
            set(own)
            for edit, own in zip(variants, made, strict=True)
            if own and not any(_contradicts(edit, look) for look in everything)
        ]
        if checks:
            found.append(Finding((key,), tuple(c for c in readable if c in set.union(*checks)), "surgery"))
    for key, holds in (("wrong-numbering", _all_shifted), ("edges-reversed", _all_reversed)):
        own = tuple(check for check, wrong in readable.items() if holds(wrong))
        found += [Finding((key,), own, "surgery")] if own else []
    return found


def _made_by(edit: Edit, look: Look) -> bool:
    assert look.graph is not None
    edited = edit(look.graph)
    return edited is not None and bool(_comparable(edited) == look.form)


def _contradicts(edit: Edit, look: Look) -> bool:
    """Whether the edit gives a wrong graph here that differs from the given one."""
    assert look.graph is not None
    edited = edit(look.graph)
    return edited is not None and _comparable(edited) not in (look.form, look.right)


def _all_shifted(wrong: Sequence[Look]) -> bool:
    return any(all(_is_shifted(look, by, places) for look in wrong) for by in (-1, 1) for places in SHIFTED)


def _all_reversed(wrong: Sequence[Look]) -> bool:
    return all(map(_is_reversed, wrong))


def _is_reversed(look: Look) -> bool:
    """Whether the graph is right except that source and target of every edge are swapped."""
    given = look.given
    try:
        edges = [(a, s, b, o) if b is None else (b, s, a, o) for a, s, b, o in given["edges"]]
        return bool(_comparable({"root": given["root"], "nodes": given["nodes"], "edges": edges}) == look.right)
    except (TypeError, ValueError, KeyError):
        return False


def _is_shifted(look: Look, by: int, places: tuple[bool, bool, bool]) -> bool:
    """Whether the graph is right except that the numbers of the root, sources or targets are off by one."""
    assert look.graph is not None
    given = look.given
    root, source, target = (by if moved else 0 for moved in places)
    try:
        if (len(given["nodes"]), len(given["edges"])) != (len(look.graph.names), look.edges):
            return False
        edges = [(a + source, s, None if b is None else b + target, o) for a, s, b, o in given["edges"]]
        moved = {"root": given["root"] + root, "nodes": given["nodes"], "edges": edges}
        inside = all(0 <= a < len(given["nodes"]) and (b is None or b >= 0) for a, _, b, _ in edges)
    except (TypeError, ValueError, KeyError):
        return False
    return inside and bool(_comparable(moved) == look.right)


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


def _read(value: Any) -> Graph | None:
    if not isinstance(value, dict) or sorted(value) != ["edges", "nodes", "root"]:
        return None
    ordered = plain(value)
    slots: list[Slots] = [[] for _ in ordered["nodes"]]
    for source, _, target, output in ordered["edges"]:
        slots[source].append((target, output))
    return Graph(list(ordered["nodes"]), slots)


# -- edits -------------------------------------------------------------------------------------------------------------


def _without_empty(graph: Graph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, o) for s, (t, o) in enumerate(graph.slots[n]) if t is not None])


def _without_empty_renumbered(graph: Graph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, o) for s, (t, o) in enumerate(x for x in graph.slots[n] if x[0] is not None)])


def _no_output(graph: Graph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, 0) for s, (t, _) in enumerate(graph.slots[n])])


def _slot_for_output(graph: Graph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, 0 if t is None else s) for s, (t, _) in enumerate(graph.slots[n])])


def _first_output(graph: Graph, depth_first: bool) -> dict[str, Any]:
    """Every edge to a node has the output number with which the node was first reached."""
    known: dict[int, int] = {0: 0}
    listed: dict[int, list[tuple[int, int | None, int]]] = {}
    waiting = [0] if graph.names else []
    while waiting:
        node = waiting.pop(-1 if depth_first else 0)
        listed[node] = []
        for slot, (target, output) in enumerate(graph.slots[node]):
            if target is not None and target not in known:
                known[target] = output
                waiting.append(target)
            listed[node].append((slot, target, 0 if target is None else known[target]))
    return graph.answer(lambda n: listed.get(n, []))


def _one_edge_per_pair(graph: Graph) -> dict[str, Any]:
    def listed(n: int) -> list[tuple[int, int | None, int]]:
        met: set[int] = set()
        kept = []
        for slot, (target, output) in enumerate(graph.slots[n]):
            if target is None or target not in met:
                kept.append((slot, target, output))
            if target is not None:
                met.add(target)
        return kept

    return graph.answer(listed)


def _edges_to_new_nodes(graph: Graph, depth_first: bool) -> dict[str, Any]:
    """Only edges to nodes that the traversal has not visited before are listed."""
    known = {0}
    listed: dict[int, list[tuple[int, int | None, int]]] = {}
    waiting = [0] if graph.names else []
    while waiting:
        node = waiting.pop(-1 if depth_first else 0)
        slots = list(enumerate(graph.slots[node]))
        listed[node] = [(slot, target, output) for slot, (target, output) in slots if target is None]
        for slot, (target, output) in slots:
            if target is not None and target not in known:
                known.add(target)
                waiting.append(target)
                listed[node].append((slot, target, output))
    return graph.answer(lambda n: listed.get(n, []))


def _equal_slots_merged(graph: Graph) -> dict[str, Any]:
    return graph.answer(lambda n: [(s, t, o) for s, (t, o) in enumerate(dict.fromkeys(graph.slots[n]))])


def _by_label(graph: Graph, label: Callable[[int], Any], depth_first: bool) -> dict[str, Any]:
    """Nodes with equal labels are merged; all edges of the visited nodes are listed."""
    first: dict[Any, int] = {}
    names: list[str] = []
    edges: list[tuple[int, int, int | None, int]] = []

    def number(n: int) -> int:
        if label(n) not in first:
            first[label(n)] = len(names)
            names.append(graph.names[n])
            waiting.append(n)
        return first[label(n)]

    waiting: list[int] = []
    if graph.names:
        number(0)
    while waiting:
        node = waiting.pop(-1 if depth_first else 0)
        source = first[label(node)]
        for slot, (target, output) in enumerate(graph.slots[node]):
            edges.append((source, slot, None if target is None else number(target), output))
    return {"root": 0 if names else None, "nodes": names, "edges": edges}


def _below(graph: Graph, n: int) -> Any:
    return graph.names[n], tuple(None if t is None else graph.names[t] for t, _ in graph.slots[n])


def _unfolded(graph: Graph, leaves_only: bool) -> dict[str, Any] | None:
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
        if len(names) > LIMIT:
            return None
        for slot, (target, output) in enumerate(graph.slots[node]):
            edges.append((source, slot, None if target is None else listed(target), output))
    return {"root": 0 if names else None, "nodes": names, "edges": edges}


def _without_leaves(empty: bool) -> Callable[[Graph], dict[str, Any] | None]:
    """`AccumulateGrad` nodes are omitted; slots that lead to them are empty or omitted."""

    def edit(graph: Graph) -> dict[str, Any] | None:
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


EDITS: dict[str, tuple[Edit, ...]] = {
    "drops-none-slots": (_without_empty, _without_empty_renumbered),
    "loses-output-index": (
        _no_output,
        _slot_for_output,
        lambda g: _first_output(g, True),
        lambda g: _first_output(g, False),
    ),
    "drops-leaves": (_without_leaves(True), _without_leaves(False)),
    "drops-repeated-edges": (lambda g: _edges_to_new_nodes(g, True), lambda g: _edges_to_new_nodes(g, False)),
    "lost-multiplicity": (_one_edge_per_pair, _equal_slots_merged),
    "duplicates-shared": (lambda g: _unfolded(g, False), lambda g: _unfolded(g, True)),
    "identity-by-name": (
        lambda g: _by_label(g, lambda n: g.names[n], True),
        lambda g: _by_label(g, lambda n: g.names[n], False),
        lambda g: _by_label(g, lambda n: _below(g, n), True),
        lambda g: _by_label(g, lambda n: _below(g, n), False),
    ),
}
