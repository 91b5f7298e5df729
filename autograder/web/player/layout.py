"""Layered graph layout: layers by the longest path to an output, each ordered to reduce edge crossings.

The layout is deterministic and independent of labels. Depth increases away from the outputs, breadth runs across;
`drawing` maps them to x and y.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

SWEEPS = 4
DEEP = 5  # number of layers above which chains are kept straight
FIRM = 1000.0
BEND = 26  # breadth reserved for an edge that passes through a layer


@dataclass(frozen=True)
class Block:
    """The size of a node. `before` and `after` reserve space beside it for a flag."""

    depth: int
    breadth: int
    before: int = 0
    after: int = 0


@dataclass(frozen=True)
class Link:
    """The value of `operand` is used by `consumer` as its operand number `position`."""

    operand: int
    consumer: int
    position: int = 0


@dataclass(frozen=True)
class Spacing:
    layers: int
    neighbours: int


@dataclass(frozen=True)
class Point:
    depth: float
    breadth: float


@dataclass(frozen=True)
class Layout:
    """`centres` of the nodes, and the `bends` of each link, from operand to consumer, in the layers that it passes
    through.
    """

    centres: tuple[Point, ...]
    bends: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class _Layered:
    """Nodes and bends as one list of items, nodes first. `up` leads to consumers, `down` to operands."""

    blocks: list[Block]
    rows: list[list[int]]
    up: list[list[tuple[int, float]]]
    down: list[list[tuple[int, float]]]
    chains: list[list[int]]


def lay_out(blocks: Sequence[Block], links: Sequence[Link], spacing: Spacing) -> Layout:
    depths = layers(len(blocks), links)
    layered = _with_bends(blocks, links, depths)
    layered = replace(layered, rows=_ordered(layered))
    breadths = _breadths(layered, spacing)
    middles = _middles(layered, spacing)
    row_of = {item: row for row, items in enumerate(layered.rows) for item in items}
    points = [Point(round(middles[row_of[item]]), round(breadths[item])) for item in range(len(layered.blocks))]
    bends = tuple(tuple(points[item] for item in chain) for chain in layered.chains)
    return Layout(tuple(points[: len(blocks)]), bends)


def layers(count: int, links: Sequence[Link]) -> tuple[int, ...]:
    """Return the length of the longest path from each node to an output. A cycle, which a valid graph does not have, is
    cut at its first node.
    """
    depths, waits = [0] * count, [0] * count
    operands: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        if link.operand != link.consumer:
            operands[link.consumer].append(link.operand)
            waits[link.operand] += 1
    open_nodes, ready = set(range(count)), [node for node in range(count) if not waits[node]]
    while open_nodes:
        if not ready:
            ready.append(min(open_nodes))
        node = ready.pop(0)
        open_nodes.discard(node)
        for operand in operands[node]:
            waits[operand] -= 1
            if operand in open_nodes:
                depths[operand] = max(depths[operand], depths[node] + 1)
                if not waits[operand]:
                    ready.append(operand)
    return tuple(depths)


def _with_bends(blocks: Sequence[Block], links: Sequence[Link], depths: Sequence[int]) -> _Layered:
    """Add an item for an edge in each layer that it passes through, so that no node is drawn over it."""
    rows: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for node, depth in enumerate(depths):
        rows[depth].append(node)
    arity = [0] * len(blocks)
    for link in links:
        arity[link.consumer] = max(arity[link.consumer], link.position + 1)
    items = list(blocks)
    up: list[list[tuple[int, float]]] = [[] for _ in blocks]
    down: list[list[tuple[int, float]]] = [[] for _ in blocks]
    chains = []
    for link in links:
        chain = []
        above, lean = link.consumer, (link.position + 0.5) / arity[link.consumer] - 0.5
        for depth in range(depths[link.consumer] + 1, depths[link.operand]):
            bend = len(items)
            items.append(Block(0, BEND))
            up.append([])
            down.append([])
            rows[depth].append(bend)
            chain.append(bend)
            up[bend].append((above, lean))
            down[above].append((bend, 0.0))
            above, lean = bend, 0.0
        if depths[link.operand] > depths[link.consumer]:
            up[link.operand].append((above, lean))
            down[above].append((link.operand, 0.0))
        chains.append(chain[::-1])
    return _Layered(items, rows, up, down, chains)


def _ordered(layered: _Layered) -> list[list[int]]:
    """Sweep from the outputs to the leaves and back, sort each layer by the mean position of its neighbours, and keep the
    best order.
    """
    rows = [list(row) for row in layered.rows]
    best, fewest = rows, -1
    for _ in range(SWEEPS):
        for depth in range(1, len(rows)):
            rows[depth] = _by_neighbours(rows[depth], rows[depth - 1], layered.up)
        crossings = _crossings(rows, layered.down)
        if fewest < 0 or crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
        for depth in range(len(rows) - 2, -1, -1):
            rows[depth] = _by_neighbours(rows[depth], rows[depth + 1], layered.down)
    return best


def _by_neighbours(row: list[int], fixed: list[int], neighbours: list[list[tuple[int, float]]]) -> list[int]:
    place = {item: index for index, item in enumerate(fixed)}
    now = {item: index for index, item in enumerate(row)}

    def centre(item: int) -> tuple[float, int]:
        beside = neighbours[item]
        return (fmean(place[other] + 0.5 * lean for other, lean in beside) if beside else now[item], item)

    return sorted(row, key=centre)


def _crossings(rows: list[list[int]], down: list[list[tuple[int, float]]]) -> int:
    found = 0
    for depth in range(len(rows) - 1):
        place = {item: index for index, item in enumerate(rows[depth + 1])}
        seen: list[int] = []
        for item in rows[depth]:
            ends = sorted(place[other] for other, _ in down[item])
            found += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return found


def _breadths(layered: _Layered, spacing: Spacing) -> list[float]:
    """Place each item as close to the mean position of its neighbours as order and spacing allow.

    In a deep graph, leaves yield: otherwise a chain that uses one weight per layer would drift sideways.
    """
    blocks, rows = layered.blocks, layered.rows
    gaps = [[_gap(blocks[one], blocks[next_], spacing.neighbours) for one, next_ in pairwise(row)] for row in rows]
    breadths = [0.0] * len(blocks)
    for row, between in zip(rows, gaps, strict=True):
        at = -sum(between) / 2
        for item, gap in zip(row, [*between, 0.0], strict=True):
            breadths[item], at = at, at + gap
    is_deep = len(rows) > DEEP
    firmness = [FIRM if is_deep and down else 1.0 for down in layered.down]

    def settle(depth: int, sides: list[list[tuple[int, float]]]) -> None:
        goals = []
        for item in rows[depth]:
            firm = [other for other, _ in sides[item] if firmness[other] > 1]
            near = firm or [other for other, _ in sides[item]]
            goals.append(fmean(breadths[other] for other in near) if near else breadths[item])
        weights = [firmness[item] for item in rows[depth]]
        for item, breadth in zip(rows[depth], nearest(goals, gaps[depth], weights), strict=True):
            breadths[item] = breadth

    for _ in range(SWEEPS):
        for depth in range(1, len(rows)):
            settle(depth, layered.up)
        for depth in range(len(rows) - 2, -1, -1):
            settle(depth, layered.down)
    return breadths


def nearest(goals: Sequence[float], gaps: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the positions nearest to the goals (least squares) with at least the given gaps. Colliding neighbours are
    merged and move as one.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    groups: list[tuple[float, float, int]] = []
    for goal, offset, weight in zip(goals, offsets, weights, strict=False):
        mean, size = goal - offset, 1
        while groups and groups[-1][0] > mean:
            other, load, members = groups.pop()
            mean, weight, size = (mean * weight + other * load) / (weight + load), weight + load, size + members
        groups.append((mean, weight, size))
    free = [mean for mean, _, size in groups for _ in range(size)]
    return [place + offset for place, offset in zip(free, offsets, strict=False)]


def _gap(one: Block, next_: Block, between: int) -> float:
    return one.breadth / 2 + one.after + between + next_.before + next_.breadth / 2


def _middles(layered: _Layered, spacing: Spacing) -> list[float]:
    middles, at = [], 0.0
    for row in layered.rows:
        thickness = max(layered.blocks[item].depth for item in row)
        middles.append(at + thickness / 2)
        at += thickness + spacing.layers
    return middles
