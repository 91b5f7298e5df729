"""Computes the static drawing: boxes, curves, arrows and pills as SVG attributes. `node_states` has what changes per step.

The layout is computed in depth and breadth and rotated at the end: "wide" has values flow to the right, "tall" has
gradients flow down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autograder.web.player.boxes import Node, Port, Rectangle, Turn, Widest, height_of, measure, node_in, ports_of, width_of
from autograder.web.player.curves import Box
from autograder.web.player.frames import Player
from autograder.web.player.layout import Block, Link, Point, Spacing, lay_out, layers
from autograder.web.player.lines import EdgeLine, lines_of
from autograder.web.player.merged_graphs import Merged, Side
from autograder.web.player.node_states import VIEWS, View

SPACING: Mapping[Turn, Spacing] = {"wide": Spacing(122, 34), "tall": Spacing(76, 36)}
BARE = {"wide": 72, "tall": 44}  # distance between layers if the edges carry no numbers
NARROW = 96  # distance between layers of a wide graph with more than three of them
FLAG = {"wide": 28, "tall": 112}  # space beside a node for the flag of the first wrong step
MARGIN = 14
SCROLLS = {"wide": 1000, "tall": 460}  # maximum widths at which a drawing is scaled to the page instead of scrolled
TURNS: Mapping[View, tuple[Turn, ...]] = {"one": ("wide", "tall"), "expected": ("tall",), "yours": ("tall",)}
OTHERS: Mapping[View, Side | None] = {"one": None, "expected": "given", "yours": "expected"}


@dataclass(frozen=True)
class Drawing:
    """A drawing of one view. Nodes of both graphs have the same position in all views of the same turn."""

    view: View
    turn: Turn
    box: Rectangle
    nodes: tuple[Node, ...]
    ports: tuple[Port, ...]
    lines: tuple[EdgeLine, ...]

    @property
    def is_big(self) -> bool:
        return self.box[2] > SCROLLS[self.turn]


def draw(player: Player) -> dict[View, list[Drawing]]:
    widest = measure(player)
    turned = {turn: _drawn(player.merged, turn, widest) for turn in SPACING}
    return {view: [_seen(player.merged, view, turned[turn]) for turn in TURNS[view]] for view in VIEWS}


def _drawn(merged: Merged, turn: Turn, widest: Widest) -> Drawing:
    width = width_of(merged, widest)
    blocks = [_block(number, width, turn, widest) for number in range(len(merged.spots))]
    links = [Link(way.operand, way.consumer, way.position) for way in merged.ways]
    layout = lay_out(blocks, links, _spacing(links, turn, len(blocks), is_bare=not any(widest.pills.values())))
    boxes = [_box(centre, block) for centre, block in zip(layout.centres, blocks, strict=True)]
    rectangles = [_turned(box, turn) for box in boxes]
    nodes = tuple(node_in(box, merged, number, widest) for number, box in enumerate(rectangles))
    lines = lines_of(merged, links, layout, boxes, turn, widest)
    ports = ports_of(merged, rectangles, turn)
    return Drawing("one", turn, _bounds(rectangles, lines, widest, turn), nodes, tuple(ports.values()), tuple(lines))


def _seen(merged: Merged, view: View, drawing: Drawing) -> Drawing:
    other = OTHERS[view]
    return replace(
        drawing,
        view=view,
        nodes=tuple(node for node in drawing.nodes if merged.spots[node.spot].side != other),
        ports=tuple(port for port in drawing.ports if merged.spots[port.spot].side != other),
        lines=tuple(line for line in drawing.lines if merged.ways[line.way].side != other),
    )


def _spacing(links: Sequence[Link], turn: Turn, count: int, is_bare: bool) -> Spacing:
    if is_bare:
        return Spacing(BARE[turn], SPACING[turn].neighbours)
    is_long = turn == "wide" and max(layers(count, links), default=0) > 2
    return Spacing(NARROW, SPACING[turn].neighbours) if is_long else SPACING[turn]


def _block(number: int, width: int, turn: Turn, widest: Widest) -> Block:
    height = height_of(number, widest)
    flag = FLAG[turn] if number in widest.flagged else 0
    return Block(width, height, before=flag) if turn == "wide" else Block(height, width, after=flag)


def _box(centre: Point, block: Block) -> Box:
    return Box(centre.depth - block.depth / 2, centre.breadth - block.breadth / 2, block.depth, block.breadth)


def _turned(box: Box, turn: Turn) -> Rectangle:
    """Return x, y, width, height. In wide drawings, outputs are on the right."""
    if turn == "wide":
        return round(-box.depth - box.deep), round(box.breadth), round(box.deep), round(box.broad)
    return round(box.breadth), round(box.depth), round(box.broad), round(box.deep)


def _bounds(boxes: Sequence[Rectangle], lines: Sequence[EdgeLine], widest: Widest, turn: Turn) -> Rectangle:
    spans = [(x, y, x + width, y + height) for x, y, width, height in boxes]
    for number in widest.flagged:
        x, y, right, bottom = spans[number]
        spans[number] = (x, y - FLAG["wide"], right, bottom) if turn == "wide" else (x, y, right + FLAG["tall"], bottom)
    for line in lines:
        half, high = line.pill_width // 2, 26 if line.note else 12
        spans.append((line.pill_x - half, line.pill_y - high, line.pill_x + half, line.pill_y + high))
        spans += [(x, y, x, y) for x, y in _reach(line.curve)]
    left, top = min((span[0] for span in spans), default=0), min((span[1] for span in spans), default=0)
    right, bottom = max((span[2] for span in spans), default=0), max((span[3] for span in spans), default=0)
    return left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN


def _reach(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Approximate the extent of a curve by its ends and the midpoints towards its control points."""
    return [*points[::3]] + [((one[0] + other[0]) // 2, (one[1] + other[1]) // 2) for one, other in pairwise(points)]
