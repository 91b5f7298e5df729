"""Graph comparison against brute force, at sizes that break recursion, and on answers that are no graphs."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.graphs import (
    COMMUTATIVE,
    NODE_LIMIT,
    Graph,
    GraphError,
    Node,
    bottom_up,
    canonical,
    read,
    same,
)

ARITY = {"Add": 2, "Mul": 2, "Sub": 2, "Exp": 1}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A small graph in canonical form, with few names so that many of its nodes are alike."""
    inner, leaf_count = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    nodes = []
    for n in range(inner):
        name = draw(st.sampled_from(sorted(ARITY)))
        targets = st.one_of(st.none(), st.integers(n + 1, inner + leaf_count - 1))
        slots = [draw(targets) for _ in range(ARITY[name])]
        nodes.append(Node(name, None, tuple((t, 0 if t is None or t >= inner else draw(st.integers(0, 1))) for t in slots)))
    nodes += [Node("AccumulateGrad", draw(st.sampled_from([None, "a"])), ()) for _ in range(leaf_count)]
    return canonical(Graph(0, tuple(nodes)))


def shuffled(graph: Graph, data: st.DataObject) -> Graph:
    """The same graph: nodes in another order, operands of commutative nodes swapped here and there."""
    order = data.draw(st.permutations(range(len(graph.nodes))))
    place = {old: new for new, old in enumerate(order)}
    nodes = []
    for old in order:
        node = graph.nodes[old]
        slots = [(None if t is None else place[t], out) for t, out in node.slots]
        if node.name in COMMUTATIVE and data.draw(st.booleans()):
            slots.reverse()
        nodes.append(replace(node, slots=tuple(slots)))
    return Graph(place[0], tuple(nodes))


def with_an_edge_moved(graph: Graph, data: st.DataObject) -> Graph:
    places = [(n, s) for n, node in enumerate(graph.nodes) for s in range(len(node.slots))]
    if not places:
        return graph
    n, s = data.draw(st.sampled_from(places))
    higher = [t for t in range(len(graph.nodes)) if bottom_up(graph).index(t) < bottom_up(graph).index(n)]
    slots = list(graph.nodes[n].slots)
    slots[s] = data.draw(st.sampled_from([(None, 0), *((t, 0) for t in higher)]))
    nodes = list(graph.nodes)
    nodes[n] = replace(nodes[n], slots=tuple(slots))
    return Graph(graph.root, tuple(nodes))


def brute_force(one: Graph, other: Graph) -> bool:
    """Is there a one-to-one map of the nodes under which both graphs are equal?"""
    if len(one.nodes) != len(other.nodes):
        return False
    for image in permutations(range(len(other.nodes))):
        if (None if one.root is None else image[one.root]) == other.root and all(
            _fits(node, other.nodes[image[n]], image) for n, node in enumerate(one.nodes)
        ):
            return True
    return False


def _fits(node: Node, other: Node, image: tuple[int, ...]) -> bool:
    slots = [(None if t is None else image[t], out) for t, out in node.slots]
    wanted = list(other.slots)
    turned = node.name in COMMUTATIVE and len(wanted) == 2 and slots[::-1] == wanted
    return (node.name, node.leaf) == (other.name, other.leaf) and (slots == wanted or turned)


# -- against brute force -------------------------------------------------------------------------------------------


@given(graphs(), st.data())
def test_a_graph_equals_its_own_renumbering_and_commutation(graph: Graph, data: st.DataObject) -> None:
    other = shuffled(graph, data)
    assert same(graph, other) and same(other, graph)
    assert same(graph, canonical(other))


@settings(max_examples=200)
@given(graphs(), st.data())
def test_a_graph_with_one_edge_moved_is_the_same_only_if_brute_force_says_so(graph: Graph, data: st.DataObject) -> None:
    moved = canonical(with_an_edge_moved(graph, data))
    assert same(graph, shuffled(moved, data)) == brute_force(graph, moved)


@settings(max_examples=200)
@given(graphs(), graphs())
def test_two_graphs_are_the_same_only_if_brute_force_says_so(one: Graph, other: Graph) -> None:
    assert same(one, other) == brute_force(one, other)


def twins(*pairs: tuple[int, int]) -> Graph:
    """Two or three products of two equal sums, added up: only the sharing tells such graphs apart."""
    nodes = [Node("Sum", None, tuple((n + 1, 0) for n in range(len(pairs))))]
    first = len(pairs) + 1
    nodes += [Node("Mul", None, ((first + a, 0), (first + b, 0))) for a, b in pairs]
    leaf = first + 1 + max(max(pair) for pair in pairs)
    nodes += [Node("Exp", None, ((leaf, 0),)) for _ in range(leaf - first)]
    return Graph(0, (*nodes, Node("AccumulateGrad", "a", ())))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (((0, 0), (1, 1)), ((0, 1), (0, 1))),
        (((0, 1), (1, 0)), ((0, 1), (0, 1))),
        (((0, 1), (1, 2), (2, 0)), ((0, 1), (0, 2), (1, 2))),
        (((0, 1), (1, 2), (2, 0)), ((0, 1), (0, 1), (2, 2))),
        (((0, 1), (1, 1), (2, 2)), ((0, 0), (1, 1), (2, 0))),
        (((0, 1), (0, 2), (0, 2)), ((0, 1), (0, 1), (0, 2))),
    ],
)
def test_twins_are_matched_as_brute_force_does(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> None:
    assert same(twins(*one), twins(*other)) == brute_force(twins(*one), twins(*other))


# -- sizes ---------------------------------------------------------------------------------------------------------


def chain(length: int, last: str = "Exp") -> Graph:
    nodes = [Node("Exp", None, ((n + 1, 0),)) for n in range(length - 1)]
    return Graph(0, (*nodes, Node(last, None, ((length, 0),)), Node("AccumulateGrad", "a", ())))


def doublings(count: int, leaf: str = "a") -> Graph:
    nodes = [Node("Add", None, ((n + 1, 0), (n + 1, 0))) for n in range(count)]
    return Graph(0, (*nodes, Node("AccumulateGrad", leaf, ())))


def ladder(count: int, *bottom: Node) -> Graph:
    """At every level the sum of two equal but separate steps, which meet again below."""
    nodes = []
    for n in range(count):
        start = 3 * n
        nodes.append(Node("Add", None, ((start + 1, 0), (start + 2, 0))))
        nodes += [Node("Exp", None, ((start + 3, 0),))] * 2
    return Graph(0, (*nodes, *(bottom or (Node("AccumulateGrad", "a", ()),))))


def test_a_chain_of_ten_thousand_nodes_is_compared() -> None:
    assert same(canonical(chain(10_000)), canonical(chain(10_000)))
    assert not same(canonical(chain(10_000)), canonical(chain(10_000, "Log")))


def test_a_chain_of_ten_thousand_nodes_is_asked_for_properties() -> None:
    long = chain(10_000)
    assert long.depth() == 10_001 and long.reaches("a") and long.contains("Exp")


def test_a_chain_of_ten_thousand_views_is_dropped() -> None:
    views = Graph(0, (*(Node("View", None, ((n + 1, 0),)) for n in range(10_000)), Node("AccumulateGrad", "a", ())))
    assert canonical(views) == Graph(0, (Node("AccumulateGrad", "a", ()),))


def test_two_to_the_sixty_paths_are_no_work() -> None:
    many = doublings(60)
    assert same(canonical(many), canonical(many)) and many.depth() == 61 and many.reaches("a")
    assert not same(canonical(many), canonical(doublings(60, "b")))


def test_alike_operands_at_every_level_are_matched() -> None:
    assert same(ladder(100), ladder(100))


def test_alike_operands_at_a_thousand_levels_are_matched() -> None:
    assert same(ladder(1_000), ladder(1_000))


def test_a_symmetry_too_large_to_try_out_is_an_error_and_not_a_wait() -> None:
    def bottom(first: int, pairs: tuple[tuple[int, int], ...]) -> tuple[Node, ...]:
        return tuple(
            replace(node, slots=tuple((None if t is None else t + first, out) for t, out in node.slots))
            for node in twins(*pairs).nodes
        )

    squares, products = bottom(90, ((0, 0), (1, 1))), bottom(90, ((0, 1), (0, 1)))
    with pytest.raises(GraphError, match="too many steps"):
        same(ladder(30, *squares), ladder(30, *products))


# -- answers that are no graphs ------------------------------------------------------------------------------------

LEAF = ["AccumulateGrad", "a", []]

MALFORMED: list[Any] = [
    None,
    3,
    "graph",
    [],
    {},
    {"root": 0},
    {"nodes": []},
    {"root": 0, "nodes": []},
    {"root": None, "nodes": [LEAF]},
    {"root": 1, "nodes": [LEAF]},
    {"root": -1, "nodes": [LEAF]},
    {"root": True, "nodes": [LEAF, LEAF]},
    {"root": 0.0, "nodes": [LEAF]},
    {"root": "0", "nodes": [LEAF]},
    {"root": [], "nodes": [LEAF]},
    {"root": 0, "nodes": 3},
    {"root": 0, "nodes": {"a": 1}},
    {"root": 0, "nodes": ["abc"]},
    {"root": 0, "nodes": [None]},
    {"root": 0, "nodes": [["Add", None]]},
    {"root": 0, "nodes": [["Add", None, [], []]]},
    {"root": 0, "nodes": [[3, None, []]]},
    {"root": 0, "nodes": [["Add", 3, []]]},
    {"root": 0, "nodes": [["Add", None, None]]},
    {"root": 0, "nodes": [["Add", None, [3]]]},
    {"root": 0, "nodes": [["Add", None, [[0]]]]},
    {"root": 0, "nodes": [["Add", None, [[1, 0]]]]},
    {"root": 0, "nodes": [["Add", None, [[-1, 0]]]]},
    {"root": 0, "nodes": [["Add", None, [["0", 0]]]]},
    {"root": 0, "nodes": [["Add", None, [[None, None]]]]},
    {"root": 0, "nodes": [["Add", None, [[None, 0.5]]]]},
    {"root": 0, "nodes": [["Add", None, [[False, 0]]]]},
]


@pytest.mark.parametrize("value", MALFORMED, ids=str)
def test_a_malformed_graph_fails_the_check(value: Any) -> None:
    with pytest.raises(CheckFailed, match=r"^The graph could not be read\.$"):
        read(value)


def test_a_graph_over_the_limit_fails_the_check() -> None:
    with pytest.raises(CheckFailed, match="more than 20,000 nodes"):
        read({"root": 0, "nodes": [LEAF] * (NODE_LIMIT + 1)})


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.floats() | st.sampled_from(["Add", "View", "", "a"]) | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["root", "nodes", "x"]), inner),
    max_leaves=12,
)
SLOTS = st.lists(st.tuples(st.none() | st.integers(0, 4), st.integers(-1, 2)) | ODD, max_size=3)
NODES = st.lists(st.tuples(st.sampled_from(["Add", "View", "Exp"]) | ODD, st.none() | st.just("a"), SLOTS) | ODD, max_size=5)


@settings(max_examples=300)
@given(ODD | st.fixed_dictionaries({"root": st.integers(0, 4) | ODD, "nodes": NODES | ODD}))
def test_whatever_is_answered_is_a_graph_or_a_failed_check(value: Any) -> None:
    try:
        graph = read(value)
        graph.reaches("a")
        small = canonical(graph)
        same(small, small)
        graph.depth()
    except CheckFailed:
        pass


@pytest.mark.parametrize("cycle", [[[0, 0]], [[1, 0]]], ids=["self", "pair"])
def test_a_cycle_fails_the_check(cycle: list[Any]) -> None:
    graph = read({"root": 0, "nodes": [["Add", None, cycle], ["Exp", None, [[0, 0]]]]})
    for ask in (canonical, bottom_up, Graph.depth):
        with pytest.raises(CheckFailed, match=r"^The graph has a cycle\.$"):
            ask(graph)


def test_a_cycle_out_of_the_roots_reach_fails_the_check() -> None:
    island = read({"root": 0, "nodes": [LEAF, ["Add", None, [[2, 0]]], ["Exp", None, [[1, 0]]]]})
    with pytest.raises(CheckFailed, match="cycle"):
        canonical(island)


def test_a_cycle_is_no_endless_walk() -> None:
    assert not read({"root": 0, "nodes": [["Add", None, [[0, 0]]]]}).reaches("a")


def test_nodes_out_of_the_roots_reach_do_not_count() -> None:
    assert canonical(read({"root": 0, "nodes": [LEAF, LEAF]})) == canonical(read({"root": 0, "nodes": [LEAF]}))


def test_a_diamond_is_no_cycle() -> None:
    nodes = (Node("Add", None, ((1, 0), (2, 0))), Node("Exp", None, ((2, 0),)), Node("Exp", None, ((3, 0),)))
    order = bottom_up(Graph(0, (*nodes, Node("AccumulateGrad", None, ()))))
    assert order == [3, 2, 1, 0]
