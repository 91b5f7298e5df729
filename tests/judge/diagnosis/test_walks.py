"""Orders and counts from wrong walks over a graph, and graphs that were built in another way than asked."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from autograder.judge.checks.graphs import Graph, Node
from autograder.judge.diagnosis import built, walks
from autograder.judge.diagnosis.declare import Asked, Declared, GraphQuestion
from autograder.judge.diagnosis.evidence import Evidence

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
    hooks = Declared(graphs={"f": GraphQuestion(build, ())})
    return {finding.operators[0] for finding in walks.findings(evidence, hooks)}


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


# -- graphs that are built ---------------------------------------------------------------------------------------------


def exported(graph: Graph, value: float | None = None) -> dict[str, Any]:
    nodes = [[n.name + "Backward0" if n.slots else n.name, n.leaf, [list(slot) for slot in n.slots]] for n in graph.nodes]
    return {"value": value, "graph": {"root": graph.root, "nodes": nodes}}


def differing(evidence: Make, right: Graph, given: Graph, value: float = 0.5) -> set[str]:
    case = evidence(((), exported(right, 0.5), exported(given, value)), what="op", name="graph.export")
    return {finding.operators[0] for finding in built.findings(case)}


SQUARED = Graph(0, (node("Sum", 1), node("Mul", 2, 2), node("Exp", 3), leaf("a")))
# (a * b + b) * c, with a constant c
SCALED = Graph(0, (node("Mul", 1, None), node("Add", 2, 4), node("Mul", 3, 4), leaf("a"), leaf("b")))


def test_what_is_computed_again_is_named(evidence: Make) -> None:
    twice = Graph(0, (node("Sum", 1), node("Mul", 2, 3), node("Exp", 4), node("Exp", 4), leaf("a")))
    assert differing(evidence, SQUARED, twice) == {"lost-sharing"}


def test_a_power_is_named(evidence: Make) -> None:
    power = Graph(0, (node("Sum", 1), node("Pow", 2), node("Exp", 3), leaf("a")))
    assert differing(evidence, SQUARED, power) == {"pow-for-product"}


def test_the_same_value_by_other_sums_and_products_is_named(evidence: Make) -> None:
    outward = (node("Add", 1, 2), node("Mul", 3, 5), node("Mul", 5, None), node("Mul", 4, None), leaf("a"), leaf("b"))
    assert differing(evidence, SCALED, Graph(0, outward)) == {"reassociated"}
    other_value = (node("Add", 1, 2), node("Mul", 3, 5), node("Mul", 4, None), node("Mul", 4, None), leaf("a"), leaf("b"))
    assert differing(evidence, SCALED, Graph(0, other_value), value=0.7) == set()


def test_the_same_value_by_other_operations_is_named(evidence: Make) -> None:
    doubled = Graph(0, (node("Sum", 1), node("Exp", 2), node("Mul", 3, None), leaf("a")))
    assert differing(evidence, SQUARED, doubled) == {"another-formula"}
    assert differing(evidence, SQUARED, doubled, value=0.7) == set()


def test_a_reading_makes_graphs_alike_that_count_as_the_same() -> None:
    turned = Graph(0, (node("Mul", None, 1), node("View", 2), node("Add", 5, 3), node("Mul", 5, 4), leaf("a"), leaf("b")))
    assert built.spelt_alike(exported(turned)) == built.spelt_alike(exported(SCALED))
    product = Graph(0, (node("Add", 1, None), node("Mul", 2, 4), node("Mul", 3, 4), leaf("a"), leaf("b")))
    assert built.spelt_alike(exported(product)) != built.spelt_alike(exported(SCALED))


def test_other_places_of_commutative_operands_are_right(evidence: Make) -> None:
    turned = Graph(0, (node("Mul", None, 1), node("Add", 4, 2), node("Mul", 4, 3), leaf("a"), leaf("b")))
    assert differing(evidence, SCALED, turned) == set()
