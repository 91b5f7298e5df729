from autograder.trace.model import Edge, Event, Trace, TraceGraph, TraceNode
from autograder.web.player.merged_graphs import Merged, Way, merge
from tests.web.player import examples


def sides(merged: Merged) -> list[tuple[str, str]]:
    return [(spot.node.label, spot.side) for spot in merged.spots]


def test_the_same_graph_is_there_once() -> None:
    merged = merge(examples.shared_value())
    assert sides(merged) == [("x", "both"), ("w", "both"), ("x * x", "both"), ("f", "both")]
    assert merged.expected_spots == merged.given_spots == (0, 1, 2, 3)


def test_a_value_used_twice_keeps_two_edges() -> None:
    ways = merge(examples.shared_value()).ways
    assert ways[:2] == (Way(0, 2, 0), Way(0, 2, 1))


def test_what_only_one_graph_has_keeps_its_side() -> None:
    merged = merge(examples.other_shape())
    assert sides(merged) == [("x", "both"), ("s", "expected"), ("f", "both"), ("c", "given"), ("q", "given")]
    assert merged.given_spots == (0, 3, 4, 2)


def test_events_say_which_nodes_are_the_same_even_under_another_name() -> None:
    expected, given = TraceGraph((TraceNode("a"), TraceNode("b"))), TraceGraph((TraceNode("b"), TraceNode("c")))
    trace = Trace("", "", expected, (Event("ready", "", node=1, given_node=1),), given=given)
    assert merge(trace).given_spots == (2, 1), "the given b is not the expected b, for that one is the given c"


def test_an_edge_that_both_have_is_one_way() -> None:
    graph = TraceGraph((TraceNode("x"), TraceNode("y")), (Edge(0, 1), Edge(0, 1, 1)))
    merged = merge(Trace("", "", graph, (), given=TraceGraph(graph.nodes, (*graph.edges, Edge(0, 1, 2)))))
    assert [way.side for way in merged.ways] == ["both", "both", "given"]
    assert merged.given_ways == (0, 1, 2)


def test_edges_and_events_that_name_no_node_lead_nowhere() -> None:
    merged = merge(Trace("", "", TraceGraph((TraceNode("x"),), (Edge(0, 5), Edge(-1, 0))), ()))
    assert merged.ways == ()
    assert merged.expected_ways == (None, None)
    assert merged.spot_of(Event("ready", "", node=7)) is None
    assert merged.way_of(Event("ready", "", edge=0)) is None
