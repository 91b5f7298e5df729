"""Graphs that a student's function built in another way than asked."""

from collections.abc import Callable
from typing import Any

from autograder.explain.diagnosis.evidence import Evidence
from autograder.explain.diagnosis.generators import built_graphs
from autograder.judge.checks.graphs import Graph, Node

Make = Callable[..., Evidence]


def leaf(name: str) -> Node:
    return Node("AccumulateGrad", name, ())


def node(name: str, *targets: int | None) -> Node:
    return Node(name, None, tuple((target, 0) for target in targets))


def exported(graph: Graph, value: float | None = None) -> dict[str, Any]:
    nodes = [[n.name + "Backward0" if n.slots else n.name, n.leaf, [list(slot) for slot in n.slots]] for n in graph.nodes]
    return {"value": value, "graph": {"root": graph.root, "nodes": nodes}}


def differing(evidence: Make, right: Graph, given: Graph, value: float = 0.5) -> set[str]:
    case = evidence(((), exported(right, 0.5), exported(given, value)), what="op", name="graph.export")
    return {claim.operators[0] for claim in built_graphs.claims(case)}


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
    assert built_graphs.canonical_export(exported(turned)) == built_graphs.canonical_export(exported(SCALED))
    product = Graph(0, (node("Add", 1, None), node("Mul", 2, 4), node("Mul", 3, 4), leaf("a"), leaf("b")))
    assert built_graphs.canonical_export(exported(product)) != built_graphs.canonical_export(exported(SCALED))


def test_other_places_of_commutative_operands_are_right(evidence: Make) -> None:
    turned = Graph(0, (node("Mul", None, 1), node("Add", 4, 2), node("Mul", 4, 3), leaf("a"), leaf("b")))
    assert differing(evidence, SCALED, turned) == set()
