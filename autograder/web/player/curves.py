"""Routes the edges as curves in depth and breadth, from the operand to the port of its consumer.

Each edge has its own curve, so a value used twice has two.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograder.web.player.layout import Link, Point

GAP = 6  # between an arrow's head and its node
PORT = 13
BULGE = 76  # distance between parallel curves of the same two nodes
RESTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)


@dataclass(frozen=True)
class Box:
    depth: float
    breadth: float
    deep: float
    broad: float

    @property
    def middle(self) -> float:
        return self.breadth + self.broad / 2


@dataclass(frozen=True)
class Curve:
    """A chain of cubic Bézier segments: a start point at the operand, then two control points and an end point for each
    segment.
    """

    points: tuple[tuple[float, float], ...]

    def at(self, share: float) -> tuple[float, float]:
        pieces = (len(self.points) - 1) // 3
        piece = min(int(share * pieces), pieces - 1)
        t = share * pieces - piece
        a, b, c, d = self.points[3 * piece : 3 * piece + 4]
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        depth, breadth = (
            sum(weight * point[axis] for weight, point in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1)
        )
        return depth, breadth


class Spread:
    """Spreads the ends of the edges along the side of a node, ordered by the position of their other ends."""

    def __init__(self, links: Sequence[Link], boxes: Sequence[Box], ports: Sequence[int | None]) -> None:
        self.links, self.boxes, self.ports = links, boxes, ports
        self._leaving: dict[int, list[int]] = defaultdict(list)
        self._arriving: dict[int, list[int]] = defaultdict(list)
        self._alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, link in enumerate(links):
            self._leaving[link.operand].append(number)
            self._arriving[link.consumer].append(number)
            self._alike[link.operand, link.consumer].append(number)
        for edges in self._leaving.values():
            edges.sort(key=lambda number: (boxes[links[number].consumer].middle, links[number].position, number))
        for edges in self._arriving.values():
            edges.sort(key=lambda number: (boxes[links[number].operand].middle, links[number].position, number))

    def leaving(self, number: int) -> float:
        box, edges = self.boxes[self.links[number].operand], self._leaving[self.links[number].operand]
        return box.middle + _place(edges, number, min(34.0, (box.broad - 24) / max(1, len(edges) - 1)))

    def arriving(self, number: int) -> float:
        edges = self._arriving[self.links[number].consumer]
        return _place(edges, number, min(12.0, 22 / max(1, len(edges) - 1)))

    def bulge(self, number: int) -> float:
        link = self.links[number]
        return _place(self._alike[link.operand, link.consumer], number, BULGE)


def route(spread: Spread, number: int, bends: Sequence[Point]) -> Curve:
    """Return the curve of an edge through its bends. Control points lie along the depth axis, so that segments join
    smoothly.
    """
    link = spread.links[number]
    operand, consumer = spread.boxes[link.operand], spread.boxes[link.consumer]
    offset = spread.arriving(number)
    port = spread.ports[link.consumer]
    reach = 1.0 if port is None else max(0.0, PORT**2 - offset**2) ** 0.5 + 1 + port
    start = (operand.depth - GAP, spread.leaving(number))
    end = (consumer.depth + consumer.deep + reach, consumer.middle + offset)
    stops = [start, *((bend.depth, bend.breadth) for bend in bends), end]
    bulge = 0.0 if bends else spread.bulge(number)
    points = [start]
    for one, other in pairwise(stops):
        pull = 0.45 * (one[0] - other[0])
        points += [(one[0] - pull, one[1] + bulge), (other[0] + pull, other[1] + bulge), other]
    return Curve(tuple(points))


def rest_of(
    curve: Curve, size: tuple[float, float], taken: Sequence[tuple[float, float, float, float]]
) -> tuple[float, float]:
    def is_free(place: tuple[float, float]) -> bool:
        low, high = (place[0] - size[0] / 2, place[1] - size[1] / 2), (place[0] + size[0] / 2, place[1] + size[1] / 2)
        return not any(low[0] < box[2] and box[0] < high[0] and low[1] < box[3] and box[1] < high[1] for box in taken)

    return next((place for place in _along(curve) if is_free(place)), curve.at(RESTS[0]))


def _along(curve: Curve) -> Iterator[tuple[float, float]]:
    return (curve.at(share) for share in RESTS)


def _place(edges: Sequence[int], number: int, apart: float) -> float:
    return (edges.index(number) - (len(edges) - 1) / 2) * apart
