"""The rendered player: every step drawn on the server, all text inert, and nothing that a strict policy forbids."""

import json
import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.utils import translation
from pytest_django import Settings

from autograder.trace.model import Trace
from autograder.web.player import render_player
from tests.web.player import examples
from tests.web.player.examples import EXAMPLE

SOURCES = Path(__file__).parents[3] / "frontend" / "src"
VOID = {"input", "br", "path", "rect", "img", "circle"}


class Reader(HTMLParser):
    """Collects elements with their attributes and text, and whether each is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def having(self, **wanted: str) -> list[dict[str, str]]:
        names = {name.replace("_", "-"): value for name, value in wanted.items()}
        return [attrs for _, attrs in self.found if all(attrs.get(name) == value for name, value in names.items())]


def render(trace: Trace, step: int | None = None, *, unfold: bool = False) -> str:
    return render_player(trace, trace_id="c1", base_url="/s/7/?check=c1", step=step, unfold=unfold)


def read(trace: Trace, step: int | None = None) -> Reader:
    return Reader(render(trace, step))


@pytest.mark.parametrize("example", [*examples.ALL, lambda: EXAMPLE])
def test_every_step_is_drawn_on_the_server(example: Callable[[], Trace]) -> None:
    trace = example()
    last = len(trace.events)
    for step in range(1, last + 1) if last < 40 else (1, last // 2, last):
        html = render(trace, step)
        found = Reader(html)
        assert [attrs["data-step"] for attrs in found.having(aria_current="step")] == [str(step)] * 2, (
            "ribbon and transcript"
        )
        assert f"<b>Step {step} of {last}.</b>" in html.split("<template")[0]


@pytest.mark.parametrize("example", examples.ALL)
def test_nothing_inline_that_the_content_security_policy_forbids(example: Callable[[], Trace]) -> None:
    found = read(example()).found
    assert len(found) > 10
    for tag, attrs in found:
        assert not [name for name in attrs if name == "style" or name.startswith("on")]
        assert tag != "style"
        assert tag != "script"
        assert not attrs.get("href", "").startswith("javascript:")


def test_labels_and_numbers_of_a_log_are_text() -> None:
    html = render(examples.hostile())
    assert "<b>x</b>" not in html
    assert "<script" not in html
    assert not {"\u202e", "\u200f", "\x07"} & set(html)
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "\\u202e" in html


def test_names_are_isolated_from_the_writing_around_them() -> None:
    html = render(examples.shared_value())
    assert "<code><bdi>f = (x * x) * w</bdi></code>" in html
    assert "<bdi>x accumulates</bdi>" in html


def test_a_minus_is_a_minus_sign() -> None:
    drawn = [text for text in read(examples.shared_value()).texts if not text.startswith("{")]
    assert not [text for text in drawn if re.search(r"(^|[ (])-\d", text)]


def test_ids_are_unique_even_with_another_player_on_the_page() -> None:
    one = render_player(EXAMPLE, trace_id="c1", base_url="")
    other = render_player(EXAMPLE, trace_id="c2", base_url="")
    found = Counter(attrs["id"] for _, attrs in Reader(one + other).found if "id" in attrs)
    assert set(found.values()) == {1}
    names = {attrs["name"] for _, attrs in Reader(one + other).found if "name" in attrs}
    assert names == {"c1-view", "c2-view"}


def test_labels_point_to_what_is_there() -> None:
    found = read(examples.tensors())
    ids = {attrs["id"] for _, attrs in found.found if "id" in attrs}
    assert {attrs["aria-labelledby"] for _, attrs in found.found if "aria-labelledby" in attrs} <= ids


def test_a_step_is_an_address_that_works_without_a_script() -> None:
    found = read(examples.shared_value(), 5)
    cells = [attrs for _, attrs in found.found if "id" in attrs and "data-step" in attrs]
    assert [attrs["href"] for attrs in cells][10] == "/s/7/?check=c1&step=11#c1-e11"
    buttons = {attrs["data-do"]: attrs["href"] for tag, attrs in found.found if tag == "a" and "data-do" in attrs}
    assert {name: re.search(r"step=(\d+)", url)[1] for name, url in buttons.items()} == {  # type: ignore[index]
        "start": "1", "back": "4", "step": "6", "end": "12", "first": "11",
    }  # fmt: skip


def test_steps_of_a_graph_drawn_in_full_keep_it_so() -> None:
    html = render(examples.long_chain(), unfold=True)
    assert 'href="/s/7/?check=c1&amp;step=2&amp;unfold=1#c1-e2"' in html


def test_a_link_to_a_step_replaces_the_step_that_the_address_names() -> None:
    html = render_player(EXAMPLE, trace_id="", base_url="?step=9")
    assert 'href="?step=12#e12"' in html


def test_with_no_prefix_the_steps_are_plain() -> None:
    html = render_player(EXAMPLE, trace_id="", base_url="?step=3&theme=dark")
    assert 'href="?theme=dark&amp;step=12#e12"' in html


def test_what_needs_a_script_is_hidden_without() -> None:
    hidden = [attrs for _, attrs in read(examples.shared_value()).found if "data-script" in attrs]
    assert len(hidden) == 3
    assert all("hidden" in attrs for attrs in hidden)


def test_the_graph_is_a_picture_whose_title_tells_the_finding() -> None:
    found = read(examples.shared_value())
    assert len(found.having(role="img")) == 4
    assert (
        len(
            [text for text in found.texts if text.strip().endswith("First wrong node: x, expected minus 12, yours minus 6.")]
        )
        == 4
    )


def test_the_chain_line_is_the_live_region() -> None:
    found = read(examples.shared_value())
    assert [attrs["class"] for attrs in found.having(role="status")] == ["chain"]


def test_the_canvas_scrolls_by_keyboard() -> None:
    assert [attrs["class"] for attrs in read(EXAMPLE).having(tabindex="0", role="group")] == ["canvas"]


def test_graphs_of_other_shapes_open_side_by_side() -> None:
    assert [attrs["value"] for _, attrs in read(examples.other_shape()).found if "checked" in attrs] == ["pair"]
    assert [attrs["value"] for _, attrs in read(EXAMPLE).found if "checked" in attrs] == ["one"]


def test_numbers_in_attributes_are_those_of_svg_in_every_language(settings: Settings) -> None:
    plain = render(examples.tensors())
    settings.USE_THOUSAND_SEPARATOR = True
    with translation.override("de"):
        assert render(examples.tensors()) == plain


def test_two_edges_between_the_same_nodes_are_two_curves() -> None:
    wide = render(examples.shared_value()).split("</svg>")[0]
    curves = re.findall(r'class="line" d="([^"]+)"', wide)
    assert len(curves) == len(set(curves)) == 4
    assert len({re.findall(r"[\d-]+ [\d-]+", curve)[0] for curve in curves[:2]}) == 2, "they leave apart"


def test_an_edge_of_a_card_says_for_how_many_it_stands() -> None:
    assert "2 edges" in render(examples.long_chain())


def test_what_both_graphs_have_stands_at_the_same_place() -> None:
    found = read(examples.other_shape())
    places = {
        attrs["data-el"]: attrs["transform"] for _, attrs in found.found if "transform" in attrs and "data-el" in attrs
    }
    assert places["en0"] == places["yn0"]
    assert places["en2"] == places["yn2"]
    assert "en3" not in places
    assert "yn1" not in places


def test_shapes_and_saved_tensors_are_offered_where_there_are_any() -> None:
    def choices(trace: Trace) -> list[str]:
        return [attrs["value"] for attrs in read(trace).having(name="c1-show")]

    assert choices(examples.tensors()) == ["values", "shapes", "saved"]
    assert choices(EXAMPLE) == []


def test_a_folded_graph_offers_all_of_it_and_back() -> None:
    folded, all_drawn = render(examples.long_chain()), render(examples.long_chain(), unfold=True)
    assert 'href="/s/7/?check=c1&amp;step=78&amp;unfold=1#c1-e78"' in folded
    assert "Draw all 81" in folded
    assert "Fold them" in all_drawn
    assert len(re.findall(r'data-el="on\d+"', all_drawn)) == 2 * 81


def test_a_log_that_was_cut_says_so() -> None:
    trace = examples.shared_value()
    assert "Some steps are omitted" in render(Trace(trace.check, trace.program, trace.expected, trace.events, cut=True))
    assert "Some steps are omitted" not in render(trace)


def test_a_log_without_steps_says_so() -> None:
    assert "This pass has no steps" in render(Trace("", "", EXAMPLE.expected, ()))


def data_of(html: str) -> dict[str, object]:
    found = re.search(r"<template data-steps>(.*?)</template>", html)
    assert found
    return dict(json.loads(unescape(found[1])))


@pytest.mark.parametrize("example", examples.ALL)
def test_what_the_script_changes_is_drawn(example: Callable[[], Trace]) -> None:
    """Every slot that a change fills exists, and the drawing of a step equals the initial one plus all changes."""
    html = render(example())
    found = Reader(html)
    drawn = {attrs["data-el"]: attrs["class"] for _, attrs in found.found if "data-el" in attrs}
    data = data_of(html)
    steps, at = data["steps"], data["at"]
    assert isinstance(steps, list) and isinstance(at, int) and isinstance(data["initial"], dict)
    state = dict(data["initial"])
    for step in steps[:at]:
        state |= step["changes"]
    slots = set(re.findall(r'data-t="(\w+)"', html))
    for key, css in drawn.items():
        assert state[key][0] == css
        assert set(state[key][1]) <= slots


def test_driver_and_page_know_the_same_actions() -> None:
    """The script is bundled from source, so every action that the page uses must appear in the source."""
    driver = (SOURCES / "player.js").read_text()
    asked = {attrs["data-do"] for _, attrs in read(examples.tensors()).found if "data-do" in attrs}
    offered = set(re.findall(r"^    (\w+): \(\) =>", driver, re.M))
    by_key = set(re.findall(r": '(\w+)'", driver[driver.index("  keys = {") : driver.index("  go(step)")]))
    assert asked <= offered
    assert (
        asked | {"line", "transcript", "pair", "shows", "keys"} >= by_key >= {"line", "transcript", "pair", "keys", "first"}
    )
    assert by_key <= offered


def test_the_driver_makes_no_markup_and_runs_no_text() -> None:
    driver = (SOURCES / "player.js").read_text()
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.style\b", driver)


@pytest.mark.parametrize("example", examples.ALL)
def test_every_class_of_a_look_has_its_rule(example: Callable[[], Trace]) -> None:
    css = (SOURCES / "player.css").read_text()
    found = {name for _, attrs in read(example()).found if "data-el" in attrs for name in attrs["class"].split()}
    silent = {"node", "way", "only-both", "first"}
    assert not [name for name in found - silent if not re.search(rf"\.{re.escape(name)}\b", css)]
