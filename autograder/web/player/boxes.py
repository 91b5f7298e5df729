"""Sizes the node boxes, wide enough for every number of a run, and places the ports where edges enter a node."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.web.player import text
from autograder.web.player.frames import Player
from autograder.web.player.merged_graphs import Merged, Spot
from autograder.web.player.node_states import ROOM

Turn = Literal["wide", "tall"]
Rectangle = tuple[int, int, int, int]  # x, y, width, height

LEAST, MOST, WIDEST = 132, 200, 324  # node widths: minimum; maximum for a long name; maximum for long differing numbers
LOW, HIGH = 70, 94  # node heights with one number and with two
NAME, SMALL, DIGIT = 9.1, 6.1, 8.5  # character widths at 15, 11.5 and 14 px
PORT = 13
SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷", "@": "@", "**": "^"}
LONGEST_SIGN = 6


@dataclass(frozen=True)
class Node:
    """The box of a spot with its constant text."""

    spot: int
    x: int
    y: int
    width: int
    height: int
    name: str
    formula: str
    formula_x: int
    value: str
    shape: str
    end: int
    is_flagged: bool


@dataclass(frozen=True)
class Port:
    """The point where the operands of a node meet, labelled with its operation."""

    spot: int
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
class Widest:
    """The longest texts of a whole run, in characters, by spot and by way. Boxes keep their size while the run plays."""

    numbers: Mapping[int, int]
    pills: Mapping[int, int]
    has_two: frozenset[int]
    flagged: frozenset[int]


def measure(player: Player) -> Widest:
    numbers: dict[int, int] = defaultdict(int)
    pills: dict[int, int] = defaultdict(int)
    has_two, flagged = set(), set()
    slots = ("n1", "n2", "s1", "s2", "p", "s") if player.has_shapes else ("n1", "n2", "p")
    for appearances in (player.initial, *(step.changes for step in player.steps)):
        for key, appearance in appearances.items():
            place, letters = int(key[2:]), max(len(appearance.texts.get(slot, "")) for slot in slots)
            longest = numbers if key[1] == "n" else pills
            longest[place] = max(longest[place], letters)
            if "l2" in appearance.texts:
                has_two.add(place)
            if "first" in appearance.css.split():
                flagged.add(place)
    return Widest(numbers, pills, frozenset(has_two), frozenset(flagged))


def width_of(merged: Merged, widest: Widest) -> int:
    """Return the common width of all boxes. Long names are truncated at MOST, numbers may use up to WIDEST."""
    names, numbers = [LEAST], [LEAST]
    for number, spot in enumerate(merged.spots):
        name = len(text.plain(spot.node.label)) * NAME
        names.append(round(26 + name + 10 + len(_value(spot)) * DIGIT))
        numbers.append(round(26 + label_width(spot) + 12 + widest.numbers.get(number, 0) * DIGIT))
    return max(min(MOST, max(names)), min(WIDEST, max(numbers)))


def label_width(spot: Spot) -> int:
    """Width of the label in front of a number."""
    return 50 if spot.side == "both" else 78


def height_of(spot: int, widest: Widest) -> int:
    return HIGH if spot in widest.has_two else LOW


def _value(spot: Spot) -> str:
    if spot.count > 1 or not spot.node.value:
        return ""
    entries = text.of_array(spot.node.value, spot.node.shape)
    if len(text.numeral(entries).short) > ROOM and spot.node.shape:
        return f"[{text.shape(spot.node.shape)}]"
    return text.fitted(entries, ROOM)


def node_in(box: Rectangle, merged: Merged, number: int, widest: Widest) -> Node:
    spot, width = merged.spots[number], box[2]
    value = _value(spot)
    room = width - 26 - (len(value) * DIGIT + 10 if value else 0)
    name = text.cut(text.plain(spot.node.label), max(3, int(room / NAME)))
    formula_x = 14 + round(len(name) * NAME) + 7
    formula = _formula(merged, number)
    if formula_x + len(formula) * SMALL + len(value) * DIGIT + 20 > width:
        formula = ""
    shape = text.shape(spot.node.shape) if spot.node.shape is not None else ""
    return Node(number, *box, name, formula, formula_x, value, shape, width - 12, number in widest.flagged)


def _formula(merged: Merged, number: int) -> str:
    """Return a formula such as `= x × x` for a named node, else an empty string."""
    spot = merged.spots[number]
    sign = SIGNS.get(spot.node.operation, text.plain(spot.node.operation))
    if spot.node.leaf or spot.count > 1 or not spot.node.label.isidentifier():
        return ""
    operands = sorted((way.position, way.operand) for way in merged.ways if way.consumer == number and way.side == spot.side)
    names = [text.plain(merged.spots[operand].node.label) for _, operand in operands]
    if not names or any(not name.isidentifier() for name in names):
        return ""
    if spot.node.operation in SIGNS:
        if len(names) == 1:  # the other operand is a constant, which the log does not name
            return f"= {sign}{names[0]}" if spot.node.operation == "-" else ""
        return f"= {f' {sign} '.join(names)}"
    return f"= {sign}({', '.join(names)})" if sign != spot.node.label else ""


def sign_of(spot: Spot) -> str:
    """The label of a port. Empty for a node whose name is its operation, a leaf, or a card."""
    operation = spot.node.operation
    if spot.count > 1 or spot.node.leaf or operation == spot.node.label:
        return ""
    sign = SIGNS.get(operation, text.plain(operation))
    return sign if len(sign) <= LONGEST_SIGN else ""


def _port_width(sign: str) -> int:
    return max(2 * PORT, round(len(sign) * 7.5) + 12)


def _port_out(sign: str, turn: Turn) -> int:
    """How far the centre of a port lies outside its node, so that it covers no text."""
    return _port_width(sign) // 2 - 11 if turn == "wide" else 6


def port_reach(sign: str, turn: Turn) -> int | None:
    """How much farther out than a round port on the border this port reaches. None for a node without a port."""
    if not sign:
        return None
    return _port_out(sign, turn) + (_port_width(sign) // 2 - PORT if turn == "wide" else 0)


def ports_of(merged: Merged, boxes: Sequence[Rectangle], turn: Turn) -> dict[int, Port]:
    ports = {}
    for number in {way.consumer for way in merged.ways}:
        sign = sign_of(merged.spots[number])
        if sign:
            x, y, width, height = boxes[number]
            out = _port_out(sign, turn)
            middle = (x - out, y + height // 2) if turn == "wide" else (x + width // 2, y + height + out)
            ports[number] = Port(number, *middle, _port_width(sign), sign)
    return ports
