"""The picture at rest: boxes, curves, arrows and pills as SVG attributes. What changes from step to step is in `looks`.

A drawing is made in depth and breadth and turned at the end: wide, where values flow right, or tall, where gradients fall.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from autograder.web.player import text
from autograder.web.player.curves import Box, Curve, Spread, rest_of, route
from autograder.web.player.frames import Player
from autograder.web.player.layout import Block, Layout, Link, Point, Spacing, lay_out
from autograder.web.player.looks import View, node_key, way_key
from autograder.web.player.merged import Merged, Spot

Turn = Literal["wide", "tall"]
SPACING = {"wide": Spacing(122, 34), "tall": Spacing(72, 36)}
LEAST, MOST = 132, 200  # widths of a node
LOW, HIGH = 70, 94  # heights of a node with one number and with two
FLAG = {"wide": 28, "tall": 112}  # the room beside the first wrong node
MARGIN = 14
NAME, SMALL, DIGIT = 9.1, 6.1, 8.5  # widths of a letter at 15, 11.5 and 14 px
PILL = 22
PORT = 13
SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷", "@": "@", "**": "^"}
LONGEST_SIGN = 6


@dataclass(frozen=True)
class Node:
    key: str
    x: int
    y: int
    width: int
    height: int
    name: str
    name_in_full: str
    formula: str
    formula_x: int
    value: str
    shape: str
    end: int
    is_flagged: bool


@dataclass(frozen=True)
class Port:
    """Where the operands of a node meet, with the sign of what is done to them."""

    x: int
    y: int
    width: int
    sign: str

    @property
    def left(self) -> float:
        return -self.width / 2

    @property
    def is_word(self) -> bool:
        return len(self.sign) > 1


@dataclass(frozen=True)
class Way:
    key: str
    path: str
    tip: str
    pill_x: int
    pill_y: int
    pill_width: int
    note: str
    note_y: int

    @property
    def pill_left(self) -> float:
        return -self.pill_width / 2


@dataclass(frozen=True)
class Drawing:
    view: View
    turn: Turn
    box: tuple[int, int, int, int]
    nodes: tuple[Node, ...]
    ports: tuple[Port, ...]
    ways: tuple[Way, ...]

    @property
    def is_big(self) -> bool:
        """Too wide to be shrunk to a page: it scrolls."""
        return self.box[2] > (980 if self.turn == "wide" else 560)


@dataclass(frozen=True)
class Widest:
    """The longest texts of a whole run, because boxes do not grow while it plays: letters by spot, and by way."""

    numbers: Mapping[int, int]
    pills: Mapping[int, int]
    has_two: frozenset[int]
    flagged: frozenset[int]


def measure(player: Player) -> Widest:
    numbers: dict[int, int] = defaultdict(int)
    pills: dict[int, int] = defaultdict(int)
    has_two, flagged = set(), set()
    slots = ("n1", "n2", "s1", "s2", "p", "s") if player.has_shapes else ("n1", "n2", "p")
    for looks in (player.initial, *(step.changes for step in player.steps)):
        for key, look in looks.items():
            place, letters = int(key[2:]), max(len(look.texts.get(slot, "")) for slot in slots)
            longest = numbers if key[1] == "n" else pills
            longest[place] = max(longest[place], letters)
            if "l2" in look.texts:
                has_two.add(place)
            if "first" in look.css.split():
                flagged.add(place)
    return Widest(numbers, pills, frozenset(has_two), frozenset(flagged))


def draw(merged: Merged, view: View, turn: Turn, widest: Widest) -> Drawing:
    width = _width(merged, widest)
    blocks = [_block(number, width, turn, widest) for number in range(len(merged.spots))]
    links = [Link(way.operand, way.consumer, way.position) for way in merged.ways]
    layout = lay_out(blocks, links, SPACING[turn])
    here = [number for number, spot in enumerate(merged.spots) if _is_in(view, spot.side)]
    boxes = [_box(centre, block) for centre, block in zip(layout.centres, blocks, strict=True)]
    turned = [_turned(box, turn) for box in boxes]
    nodes = tuple(_node(merged, view, number, turned[number], widest) for number in here)
    ways = _ways(merged, view, turn, layout, boxes, widest)
    return Drawing(
        view, turn, _bounds(turned, ways, widest, turn), nodes, _ports(merged, here, turned, turn, ways), tuple(ways)
    )


def _is_in(view: View, side: str) -> bool:
    return view == "one" or side == "both" or side == {"expected": "expected", "yours": "given"}[view]


def _width(merged: Merged, widest: Widest) -> int:
    """All boxes are as wide as the widest needs, within reason."""
    needs = [LEAST]
    for number, spot in enumerate(merged.spots):
        name = len(text.plain(spot.node.label)) * NAME
        needs.append(round(26 + name + 10 + len(_value(spot)) * DIGIT))
        label = 50 if spot.side == "both" else 78
        needs.append(round(26 + label + 12 + widest.numbers.get(number, 0) * DIGIT))
    return min(MOST, max(needs))


def _block(number: int, width: int, turn: Turn, widest: Widest) -> Block:
    height = HIGH if number in widest.has_two else LOW
    flag = FLAG[turn] if number in widest.flagged else 0
    return Block(width, height, before=flag) if turn == "wide" else Block(height, width, after=flag)


def _box(centre: Point, block: Block) -> Box:
    return Box(centre.depth - block.depth / 2, centre.breadth - block.breadth / 2, block.depth, block.breadth)


def _turned(box: Box, turn: Turn) -> tuple[int, int, int, int]:
    """x, y, width, height. Wide turns depth to the left: outputs stand at the right."""
    if turn == "wide":
        return round(-box.depth - box.deep), round(box.breadth), round(box.deep), round(box.broad)
    return round(box.breadth), round(box.depth), round(box.broad), round(box.deep)


def _value(spot: Spot) -> str:
    if spot.count > 1 or not spot.node.value:
        return ""
    short = text.numeral(spot.node.value).short
    if len(short) > 9 and spot.node.shape:
        return f"[{text.shape(spot.node.shape)}]"
    return text.cut(short, 9)


def _node(merged: Merged, view: View, number: int, box: tuple[int, int, int, int], widest: Widest) -> Node:
    spot = merged.spots[number]
    x, y, width, height = box
    value, full = _value(spot), text.plain(spot.node.label)
    room = width - 26 - (len(value) * DIGIT + 10 if value else 0)
    name = text.cut(full, max(3, int(room / NAME)))
    formula_x = 14 + round(len(name) * NAME) + 7
    formula = _formula(merged, number)
    if formula_x + len(formula) * SMALL + len(value) * DIGIT + 20 > width:
        formula = ""
    shape = text.shape(spot.node.shape) if spot.node.shape is not None else ""
    return Node(
        node_key(view, number),
        x,
        y,
        width,
        height,
        name,
        full,
        formula,
        formula_x,
        value,
        shape,
        width - 12,
        number in widest.flagged,
    )


def _formula(merged: Merged, number: int) -> str:
    """`= x × x`, for a node that has a name of its own."""
    spot = merged.spots[number]
    sign = SIGNS.get(spot.node.operation, text.plain(spot.node.operation))
    if spot.node.leaf or spot.count > 1 or not spot.node.label.isidentifier():
        return ""
    operands = sorted((way.position, way.operand) for way in merged.ways if way.consumer == number and way.side == spot.side)
    names = [text.plain(merged.spots[operand].node.label) for _, operand in operands]
    if not names or any(not name.isidentifier() for name in names):
        return ""
    if spot.node.operation in SIGNS:
        return f"= {f' {sign} '.join(names)}" if len(names) > 1 else f"= {sign}{names[0]}"
    return f"= {sign}({', '.join(names)})" if sign != spot.node.label else ""


def _sign(spot: Spot) -> str:
    operation = spot.node.operation
    if spot.count > 1 or spot.node.leaf or operation == spot.node.label:
        return ""
    sign = SIGNS.get(operation, text.plain(operation))
    return sign if len(sign) <= LONGEST_SIGN else ""


def _ports(
    merged: Merged, here: Sequence[int], boxes: Sequence[tuple[int, int, int, int]], turn: Turn, ways: Sequence[Way]
) -> tuple[Port, ...]:
    consuming = {way.consumer for way in merged.ways}
    ports = []
    for number in here:
        sign = _sign(merged.spots[number])
        if number in consuming and sign:
            x, y, width, height = boxes[number]
            middle = (x, y + height // 2) if turn == "wide" else (x + width // 2, y + height)
            ports.append(Port(*middle, max(2 * PORT, round(len(sign) * 7.5) + 12), sign))
    return tuple(ports)


def _ways(merged: Merged, view: View, turn: Turn, layout: Layout, boxes: Sequence[Box], widest: Widest) -> list[Way]:
    links = [Link(way.operand, way.consumer, way.position) for way in merged.ways]
    spread = Spread(links, boxes, [bool(_sign(spot)) for spot in merged.spots])
    curves = [route(spread, number, layout.bends[number]) for number in range(len(links))]
    widths = [max(44, round(widest.pills.get(number, 0) * DIGIT + 18)) for number in range(len(links))]
    rests = _rests(curves, widths, boxes, turn)
    alike = _alike(links)
    ways = []
    for number, way in enumerate(merged.ways):
        if _is_in(view, way.side):
            x, y = _point(rests[number], turn)
            note, above = alike.get(number, ("", True)) if turn == "wide" else ("", True)
            if way.count > 1:
                note, above = f"{way.count} edges", True
            path, tip = _path(curves[number], turn), _tip(curves[number], turn)
            ways.append(Way(way_key(view, number), path, tip, x, y, widths[number], note, -19 if above else 19))
    return ways


def _alike(links: Sequence[Link]) -> dict[int, tuple[str, bool]]:
    """A value used twice by the same node: the edges say which operand they are."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, link in enumerate(links):
        groups[link.operand, link.consumer].append(number)
    names = ("first", "second", "third", "fourth")
    return {
        number: (f"{names[links[number].position]} operand", place < len(group) / 2)
        for group in groups.values()
        if len(group) > 1
        for place, number in enumerate(group)
        if links[number].position < len(names)
    }


def _rests(curves: Sequence[Curve], widths: Sequence[int], boxes: Sequence[Box], turn: Turn) -> list[tuple[float, float]]:
    """Where each pill rests on its curve: in the middle, or the nearest place where it covers no other."""
    taken: list[tuple[float, float, float, float]] = [_around(box) for box in boxes]
    rests = []
    for curve, width in zip(curves, widths, strict=True):
        deep, broad = (width, PILL) if turn == "wide" else (PILL, width)
        rest = rest_of(curve, (deep + 6, broad + 6), taken)
        taken.append((rest[0] - deep / 2, rest[1] - broad / 2, rest[0] + deep / 2, rest[1] + broad / 2))
        rests.append(rest)
    return rests


def _around(box: Box) -> tuple[float, float, float, float]:
    return box.depth, box.breadth, box.depth + box.deep, box.breadth + box.broad


def _point(place: tuple[float, float], turn: Turn) -> tuple[int, int]:
    depth, breadth = place
    return (round(-depth), round(breadth)) if turn == "wide" else (round(breadth), round(depth))


def _path(curve: Curve, turn: Turn) -> str:
    points = [_point(place, turn) for place in curve.points]
    parts = [f"M{points[0][0]} {points[0][1]}"]
    for place in range(1, len(points), 3):
        parts.append("C" + " ".join(f"{x} {y}" for x, y in points[place : place + 3]))
    return "".join(parts)


def _tip(curve: Curve, turn: Turn) -> str:
    """The head of the arrow lies at the operand: a gradient comes back."""
    (x, y), (from_x, from_y) = _point(curve.points[0], turn), _point(curve.points[1], turn)
    length = max(1.0, ((x - from_x) ** 2 + (y - from_y) ** 2) ** 0.5)
    ahead = ((x - from_x) / length, (y - from_y) / length)
    back = (x - 3 * ahead[0], y - 3 * ahead[1])
    corners = [(back[0] + 8 * ahead[0], back[1] + 8 * ahead[1])]
    corners += [(back[0] - side * 4.5 * ahead[1], back[1] + side * 4.5 * ahead[0]) for side in (1, -1)]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"


def _bounds(
    boxes: Sequence[tuple[int, int, int, int]], ways: Sequence[Way], widest: Widest, turn: Turn
) -> tuple[int, int, int, int]:
    spans = [(x, y, x + width, y + height) for x, y, width, height in boxes]
    for number in widest.flagged:
        x, y, right, bottom = spans[number]
        spans[number] = (x, y - FLAG["wide"], right, bottom) if turn == "wide" else (x, y, right + FLAG["tall"], bottom)
    for way in ways:
        half, high = way.pill_width // 2, 26 if way.note else 12
        spans.append((way.pill_x - half, way.pill_y - high, way.pill_x + half, way.pill_y + high))
        numbers = [int(number) for number in way.path.replace("M", " ").replace("C", " ").split()]
        spans += [(x, y, x, y) for x, y in _curve_box(list(zip(numbers[::2], numbers[1::2], strict=True)))]
    left, top = min((span[0] for span in spans), default=0), min((span[1] for span in spans), default=0)
    right, bottom = max((span[2] for span in spans), default=0), max((span[3] for span in spans), default=0)
    return left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN


def _curve_box(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ends, and the points half-way to each control point: a curve goes no farther than that by much."""
    return points[::3] + [((one[0] + other[0]) // 2, (one[1] + other[1]) // 2) for one, other in pairwise(points)]
