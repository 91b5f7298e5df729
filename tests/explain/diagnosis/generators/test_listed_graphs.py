"""Graphs that a student read wrongly: the right graph with one misunderstanding gives the answer, or nothing is claimed."""

from collections.abc import Callable
from typing import Any

import pytest

from autograder.explain.diagnosis.evidence import Evidence
from autograder.explain.diagnosis.generators import listed_graphs

Make = Callable[..., Evidence]

RIGHT = {
    "root": 0,
    "nodes": ["Mul", "Add", "Unbind", "Accumulate"],
    "edges": [(0, 0, 1, 0), (0, 1, 1, 0), (1, 0, 2, 1), (1, 1, None, 0), (2, 0, 3, 0), (1, 2, 3, 0)],
}


@pytest.mark.parametrize("key", listed_graphs.EDITS)
def test_a_misread_graph_is_recognised_however_its_nodes_are_numbered(key: str, evidence: Make) -> None:
    given = listed_graphs.EDITS[key][0](listed_graphs._read(RIGHT) or pytest.fail())
    assert given is not None
    turned = {n: len(given["nodes"]) - 1 - n for n in range(len(given["nodes"]))}
    other = {
        "root": turned[0],
        "nodes": given["nodes"][::-1],
        "edges": [(turned[a], s, None if b is None else turned[b], o) for a, s, b, o in reversed(given["edges"])],
    }
    case = evidence(((), RIGHT, other))
    if case.wrong("check"):
        assert key in {claim.operators[0] for claim in listed_graphs.claims(case)}


@pytest.mark.parametrize("slots", ["empty", "left out"])
def test_a_graph_without_its_leaves_is_recognised(slots: str, evidence: Make) -> None:
    right = {
        "root": 0,
        "nodes": ["AddBackward0", "MulBackward0", "AccumulateGrad"],
        "edges": [(0, 0, 1, 0), (0, 1, 2, 0), (1, 0, 2, 0), (1, 1, None, 0)],
    }
    edges = [(0, 0, 1, 0), (0, 1, None, 0), (1, 0, None, 0), (1, 1, None, 0)]
    given = {"root": 0, "nodes": right["nodes"][:2], "edges": edges if slots == "empty" else [edges[0], edges[3]]}  # type: ignore[index]
    assert "drops-leaves" in {claim.operators[0] for claim in listed_graphs.claims(evidence(((), right, given)))}


@pytest.mark.parametrize("moved", [(1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 0, 1), (1, 1, 1)])
def test_numbers_that_are_off_by_one_are_recognised(moved: tuple[int, int, int], evidence: Make) -> None:
    root, source, target = moved
    edges = [(a + source, s, None if b is None else b + target, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    case = evidence(((), RIGHT, {**RIGHT, "root": root, "edges": edges}))
    assert {claim.operators[0] for claim in listed_graphs.claims(case)} == {"wrong-numbering"}
    case = evidence(((), RIGHT, {**RIGHT, "root": root, "edges": edges[:-1]}))
    assert listed_graphs.claims(case) == []


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
    assert "lost-multiplicity" in {claim.operators[0] for claim in listed_graphs.claims(alone)}
    other = evidence(((), SHARED, without(SHARED, 2, 3)))
    both = Evidence({"square": alone.pairs["check"], "shared": other.pairs["check"]}, alone.seeds)
    assert {claim.operators[0]: claim.checks for claim in listed_graphs.claims(both)} == {
        "drops-repeated-edges": ("square", "shared")
    }


def test_a_misreading_that_a_right_answer_contradicts_is_not_claimed(evidence: Make) -> None:
    case = evidence(((), SQUARE, without(SQUARE, 1)), ((), SHARED, SHARED))
    assert listed_graphs.claims(case) == []


def test_edges_that_lead_the_other_way_are_recognised(evidence: Make) -> None:
    edges = [(a, s, b, o) if b is None else (b, s, a, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    case = evidence(((), RIGHT, {**RIGHT, "edges": edges}))
    assert {claim.operators[0] for claim in listed_graphs.claims(case)} == {"edges-reversed"}


@pytest.mark.parametrize("edges", [[1, 2], [None], None, [(0, 0)]])
def test_what_is_no_graph_is_no_misread_graph(edges: Any, evidence: Make) -> None:
    assert listed_graphs.claims(evidence(((), RIGHT, {**RIGHT, "edges": edges}))) == []


def test_another_numbering_of_the_right_graph_is_right(evidence: Make) -> None:
    turned = {"root": 3, "nodes": RIGHT["nodes"][::-1], "edges": []}  # type: ignore[index]
    turned["edges"] = [(3 - a, s, None if b is None else 3 - b, o) for a, s, b, o in RIGHT["edges"]]  # type: ignore[attr-defined]
    assert not evidence(((), RIGHT, turned)).wrong("check")
