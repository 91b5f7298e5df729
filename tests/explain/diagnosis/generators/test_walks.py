"""Orders and counts from wrong walks over a graph."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from autograder.explain.diagnosis.evidence import Evidence
from autograder.explain.diagnosis.generators import walks
from autograder.judge.checks.graphs import Graph, Node
from autograder.judge.diagnosis import Asked, Declared, GraphQuestion

Make = Callable[..., Evidence]


def leaf(name: str) -> Node:
    return Node("AccumulateGrad", name, ())


def node(name: str, *targets: int | None) -> Node:
    return Node(name, None, tuple((target, 0) for target in targets))


# (p * p) + exp(p) + constant, with p = a * b; numbered breadth first
GRAPH = Graph(
    0,
    (
        node("Add", 1, None),
        node("Add", 2, 3),
        node("Mul", 4, 4),
        node("Exp", 4),
        node("Mul", 5, 6),
        leaf("a"),
        leaf("b"),
    ),
)
# a - exp reached along a long way and a short one: 2 comes after 3
LATE = Graph(0, (node("Sub", 1, 2), node("Mul", 3, 4), node("Exp", 4), node("Neg", 2), leaf("a")))


def claims(evidence: Evidence, build: Callable[..., Asked]) -> set[str]:
    declared = Declared(graphs={"f": GraphQuestion(build, ())})
    return {claim.operators[0] for claim in walks.claims(replace(evidence, declared=declared))}


def orders(evidence: Make, graph: Graph, *given: Sequence[int]) -> set[str]:
    right = list(range(len(graph.nodes)))
    return claims(evidence(*(((), right, list(order)) for order in given)), lambda: Asked(graph))


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("not-reversed", [4, 2, 3, 1, 0]),
        ("leaves-too-early", [4, 0, 1, 3, 2]),
        ("drops-leaves", [0, 1, 3, 2]),
        ("first-slot-only", [0, 2, 4]),
        ("preorder-dfs", [0, 2, 4, 1, 3]),
        ("bfs-order", [0, 2, 1, 4, 3]),
        ("lists-twice", [0, 1, 3, 2, 4, 2, 4]),
    ],
)
def test_an_order_from_a_wrong_walk_is_named(key: str, given: list[int], evidence: Make) -> None:
    assert key in orders(evidence, LATE, given)


def test_an_order_that_is_right_in_another_way_is_no_mistake(evidence: Make) -> None:
    assert orders(evidence, GRAPH, [0, 1, 3, 2, 4, 6, 5]) == set()


def test_what_holds_in_one_answer_of_two_is_not_claimed(evidence: Make) -> None:
    assert "bfs-order" in orders(evidence, LATE, [0, 1, 2, 3, 4])
    assert "bfs-order" not in orders(evidence, LATE, [0, 1, 2, 3, 4], [0, 2, 4, 1, 3])
    assert orders(evidence, LATE, [0, 4, 1, 2, 3]) == set()


def counts(evidence: Make, graph: Graph, right: list[int], given: list[int], **more: Any) -> set[str]:
    return claims(evidence(((), right, given)), lambda: Asked(graph, ["a", "b"], **more))


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("counts-nodes", [1, 1]),
        ("lost-multiplicity", [2, 2]),
        ("counts-none", [4, 4]),
        ("counts-all-leaves", [6, 6]),
        ("counts-whether", [1, 1]),
        ("wrong-traversal", [2, 2]),
    ],
)
def test_a_count_from_a_wrong_walk_is_named(key: str, given: list[int], evidence: Make) -> None:
    assert key in counts(evidence, GRAPH, [3, 3], given)


def test_a_count_that_no_walk_gives_is_left_alone(evidence: Make) -> None:
    assert counts(evidence, GRAPH, [3, 3], [5, 5]) == set()


def test_a_way_of_counting_that_another_answer_contradicts_is_not_claimed(evidence: Make) -> None:
    """1 and 1 are what one gets for asking whether there is a path; 7 and 1 are not, nor are they right."""
    told = claims(evidence(((), [3, 3], [1, 1])), lambda: Asked(GRAPH, ("a", "b")))
    assert "counts-whether" in told
    pairs = {"one": evidence(((), [3, 3], [1, 1])).pairs["check"], "two": evidence(((), [3, 3], [7, 1])).pairs["check"]}
    assert claims(Evidence(pairs, (1, 2, 3)), lambda: Asked(GRAPH, ("a", "b"))) == set()


def test_leaves_that_look_alike_are_taken_for_one(evidence: Make) -> None:
    apart = Graph(0, (node("Add", 1, 2), leaf("a"), leaf("b")))
    alike = ({"a": 1.5, "b": 1.5}, {"a": 1, "b": 2})
    assert "identity-by-value" in counts(evidence, apart, [1, 1], [2, 2], alike=alike)
    assert "identity-by-value" not in counts(evidence, apart, [1, 1], [2, 2], alike=alike[1:])


def test_a_leaf_without_graph_is_taken_for_any_leaf(evidence: Make) -> None:
    assert counts(evidence, Graph(None, ()), [1, 0], [1, 1], itself="a") == {"counts-all-leaves"}
