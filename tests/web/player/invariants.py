"""Invariants of every player, whatever went wrong in its run."""

import re
from collections.abc import Iterator

from autograder.trace.model import Trace
from autograder.web.player import Player, player_of
from autograder.web.player.boxes import DIGIT, NAME, Node, label_width
from autograder.web.player.drawing import Drawing, draw


def broken(trace: Trace) -> list[str]:
    """Return the violated invariants as sentences; an empty list for a valid player."""
    player = player_of(trace)
    return [*_lies(trace, player), *_clipped(player), *_too_wide(player)]


def _lies(trace: Trace, player: Player) -> Iterator[str]:
    first = player.first_wrong or len(player.steps) + 1
    for event, step in zip(trace.events, player.steps, strict=True):
        verdicts = " ".join([*(row.verdict for row in step.rows), step.entry.line])
        if "ollows from" in verdicts and step.number <= first:
            yield f"step {step.number} follows, but the first wrong step is {first}"
        yield from (
            f"step {step.number} follows from {cause}, which is not wrong or comes later"
            for cause in map(int, re.findall(r"ollows from step (\d+)", verdicts))
            if cause >= step.number or not trace.events[cause - 1].wrong
        )
        sides = {row.lane: row for row in step.rows if row.lane}
        for lane, terms in (("ex", event.expected), ("gi", event.given)):
            row = sides.get(lane)
            if row and terms is not None and re.match("no |not in|nothing", row.say):
                yield f"step {step.number} has a side {lane}, but the player says {row.say!r}"
            if row and terms is None and (row.cells or not row.say):
                yield f"step {step.number} has no side {lane}, but the player does not say so"


def _clipped(player: Player) -> Iterator[str]:
    for view, drawings in draw(player).items():
        for drawing in drawings:
            left, top, width, height = drawing.box
            for name, (x, y, right, bottom) in _extents(drawing):
                if not (left <= x and top <= y and right <= left + width and bottom <= top + height):
                    yield f"{name} leaves the {drawing.turn} picture of {view}"


def _extents(drawing: Drawing) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    wide = drawing.turn == "wide"
    for node in drawing.nodes:
        right, bottom = node.x + node.width, node.y + node.height
        yield f"node {node.name}", (node.x, node.y, right, bottom)
        if node.is_flagged:  # as in the template
            yield "the flag", (node.x, node.y - 27, node.x + 114, bottom) if wide else (node.x, node.y, right + 108, bottom)
    for port in drawing.ports:
        yield f"port {port.sign}", (port.x + port.left, port.y - 13, port.x - port.left, port.y + 13)
    for line in drawing.lines:
        half = line.pill_width / 2
        yield "a pill", (line.pill_x - half, line.pill_y - 11, line.pill_x + half, line.pill_y + 11)


def _too_wide(player: Player) -> Iterator[str]:
    drawing = draw(player)["one"][0]
    boxes = {node.spot: node for node in drawing.nodes}
    pills = {line.way: line.pill_width for line in drawing.lines}
    for appearances in (player.initial, *(step.changes for step in player.steps)):
        for key, appearance in appearances.items():
            place = int(key[2:])
            if key[1] == "n":
                spot = player.merged.spots[place]
                longest = max(len(appearance.texts.get(slot, "")) for slot in ("n1", "n2"))
                if 14 + label_width(spot) + longest * DIGIT + 12 > boxes[place].width:
                    yield f"{appearance.texts['n1']} leaves its box"
            elif len(appearance.texts["p"]) * DIGIT > pills[place]:
                yield f"{appearance.texts['p']} leaves its pill"
    yield from (f"the name {node.name} leaves its box" for node in boxes.values() if _name_width(node) > node.width)


def _name_width(node: Node) -> float:
    return 14 + len(node.name) * NAME + len(node.value) * DIGIT + 12
