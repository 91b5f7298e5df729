"""Graphs of more than 60 nodes are folded away from the first wrong node. Everything else stays visible."""

import pytest

from autograder.trace.model import Edge, Trace, TraceGraph, TraceNode
from autograder.web.player.folding import KEPT, MOST, fold
from autograder.web.player.layout import Link, layers
from autograder.web.player.merged_graphs import Merged, merge
from tests.web.player import examples


def wide(nodes: int) -> Merged:
    """A sum of many leaves."""
    leaves = tuple(TraceNode(f"x{index}", leaf=True) for index in range(nodes - 1))
    edges = tuple(Edge(index, nodes - 1, index) for index in range(nodes - 1))
    return merge(Trace("", "", TraceGraph((*leaves, TraceNode("s", "sum")), edges), ()))


def labels(merged: Merged) -> set[str]:
    return {spot.node.label for spot in merged.spots}


def test_up_to_sixty_nodes_are_all_drawn() -> None:
    assert not fold(wide(MOST), None).is_folded
    assert fold(wide(MOST + 1), None).is_folded


@pytest.mark.parametrize("focus", range(0, 81, 10))
def test_the_first_wrong_node_stays_with_all_that_touch_it(focus: int) -> None:
    merged = merge(examples.long_chain())
    beside = {way.operand for way in merged.ways if way.consumer == focus} | {
        way.consumer for way in merged.ways if way.operand == focus
    }
    assert {merged.spots[spot].node.label for spot in beside | {focus}} <= labels(fold(merged, focus))


def test_cards_count_what_they_hide() -> None:
    merged = merge(examples.long_chain())
    folded = fold(merged, 40)
    assert sum(spot.count for spot in folded.spots) == len(merged.spots)
    assert len([spot for spot in folded.spots if spot.count == 1]) >= KEPT
    cards = [spot.node for spot in folded.spots if spot.count > 1]
    assert [(card.label, card.operation) for card in cards] == [
        ("19 nodes", "10 *, 9 inputs"),
        ("20 nodes", "9 *, 11 inputs"),
    ]


def test_without_a_wrong_node_the_output_stays() -> None:
    assert "s" in labels(fold(wide(200), None))
    assert "p39" in labels(fold(merge(examples.long_chain()), None))


def test_every_edge_leads_somewhere_or_is_inside_a_card() -> None:
    merged = merge(examples.long_chain())
    folded = fold(merged, 40)
    for way, place in zip(merged.ways, folded.expected_ways, strict=True):
        ends = folded.expected_spots[way.operand], folded.expected_spots[way.consumer]
        assert (
            place is None
            if ends[0] == ends[1]
            else (folded.ways[place or 0].operand, folded.ways[place or 0].consumer) == ends
        )


def test_edges_between_nodes_stay_apart_and_those_of_a_card_are_bundled() -> None:
    folded = fold(merge(examples.long_chain()), 40)
    assert all(way.count == 1 for way in folded.ways if max(way.operand, way.consumer) < len(folded.spots) - 2)
    bundled = fold(wide(100), 0)
    assert [way.count for way in bundled.ways if bundled.spots[way.operand].count > 1] == [60]


def test_nothing_runs_in_a_ring_that_did_not() -> None:
    folded = fold(merge(examples.long_chain(nodes=300)), 150)
    depths = layers(len(folded.spots), [Link(way.operand, way.consumer) for way in folded.ways])
    assert all(depths[way.operand] > depths[way.consumer] for way in folded.ways)


def test_folding_twice_gives_the_same() -> None:
    assert fold(merge(examples.long_chain()), 40) == fold(merge(examples.long_chain()), 40)
