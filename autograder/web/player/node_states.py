"""Computes the look of every node and edge after each step of a log: a CSS class and the texts of its slots.

A run has three views: `one` graph with both values, and the `expected` graph and the given one (`yours`) side by side.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from autograder.trace.model import Event, Quantity, Term, Terms, Trace
from autograder.web.player import text
from autograder.web.player.merged_graphs import Merged, Spot

View = Literal["one", "expected", "yours"]
VIEWS: tuple[View, ...] = ("one", "expected", "yours")
NUMBERS = ("seed", "accumulate", "grad", "visit")  # the kinds of event that write a number to a node
ROOM = 9
EMPTY = "·"
NONE = "none"
NAMES: Mapping[Quantity, str] = {"gradient": "grad", "index": "index", "paths": "paths", "none": ""}
ONLY = {"expected": "only expected", "given": "only yours"}


@dataclass(frozen=True)
class Appearance:
    css: str
    texts: Mapping[str, str]


Appearances = dict[str, Appearance]


@dataclass
class _Lane:
    """The value that one graph has at a spot or on a way, and the number of contributions sent along it."""

    term: Term | None = None
    passes: int = 0


@dataclass
class _State:
    expected: _Lane = field(default_factory=_Lane)
    given: _Lane = field(default_factory=_Lane)
    differs: bool = False
    mark: str = ""
    done: int = 0
    saved: str = ""


def node_key(view: View, spot: int) -> str:
    return f"{view[0]}n{spot}"


def way_key(view: View, way: int) -> str:
    return f"{view[0]}e{way}"


def run(trace: Trace, merged: Merged) -> Iterator[Appearances]:
    """Yield the initial looks, then the changes of each step."""
    state = _Run(trace, merged)
    appearances = state.everything()
    yield appearances
    for index, event in enumerate(trace.events):
        changes = {key: appearance for key, appearance in state.take(index, event).items() if appearances[key] != appearance}
        appearances = appearances | changes
        yield changes


class _Run:
    def __init__(self, trace: Trace, merged: Merged) -> None:
        self._trace, self._merged = trace, merged
        self._spots = [_State() for _ in merged.spots]
        self._ways = [_State() for _ in merged.ways]
        self._live_spots: set[int] = set()
        self._live_ways: set[int] = set()
        self._last = {_node_of(event): index for index, event in enumerate(trace.events) if event.kind in NUMBERS}
        for event in trace.events:
            spot = merged.spot_of(event)
            if event.kind == "freed" and spot is not None:
                self._spots[spot].saved = "saved"

    def everything(self) -> Appearances:
        return self._appearances(set(range(len(self._spots))), set(range(len(self._ways))), None)

    def take(self, index: int, event: Event) -> Appearances:
        """Apply a step. Returns the looks of everything it may have changed and of what the previous step highlighted."""
        before_spots, before_ways = self._live_spots, self._live_ways
        # a new backward pass begins, in which nothing has been sent yet
        if index and self._trace.events[index - 1].kind == "end":
            self._ways = [_State() for _ in self._ways]
            before_ways = set(range(len(self._ways)))
        self._live_spots = {
            spot for spot in (self._merged.spot_of(event), self._merged.given_spot_of(event)) if spot is not None
        }
        self._live_ways = {way for way in (self._merged.way_of(event), self._merged.given_way_of(event)) if way is not None}
        if event.kind in NUMBERS:
            self._write(event)
            if self._last[_node_of(event)] == index:
                for spot in self._live_spots:
                    self._spots[spot].done += 1
        if event.kind in ("contribution", "unbroadcast"):
            self._send(event)
        for spot in self._live_spots:
            self._mark(self._spots[spot], event, is_first=index == self._trace.first_wrong)
        return self._appearances(before_spots | self._live_spots, before_ways | self._live_ways, event)

    def _write(self, event: Event) -> None:
        ours, theirs = self._merged.spot_of(event), self._merged.given_spot_of(event)
        expected, given = _now(event.expected), _now(event.given)
        if given is None and not is_flagged(event):
            given = expected
        if ours is not None and expected is not None:
            self._spots[ours].expected.term = expected
        if theirs is not None and given is not None:
            self._spots[theirs].given.term = given
        for spot in self._live_spots:
            state = self._spots[spot]
            state.differs = is_flagged(event) and _text(state.expected.term) != _text(state.given.term)

    def _send(self, event: Event) -> None:
        ours, theirs = self._merged.way_of(event), self._merged.given_way_of(event)
        given = event.expected if event.given is None and not is_flagged(event) else event.given
        for way, terms, is_given in ((ours, event.expected, False), (theirs, given, True)):
            if way is not None and terms is not None:
                lane = self._ways[way].given if is_given else self._ways[way].expected
                lane.term, lane.passes = _sent(terms) or lane.term, lane.passes + (event.kind == "contribution")
        for way in self._live_ways:
            self._ways[way].differs |= is_flagged(event) and _text(_sent(event.expected)) != _text(_sent(given))

    @staticmethod
    def _mark(state: _State, event: Event, is_first: bool) -> None:
        if event.kind == "freed":
            state.saved = "freed"
        if event.wrong:
            state.mark = "first" if is_first or state.mark == "first" else "wrong"
        elif event.follows:
            state.mark = state.mark or "after"
        elif event.kind in NUMBERS and state.mark == "after":
            state.mark = ""

    def _appearances(self, spots: set[int], ways: set[int], event: Event | None) -> Appearances:
        appearances = {node_key(view, spot): self._node(view, spot, event) for view in VIEWS for spot in spots}
        return appearances | {way_key(view, way): self._way(view, way, event) for view in VIEWS for way in ways}

    def _node(self, view: View, number: int, event: Event | None) -> Appearance:
        state, spot = self._spots[number], self._merged.spots[number]
        marks = ["node", f"only-{spot.side}"] if spot.side != "both" else ["node"]
        if spot.count > 1:
            marks.append("card")
        if event is not None and number in self._live_spots:
            marks.append("live")
        if state.differs and view != "expected":
            marks.append("off")
        if state.mark and (view != "expected" or spot.side == "expected"):
            marks.append({"first": "wrong first", "wrong": "wrong", "after": "after"}[state.mark])
        elif state.done and not state.differs and spot.count == 1 and NAMES[self._trace.quantity]:
            marks.append("right")
        if state.saved == "freed":
            marks.append("spent")
        name = NAMES[self._trace.quantity]
        texts = _card(state, spot, name) if spot.count > 1 else _numbers(view, state, spot, name)
        if "l2" in texts:
            marks.append("two")
        return Appearance(" ".join(marks), texts | {"sv": state.saved})

    def _way(self, view: View, number: int, event: Event | None) -> Appearance:
        state, way = self._ways[number], self._merged.ways[number]
        lane = state.expected if view == "expected" or not state.given.passes else state.given
        is_sent = bool(lane.passes) and not (view == "yours" and lane is not state.given)
        term = lane.term if is_sent else None
        is_lost = bool(state.expected.passes) and not state.given.passes and way.side != "given"
        marks = ["way", "done" if is_sent else "idle"]
        if number in self._live_ways and event is not None and is_sent:
            marks[1] = "now"
        if is_sent and term is None:
            marks.append("bare")
        if view != "expected" and is_lost:
            marks.append("lost")
        elif view != "expected" and state.differs:
            marks.append("bad")
        shown = "" if term is None else compact(term, ROOM)
        if lane.passes > 1 and way.count == 1:
            shown = f"{lane.passes}× {shown}"
        return Appearance(" ".join(marks), {"p": shown, "s": _shape_of(term), "t": self._way_title(number, state)})

    def _way_title(self, number: int, state: _State) -> str:
        way = self._merged.ways[number]
        ends = [text.plain(self._merged.spots[spot].node.label) for spot in (way.consumer, way.operand)]
        return f"{ends[0]} to {ends[1]}{_in_full(state)}"


def is_flagged(event: Event) -> bool:
    return event.wrong or event.follows


def compact(term: Term, room: int) -> str:
    """Format a value for a small space: an array that does not fit is shown as its shape."""
    entries = text.of_array(term.text, term.shape)
    if len(text.numeral(entries).short) > room and term.shape:
        return f"[{text.shape(term.shape)}]"
    return text.fitted(entries, room)


def _numbers(view: View, state: _State, spot: Spot, name: str) -> dict[str, str]:
    expected, given = state.expected.term, state.given.term
    title = {
        "t": text.plain(spot.node.label)
        + (f" = {text.numeral(text.of_array(spot.node.value, spot.node.shape)).full}" if spot.node.value else "")
        + _in_full(state)
    }
    if view == "one" and state.differs and spot.side == "both":
        ours, theirs = _both(expected, given)
        rows = {"l1": "expected", "n1": ours, "l2": "yours", "n2": theirs, "s1": _shape_of(expected), "s2": _shape_of(given)}
        return rows | title
    term = expected if view == "expected" or (given is None and view == "one") else given
    shown = (EMPTY if name else "") if term is None else compact(term, ROOM)
    if view != "one" and state.differs:
        shown = _both(expected, given)[view == "yours"]
    return {"l1": ONLY.get(spot.side, name), "n1": shown, "s1": _shape_of(term) or EMPTY} | title


def _card(state: _State, spot: Spot, name: str) -> dict[str, str]:
    return {
        "l1": f"with {name}" if name else "visited",
        "n1": f"{state.done} of {spot.count}",
        "t": text.plain(spot.node.operation),
    }


def _both(expected: Term | None, given: Term | None) -> tuple[str, str]:
    if expected is None or given is None:
        return (NONE if expected is None else compact(expected, ROOM), NONE if given is None else compact(given, ROOM))
    if expected.shape or given.shape:
        return compact(expected, ROOM), compact(given, ROOM)
    ours, theirs = text.pair(expected.text, given.text)
    return ours.short, theirs.short


def _in_full(state: _State) -> str:
    """Both values with all digits, for the tooltip."""
    expected, given = state.expected.term, state.given.term
    if expected is None and given is None:
        return ""
    ours, theirs = (
        NONE if term is None else text.numeral(text.of_array(term.text, term.shape)).full for term in (expected, given)
    )
    return f": expected {ours}, yours {theirs}" if state.differs else f": {theirs if given else ours}"


def _shape_of(term: Term | None) -> str:
    return "" if term is None else text.shape(term.shape or ())


def _node_of(event: Event) -> tuple[str, int | None]:
    return ("expected", event.node) if event.node is not None else ("given", event.given_node)


def _now(terms: Terms | None) -> Term | None:
    return None if terms is None else terms.now


def _sent(terms: Terms | None) -> Term | None:
    return None if terms is None else terms.contribution or terms.now


def _text(term: Term | None) -> str | None:
    return None if term is None else term.text
