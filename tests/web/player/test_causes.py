"""A wrong value is attributed to an earlier wrong step along the edges of the graph."""

from autograder.trace.model import Edge, Event, Trace, TraceGraph, TraceNode
from autograder.web.player.causes import causes
from tests.web.player import examples

# f = (a * b) + (c * d), where every leaf has its own consumer
GRAPH = TraceGraph(
    tuple(TraceNode(label) for label in ("a", "b", "p", "c", "d", "q", "f")),
    (Edge(0, 2), Edge(1, 2, 1), Edge(3, 5), Edge(4, 5, 1), Edge(2, 6), Edge(5, 6, 1)),
)


def sends(edge: int, *, wrong: bool = False) -> Event:
    return Event("contribution", "", node=GRAPH.edges[edge].operand, edge=edge, wrong=wrong, follows=not wrong)


def found(*events: Event) -> list[int | None]:
    return list(causes(Trace("", "", GRAPH, events)))


def test_each_step_names_the_wrong_step_on_its_own_branch() -> None:
    assert found(sends(4, wrong=True), sends(5, wrong=True), sends(0), sends(2)) == [None, None, 1, 2]


def test_a_local_derivative_is_wrong_because_of_the_other_operand() -> None:
    forward = Event("forward", "", node=1, wrong=True)
    assert found(forward, sends(0)) == [None, 1]


def test_a_whole_gradient_follows_from_its_consumers() -> None:
    assert found(sends(4, wrong=True), Event("grad", "", node=0, follows=True)) == [None, 1]


def test_the_end_follows_from_the_first_wrong_step() -> None:
    assert found(sends(4, wrong=True), sends(5, wrong=True), Event("end", "", follows=True))[-1] == 1


def test_nothing_is_claimed_where_no_edge_leads_back() -> None:
    assert found(sends(5, wrong=True), sends(0)) == [None, None]


def test_a_cause_comes_before_its_consequence() -> None:
    for example in examples.ALL:
        trace = example()
        for number, cause in enumerate(causes(trace), 1):
            assert cause is None or cause < number
            assert cause is None or trace.events[cause - 1].wrong
