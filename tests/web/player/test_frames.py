"""The changes, texts and marks of each step: f = (x · x) · w step by step, then the ways in which a run can be wrong."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from autograder.trace.model import Trace
from autograder.web.player import Player, player_of
from autograder.web.player.node_states import node_key, way_key
from tests.web.player import examples
from tests.web.player.examples import EXAMPLE

X, W, A, F = (node_key("one", spot) for spot in range(4))
A_FIRST, A_SECOND, F_FIRST, F_SECOND = (way_key("one", way) for way in range(4))


@pytest.fixture
def shared() -> Player:
    return player_of(examples.shared_value())


def test_inputs_have_the_brackets_of_their_shape() -> None:
    shapes = {"x": (2, 2), "f": (1, 2)}
    nodes = tuple(replace(node, shape=shapes.get(node.label)) for node in EXAMPLE.expected.nodes)
    inputs = {"x": "[1, -2, 3, 4]", "w": "-2", "upstream": "[5, 6]"}
    trace = replace(EXAMPLE, expected=replace(EXAMPLE.expected, nodes=nodes), inputs=inputs)
    assert player_of(trace).inputs == (("x", "[[1, −2], [3, 4]]"), ("w", "−2"), ("upstream", "[[5, 6]]"))


def texts(player: Player, step: int, key: str) -> dict[str, str]:
    return {
        slot: text
        for slot, text in player.state_at(step)[key].texts.items()
        if slot in ("l1", "n1", "l2", "n2", "p") and text
    }


def css(player: Player, step: int, key: str) -> set[str]:
    return set(player.state_at(step)[key].css.split()) - {"node", "way"}


def chain(player: Player, step: int) -> list[tuple[str, list[tuple[str, str]], str]]:
    rows = player.steps[step - 1].rows
    return [
        (row.name, [(cell.kind, cell.number.short) for cell in row.cells], " ".join(filter(None, (row.say, row.verdict))))
        for row in rows
    ]


def test_it_opens_at_the_first_wrong_step_else_at_the_end(shared: Player) -> None:
    assert shared.opens_at == shared.first_wrong == 11
    assert player_of(EXAMPLE).opens_at == 12


def test_the_title_tells_the_finding(shared: Player) -> None:
    assert shared.title == (
        "Values flow from x and w to f; gradients flow back. x is used twice by x * x. "
        "First wrong node: x, expected minus 12, yours minus 6."
    )
    assert player_of(EXAMPLE).title.endswith("Your run agrees with the expected run at every step.")


def test_before_the_first_step_no_gradient_is_known(shared: Player) -> None:
    assert [texts(shared, 0, key)["n1"] for key in (X, W, A, F)] == ["·"] * 4
    assert all(css(shared, 0, key) == {"idle"} for key in (A_FIRST, A_SECOND, F_FIRST, F_SECOND))


def test_each_step_changes_what_it_touches_and_unlights_what_was_lit(shared: Player) -> None:
    changed = [{key for key in step.changes if key.startswith("o")} for step in shared.steps]
    assert changed == [
        {F},
        set(),
        {F, A, F_FIRST},
        {A},
        {A, W, F_FIRST, F_SECOND},
        {W},
        {W, A, F_SECOND},
        {A, X, A_FIRST},
        {X},
        {A_FIRST, A_SECOND},
        {X},
        {X, A_SECOND},
    ]


def test_a_contribution_lights_its_edge_and_names_its_number(shared: Player) -> None:
    assert css(shared, 8, A_FIRST) == {"now"}
    assert texts(shared, 8, A_FIRST) == {"p": "−6"}
    assert css(shared, 8, A_SECOND) == {"idle"}
    assert css(shared, 10, A_FIRST) == {"done"}
    assert shared.steps[7].travels == A_FIRST


def test_a_node_shows_one_number_and_two_where_they_differ(shared: Player) -> None:
    assert texts(shared, 9, X) == {"l1": "grad", "n1": "−6"}
    assert texts(shared, 11, X) == {"l1": "expected", "n1": "−12", "l2": "yours", "n2": "−6"}


def test_side_by_side_each_graph_shows_its_own_number(shared: Player) -> None:
    assert texts(shared, 11, node_key("expected", 0)) == {"l1": "grad", "n1": "−12"}
    assert texts(shared, 11, node_key("yours", 0)) == {"l1": "grad", "n1": "−6"}
    assert "first" in css(shared, 11, node_key("yours", 0))
    assert not {"first", "wrong", "off"} & css(shared, 11, node_key("expected", 0))


def test_the_first_wrong_node_is_marked_from_its_step_on(shared: Player) -> None:
    assert not css(shared, 10, X) & {"wrong", "first"}
    assert css(shared, 11, X) >= {"wrong", "first", "two"}
    assert css(shared, 12, X) >= {"wrong", "first", "two"}


def test_a_gradient_is_ticked_when_nothing_more_arrives(shared: Player) -> None:
    passed = player_of(EXAMPLE)
    assert "right" not in css(passed, 9, X)
    assert "right" in css(passed, 11, X)
    assert "right" in css(shared, 4, A)
    assert "right" not in css(shared, 12, X)


def test_the_chain_line_of_a_contribution(shared: Player) -> None:
    assert chain(shared, 8) == [("contribution", [("up", "−2"), ("lo", "3"), ("co", "−6")], "")]
    assert shared.steps[7].rows[0].cells[0].notes == ("upstream", "grad of x * x")
    assert shared.steps[7].rows[0].cells[1].notes == ("local", "∂(x * x)/∂x")


def test_the_chain_line_where_the_old_value_is_lost(shared: Player) -> None:
    assert chain(shared, 11) == [
        ("contribution", [("up", "−2"), ("lo", "3"), ("co", "−6")], ""),
        ("expected", [("old", "−6"), ("co", "−6"), ("ac", "−12")], ""),
        ("yours", [("lost", "−6"), ("co", "−6"), ("bad", "−6")], "✕ first wrong step"),
    ]


def test_the_ribbon_has_a_sign_for_each_kind(shared: Player) -> None:
    assert [step.sign for step in shared.steps] == list("↓○←+←+○←+←✕■")
    assert [step.letter for step in shared.steps] == list("urlalarlalxr")
    assert [step.sign for step in player_of(examples.tensors()).steps] == list("↓←+←✕=––■")


def test_the_transcript_says_every_event_with_its_numbers(shared: Player) -> None:
    assert [step.entry.line for step in shared.steps] == [
        "f is seeded 1",
        "f is ready the output has no consumers",
        "f propagates to x * x, first operand 1 × −2 = −2",
        "x * x accumulates 0 + −2 = −2",
        "f propagates to w, second operand 1 × 9 = 9",
        "w accumulates 0 + 9 = 9",
        "x * x is ready its only consumer is done",
        "x * x propagates to x, first operand −2 × 3 = −6",
        "x accumulates 0 + −6 = −6",
        "x * x propagates to x, second operand −2 × 3 = −6",
        "x accumulates expected −6 + −6 = −12; yours −6 is lost, now −6. First wrong step. "
        "The contribution overwrites x.grad, which already held −6, instead of being added to it.",
        "The pass ends 1 of 4 gradients is wrong (x)",
    ]


@pytest.mark.parametrize("example", examples.ALL)
def test_every_number_of_an_event_is_in_its_line(example: Callable[[], Trace]) -> None:
    trace = example()
    for event, step in zip(trace.events, player_of(trace).steps, strict=True):
        cells = {cell.number.short for row in step.rows[-2 if event.wrong or event.follows else -1 :] for cell in row.cells}
        said = step.entry.line
        assert all(" ".join(number.split()) in said for number in cells if "lost" not in said)
        assert step.says.partition(": ")[0] in step.entry.head


def test_a_step_knows_its_source_line(shared: Player) -> None:
    lines = {step.number: step.line for step in shared.steps if step.line is not None}
    assert lines == {1: 38, **dict.fromkeys((3, 4, 8, 9), 26), **dict.fromkeys((5, 6, 10, 11), 27)}


def test_what_follows_from_a_wrong_step_is_dashed_and_says_from_which() -> None:
    player = player_of(examples.fan_out())
    assert css(player, 10, X) >= {"after", "two"}
    assert not css(player, 10, X) & {"wrong", "first"}
    assert player.steps[8].rows[-1].verdict == "follows from step 8"
    assert player.steps[8].letter == "l f"


def test_a_contribution_that_never_comes_leaves_its_edge_struck_through() -> None:
    player = player_of(examples.missing_and_doubled())
    assert css(player, 2, way_key("one", 0)) == {"now", "lost"}
    assert css(player, 2, way_key("expected", 0)) == {"now"}
    assert css(player, 2, way_key("yours", 0)) == {"idle", "lost"}
    assert chain(player, 2)[-1] == ("yours", [], "no contribution ✕ first wrong step")
    assert texts(player, 3, node_key("one", 0)) == {"l1": "expected", "n1": "1", "l2": "yours", "n2": "none"}


def test_a_contribution_that_comes_twice_is_counted() -> None:
    player = player_of(examples.missing_and_doubled())
    assert texts(player, 6, way_key("one", 1)) == {"p": "2× 1"}
    assert texts(player, 6, way_key("expected", 1)) == {"p": "1"}
    assert "bad" in css(player, 6, way_key("one", 1))
    assert chain(player, 6)[0] == ("expected", [], "no contribution")
    assert texts(player, 7, node_key("one", 1)) == {"l1": "expected", "n1": "1", "l2": "yours", "n2": "2"}


def test_an_array_is_shown_by_its_shape_where_it_does_not_fit() -> None:
    player = player_of(examples.tensors())
    assert player.has_shapes
    assert texts(player, 3, node_key("one", 3))["n1"] == "[3×2]"
    assert chain(player, 5)[1] == ("yours", [("co", "[[1, 1], [1, 1], [1, 1]]"), ("bad", "[1, 1]")], "✕ first wrong step")
    assert player.steps[4].rows[0].cells[1].notes == ("after", "2")


def test_saved_tensors_are_there_until_they_are_freed() -> None:
    player = player_of(examples.tensors())
    assert player.has_saved
    assert player.state_at(6)[node_key("one", 4)].texts["sv"] == "saved"
    assert player.state_at(7)[node_key("one", 4)].texts["sv"] == "freed"
    assert player.state_at(7)[node_key("one", 0)].texts["sv"] == ""


def test_graphs_of_other_shapes_say_who_has_a_node() -> None:
    player = player_of(examples.other_shape())
    assert player.differs_in_shape
    assert texts(player, 0, node_key("one", 1))["l1"] == "only expected"
    assert texts(player, 0, node_key("one", 4))["l1"] == "only yours"
    assert css(player, 4, node_key("expected", 1)) >= {"first"}, "it is missing in yours, so the expected graph shows it"


def test_a_card_counts_its_gradients() -> None:
    player = player_of(examples.long_chain())
    cards = [key for key, appearance in player.initial.items() if "card" in appearance.css and key.startswith("o")]
    assert [player.initial[key].texts["n1"] for key in cards] == ["0 of 19", "0 of 20"]
    assert [player.state_at(len(player.steps))[key].texts["n1"] for key in cards] == ["19 of 19", "20 of 20"]


def test_the_first_wrong_node_is_drawn_though_the_rest_folds() -> None:
    player = player_of(examples.long_chain())
    assert player.is_folded
    assert any("first" in appearance.css.split() for appearance in player.state_at(player.opens_at).values())
    assert not player_of(examples.long_chain(), unfold=True).is_folded


def test_changes_add_up_to_the_state() -> None:
    player = player_of(examples.shared_value())
    assert player.state_at(0) == player.initial
    assert player.state_at(12) == {**player.state_at(11), **player.steps[11].changes}


def test_a_log_without_steps() -> None:
    player = player_of(Trace("", "", examples.shared_value().expected, ()))
    assert (player.opens_at, player.nearest_step(5), player.steps) == (0, 0, ())


@pytest.mark.parametrize(("asked", "found"), [(None, 11), (1, 1), (0, 1), (-3, 1), (99, 12)])
def test_a_link_to_no_step_leads_to_the_nearest(shared: Player, asked: int | None, found: int) -> None:
    assert shared.nearest_step(asked) == found
