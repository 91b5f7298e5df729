"""Graphs and surgery: the judge's own computation with one mistake gives the answer, or nothing is claimed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from autograder.judge.arrays import array
from autograder.judge.diagnosis import graphs, second_order, surgery
from autograder.judge.diagnosis.declare import Declared, Forward, SecondOrder
from autograder.judge.diagnosis.evidence import Evidence
from autograder.judge.diagnosis.second_order import FORMULAS

Make = Callable[..., Evidence]
RNG = np.random.default_rng(2)


# -- graphs ------------------------------------------------------------------------------------------------------------

RIGHT = {
    "root": 0,
    "nodes": ["Mul", "Add", "Unbind", "Accumulate"],
    "edges": [(0, 0, 1, 0), (0, 1, 1, 0), (1, 0, 2, 1), (1, 1, None, 0), (2, 0, 3, 0), (1, 2, 3, 0)],
}


@pytest.mark.parametrize("key", graphs.EDITS)
def test_a_misread_graph_is_recognised_however_its_nodes_are_numbered(key: str, evidence: Make) -> None:
    given = graphs.EDITS[key][0](graphs._read(RIGHT) or pytest.fail())
    assert given is not None
    turned = {n: len(given["nodes"]) - 1 - n for n in range(len(given["nodes"]))}
    other = {
        "root": turned[0],
        "nodes": given["nodes"][::-1],
        "edges": [(turned[a], s, None if b is None else turned[b], o) for a, s, b, o in reversed(given["edges"])],
    }
    case = evidence(((), RIGHT, other))
    if case.wrong("check"):
        assert key in {finding.operators[0] for finding in graphs.findings(case)}


@pytest.mark.parametrize("slots", ["empty", "left out"])
def test_a_graph_without_its_leaves_is_recognised(slots: str, evidence: Make) -> None:
    right = {
        "root": 0,
        "nodes": ["AddBackward0", "MulBackward0", "AccumulateGrad"],
        "edges": [(0, 0, 1, 0), (0, 1, 2, 0), (1, 0, 2, 0), (1, 1, None, 0)],
    }
    edges = [(0, 0, 1, 0), (0, 1, None, 0), (1, 0, None, 0), (1, 1, None, 0)]
    given = {"root": 0, "nodes": right["nodes"][:2], "edges": edges if slots == "empty" else [edges[0], edges[3]]}  # type: ignore[index]
    assert "drops-leaves" in {finding.operators[0] for finding in graphs.findings(evidence(((), right, given)))}


@pytest.mark.parametrize("moved", [(1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 0, 1), (1, 1, 1)])
def test_numbers_that_are_off_by_one_are_recognised(moved: tuple[int, int, int], evidence: Make) -> None:
    root, source, target = moved
    edges = [(a + source, s, None if b is None else b + target, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    case = evidence(((), RIGHT, {**RIGHT, "root": root, "edges": edges}))
    assert {finding.operators[0] for finding in graphs.findings(case)} == {"wrong-numbering"}
    case = evidence(((), RIGHT, {**RIGHT, "root": root, "edges": edges[:-1]}))
    assert graphs.findings(case) == []


# a square, whose only edge that is met again is a parallel one, and a graph in which others are met again
SQUARE = {"root": 0, "nodes": ["Mul", "Accumulate"], "edges": [(0, 0, 1, 0), (0, 1, 1, 0)]}
SHARED = {
    "root": 0,
    "nodes": ["Add", "Mul", "Accumulate"],
    "edges": [(0, 0, 1, 0), (0, 1, 2, 0), (1, 0, 2, 0), (1, 1, 2, 0)],
}


def without(graph: dict[str, Any], *edges: int) -> dict[str, Any]:
    return {**graph, "edges": [edge for n, edge in enumerate(graph["edges"]) if n not in edges]}


def test_parallel_edges_are_not_merged_where_other_edges_are_missing(evidence: Make) -> None:
    """Only new nodes get an edge: on the square alone, that is the same as merging parallel edges."""
    alone = evidence(((), SQUARE, without(SQUARE, 1)))
    assert "lost-multiplicity" in {finding.operators[0] for finding in graphs.findings(alone)}
    other = evidence(((), SHARED, without(SHARED, 2, 3)))
    both = Evidence({"square": alone.pairs["check"], "shared": other.pairs["check"]}, alone.seeds)
    assert {finding.operators[0]: finding.checks for finding in graphs.findings(both)} == {
        "drops-repeated-edges": ("square", "shared")
    }


def test_a_misreading_that_a_right_answer_contradicts_is_not_claimed(evidence: Make) -> None:
    case = evidence(((), SQUARE, without(SQUARE, 1)), ((), SHARED, SHARED))
    assert graphs.findings(case) == []


def test_edges_that_lead_the_other_way_are_recognised(evidence: Make) -> None:
    edges = [(a, s, b, o) if b is None else (b, s, a, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    case = evidence(((), RIGHT, {**RIGHT, "edges": edges}))
    assert {finding.operators[0] for finding in graphs.findings(case)} == {"edges-reversed"}


@pytest.mark.parametrize("edges", [[1, 2], [None], None, [(0, 0)]])
def test_what_is_no_graph_is_no_misread_graph(edges: Any, evidence: Make) -> None:
    assert graphs.findings(evidence(((), RIGHT, {**RIGHT, "edges": edges}))) == []


def test_another_numbering_of_the_right_graph_is_right(evidence: Make) -> None:
    turned = {"root": 3, "nodes": RIGHT["nodes"][::-1], "edges": []}  # type: ignore[index]
    turned["edges"] = [(3 - a, s, None if b is None else 3 - b, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    assert not evidence(((), RIGHT, turned)).wrong("check")


# -- surgery -----------------------------------------------------------------------------------------------------------


def product_hook() -> Declared:
    return Declared(forwards={"f": Forward(lambda x, y: torch.sin(x) * y, lambda g, x, y: (g, (x, y)))})


def product_asked(evidence: Make, dx: Callable[..., Any]) -> list[str]:
    g, x, y = (RNG.normal(size=(2, 3)) for _ in range(3))
    right = (array(g * np.cos(x) * y), array(g * np.sin(x)))
    case = evidence(((array(g), array(x), array(y)), right, (array(dx(g, x, y)), right[1])))
    return [f.operators[0] for f in surgery.findings(case, product_hook())]


@pytest.mark.parametrize(
    ("operator", "dx"),
    [
        ("upstream", lambda g, x, y: np.cos(x) * y),
        ("upstream-squared", lambda g, x, y: g * g * np.cos(x) * y),
        ("upstream-reduced", lambda g, x, y: g.sum() * np.cos(x) * y),
        ("drop-factor", lambda g, x, y: g * y),
        ("sign", lambda g, x, y: -g * np.cos(x) * y),
        ("twice", lambda g, x, y: 2 * g * np.cos(x) * y),
        ("wrong-local-derivative", lambda g, x, y: g * (1 - np.sin(x)) * y),
    ],
)
def test_one_edit_of_the_trusted_forward_is_found(operator: str, dx: Callable[..., Any], evidence: Make) -> None:
    assert product_asked(evidence, dx) == [operator]


def test_a_gradient_at_the_result_instead_of_the_argument(evidence: Make) -> None:
    """Forward saved what it returns, and backward takes it for what it was given."""
    g, x = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
    hook = Declared(forwards={"f": Forward(lambda x: x**3, lambda g, x: (g, (x,)))})
    case = evidence(((array(g), array(x)), (array(3 * g * x**2),), (array(3 * g * x**6),)))
    assert [finding.operators[0] for finding in surgery.findings(case, hook)] == ["output-for-input"]
    assert surgery.findings(case, hook, forwards=0) == []


def test_numbers_that_no_edit_gives_are_left_alone(evidence: Make) -> None:
    assert product_asked(evidence, lambda g, x, y: np.exp(g) * x) == []


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula[1])
def test_a_formula_for_a_hessian_vector_product_is_recognised(formula: Any, evidence: Make) -> None:
    f = lambda t: (t[:-1] ** 2 * t[1:] ** 3).sum() + t.exp().sum()  # noqa: E731
    x, v = torch.from_numpy(RNG.normal(size=4)).requires_grad_(), torch.from_numpy(RNG.normal(size=4))
    hook = Declared(second_orders={"f": SecondOrder(lambda x, v: (f, x, 2 * x if formula[0] == "undetached" else v), ())})
    direction = 2 * x if formula[0] == "undetached" else v
    given = formula[2](f, x, direction).detach().numpy()
    right = second_order._product(f, x, direction).detach().numpy()
    case = evidence(((array(x.detach().numpy()), array(v.numpy())), array(right), array(given)))
    if case.wrong("check"):  # a good difference quotient agrees to all digits that are compared
        found = surgery.findings(case, hook)
        assert [finding.operators[0] for finding in found] == [formula[0]]
