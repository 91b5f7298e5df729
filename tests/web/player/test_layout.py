"""Properties of the layout of any graph: no overlaps, operands in deeper layers, and a deterministic result."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.web.player.layout import Block, Layout, Link, Spacing, lay_out, layers, nearest

SPACING = Spacing(80, 30)
Case = tuple[list[Block], list[Link]]


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    """Values in creation order. Each uses earlier ones, possibly the same one twice."""
    count = draw(st.integers(1, 24))
    extents = st.integers(20, 140)
    blocks = [
        Block(draw(extents), draw(extents), draw(st.sampled_from([0, 28])), draw(st.sampled_from([0, 112])))
        for _ in range(count)
    ]
    links = []
    for consumer in range(1, count):
        for position in range(draw(st.integers(0, 3))):
            links.append(Link(draw(st.integers(0, consumer - 1)), consumer, position))
    return blocks, links


@given(graphs())
def test_no_two_nodes_overlap(case: Case) -> None:
    blocks, links = case
    found = lay_out(blocks, links, SPACING)
    for (one, first), (other, second) in combinations(zip(found.centres, blocks, strict=True), 2):
        apart_in_depth = abs(one.depth - other.depth) >= (first.depth + second.depth) / 2
        upper, lower = ((one, first), (other, second)) if one.breadth <= other.breadth else ((other, second), (one, first))
        room = upper[1].breadth / 2 + upper[1].after + lower[1].before + lower[1].breadth / 2
        assert apart_in_depth or lower[0].breadth - upper[0].breadth >= room


@given(graphs())
def test_the_same_graph_is_laid_out_the_same(case: Case) -> None:
    assert lay_out(*case, SPACING) == lay_out(*case, SPACING)


@given(graphs())
def test_an_operand_lies_deeper_than_its_consumer(case: Case) -> None:
    blocks, links = case
    depths = layers(len(blocks), links)
    assert all(depths[link.operand] > depths[link.consumer] for link in links)


@given(graphs())
def test_an_edge_bends_once_in_each_layer_that_it_passes(case: Case) -> None:
    blocks, links = case
    depths, found = layers(len(blocks), links), lay_out(blocks, links, SPACING)
    for link, bends in zip(links, found.bends, strict=True):
        assert len(bends) == depths[link.operand] - depths[link.consumer] - 1
        assert all(one.depth > other.depth for one, other in pairwise(bends))


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=12), st.data())
def test_colliding_neighbours_keep_their_distance(goals: list[float], data: st.DataObject) -> None:
    gaps = [data.draw(st.floats(1, 90)) for _ in goals[1:]]
    places = nearest(goals, gaps, [1.0] * len(goals))
    assert all(other - one >= gap - 1e-6 for (one, other), gap in zip(pairwise(places), gaps, strict=True))


def test_where_there_is_room_everybody_gets_his_wish() -> None:
    assert nearest([0, 100, 300], [50, 50], [1, 1, 1]) == [0, 100, 300]
    assert nearest([0, 0], [50], [1, 1]) == [-25, 25]


def test_operands_stand_in_their_order() -> None:
    """w has the lower number, but is the second operand."""
    found = _shared_value()
    assert found.centres[2].breadth < found.centres[1].breadth


def test_a_value_used_twice_stands_level_with_its_consumer() -> None:
    found = _shared_value()
    assert found.centres[0].breadth == found.centres[2].breadth


def test_a_ring_is_laid_out_all_the_same() -> None:
    found = lay_out([Block(10, 10)] * 3, [Link(0, 1), Link(1, 2), Link(2, 0), Link(1, 1)], SPACING)
    assert len(set(found.centres)) == 3


def test_a_long_chain_stays_straight_beside_its_weights() -> None:
    links = [link for index in range(0, 40, 2) for link in (Link(index, index + 2), Link(index + 1, index + 2, 1))]
    found = lay_out([Block(132, 70)] * 41, links, SPACING)
    assert max(point.breadth for point in found.centres) - min(point.breadth for point in found.centres) < 300


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_a_graph(count: int) -> None:
    assert len(lay_out([Block(10, 10)] * count, [], SPACING).centres) == count


def _shared_value() -> Layout:
    return lay_out([Block(132, 70)] * 4, [Link(0, 2), Link(0, 2, 1), Link(2, 3), Link(1, 3, 1)], SPACING)
