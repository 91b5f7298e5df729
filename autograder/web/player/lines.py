"""The edges of a drawing as SVG: the curve, its arrow head, and the position of its pill."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.web.player.boxes import DIGIT, Turn, Widest, port_reach, sign_of
from autograder.web.player.curves import Box, Curve, Spread, rest_of, route
from autograder.web.player.layout import Layout, Link
from autograder.web.player.merged_graphs import Merged

PILL = 22
NARROWEST = 44
OPERANDS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class EdgeLine:
    way: int
    curve: tuple[tuple[int, int], ...]
    tip: str
    pill_x: int
    pill_y: int
    pill_width: int
    note: str
    note_y: int

    @property
    def path(self) -> str:
        start, *rest = (f"{x} {y}" for x, y in self.curve)
        return f"M{start}" + "".join(f"C{' '.join(rest[place : place + 3])}" for place in range(0, len(rest), 3))

    @property
    def pill_left(self) -> float:
        return -self.pill_width / 2


def lines_of(
    merged: Merged, links: Sequence[Link], layout: Layout, boxes: Sequence[Box], turn: Turn, widest: Widest
) -> list[EdgeLine]:
    spread = Spread(links, boxes, [port_reach(sign_of(spot), turn) for spot in merged.spots])
    curves = [route(spread, number, layout.bends[number]) for number in range(len(links))]
    widths = [max(NARROWEST, round(widest.pills.get(number, 0) * DIGIT + 18)) for number in range(len(links))]
    rests = _rests(curves, widths, boxes, turn)
    alike = _alike(links) if turn == "wide" else {}
    lines = []
    for number, way in enumerate(merged.ways):
        note, above = (f"{way.count} edges", True) if way.count > 1 else alike.get(number, ("", True))
        points = tuple(_point(place, turn) for place in curves[number].points)
        lines.append(
            EdgeLine(number, points, _tip(points), *_point(rests[number], turn), widths[number], note, -19 if above else 19)
        )
    return lines


def _alike(links: Sequence[Link]) -> dict[int, tuple[str, bool]]:
    """Label parallel edges of a value that one node uses several times with the operand each of them is."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, link in enumerate(links):
        groups[link.operand, link.consumer].append(number)
    return {
        number: (f"{OPERANDS[links[number].position]} operand", place < len(group) / 2)
        for group in groups.values()
        if len(group) > 1
        for place, number in enumerate(group)
        if links[number].position < len(OPERANDS)
    }


def _rests(curves: Sequence[Curve], widths: Sequence[int], boxes: Sequence[Box], turn: Turn) -> list[tuple[float, float]]:
    """Place each pill in the middle of its curve, or at the nearest point where it overlaps neither a box nor another
    pill.
    """
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


def _tip(points: Sequence[tuple[int, int]]) -> str:
    """The arrow head, at the operand: gradients flow back."""
    (x, y), (from_x, from_y) = points[:2]
    length = max(1.0, ((x - from_x) ** 2 + (y - from_y) ** 2) ** 0.5)
    ahead = ((x - from_x) / length, (y - from_y) / length)
    back = (x - 3 * ahead[0], y - 3 * ahead[1])
    corners = [(back[0] + 8 * ahead[0], back[1] + 8 * ahead[1])]
    corners += [(back[0] - side * 4.5 * ahead[1], back[1] + side * 4.5 * ahead[0]) for side in (1, -1)]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
