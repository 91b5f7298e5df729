"""Folds large graphs: the neighbourhood of the relevant node stays, everything else becomes cards.

The 40 nodes nearest to the first wrong one (or to the output) are drawn. Adjacent layers without any of them are folded
into one card as a whole, so folding creates no cycles.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from autograder.trace.model import TraceNode
from autograder.web.player.layout import Link, layers
from autograder.web.player.merged_graphs import Merged, Side, Spot, Way

MOST = 60
KEPT = 40


def fold(merged: Merged, focus: int | None) -> Merged:
    """Return the graph unchanged if it has at most MOST nodes."""
    if len(merged.spots) <= MOST:
        return merged
    links = [Link(way.operand, way.consumer, way.position) for way in merged.ways]
    depths = layers(len(merged.spots), links)
    start = focus if focus is not None else min(range(len(depths)), key=lambda spot: depths[spot])
    cards = _cards(depths, _nearest(start, len(depths), links))
    return _with_cards(merged, cards)


def _nearest(start: int, count: int, links: Sequence[Link]) -> set[int]:
    """Breadth-first search over edges in both directions, lowest numbers first."""
    beside: list[set[int]] = [set() for _ in range(count)]
    for link in links:
        beside[link.operand].add(link.consumer)
        beside[link.consumer].add(link.operand)
    kept, queue = {start}, deque([start])
    while queue:
        for spot in sorted(beside[queue.popleft()] - kept):
            if len(kept) == KEPT:
                return kept
            kept.add(spot)
            queue.append(spot)
    return kept


def _cards(depths: Sequence[int], kept: set[int]) -> list[list[int]]:
    """Group the remaining nodes: one card for the rest of a layer with kept nodes, one for each run of layers without any."""
    rows: dict[int, list[int]] = defaultdict(list)
    for spot, depth in enumerate(depths):
        rows[depth].append(spot)
    cards: list[list[int]] = []
    run: list[int] = []
    for depth in sorted(rows):
        rest = [spot for spot in rows[depth] if spot not in kept]
        if len(rest) == len(rows[depth]):
            run += rest
            continue
        cards += [run, rest]
        run = []
    return [card for card in [*cards, run] if len(card) > 1]


def _with_cards(merged: Merged, cards: list[list[int]]) -> Merged:
    """Build the folded graph. Kept nodes come first in their order, then the cards, starting from the output."""
    folded = {spot for card in cards for spot in card}
    stay = [spot for spot in range(len(merged.spots)) if spot not in folded]
    new = {spot: index for index, spot in enumerate(stay)}
    for index, card in enumerate(cards, len(stay)):
        new.update(dict.fromkeys(card, index))
    spots = [merged.spots[spot] for spot in stay] + [_card([merged.spots[spot] for spot in card]) for card in cards]
    ways, moved = _moved(merged.ways, new, first_card=len(stay))
    return Merged(
        tuple(spots),
        ways,
        tuple(new[spot] for spot in merged.expected_spots),
        tuple(new[spot] for spot in merged.given_spots),
        tuple(None if way is None else moved[way] for way in merged.expected_ways),
        tuple(None if way is None else moved[way] for way in merged.given_ways),
    )


def _card(spots: list[Spot]) -> Spot:
    operations = Counter(spot.node.operation for spot in spots if spot.node.operation and not spot.node.leaf)
    leaves = sum(spot.node.leaf for spot in spots)
    parts = [f"{count} {operation}" for operation, count in sorted(operations.items(), key=lambda item: (-item[1], item[0]))]
    inside = ", ".join(parts + ([f"{leaves} inputs" if leaves > 1 else "1 input"] if leaves else []))
    sides: set[Side] = {spot.side for spot in spots}
    side: Side = sides.pop() if len(sides) == 1 else "both"
    return Spot(TraceNode(f"{len(spots)} nodes", inside), side, len(spots))


def _moved(ways: Sequence[Way], new: dict[int, int], first_card: int) -> tuple[tuple[Way, ...], list[int | None]]:
    """Renumber the edges. Edges between two nodes stay separate; edges between a card and the same node or card are
    merged.
    """
    kept: list[Way] = []
    bundles: dict[tuple[int, int], int] = {}
    moved: list[int | None] = []
    for way in ways:
        operand, consumer = new[way.operand], new[way.consumer]
        if operand == consumer:
            moved.append(None)
        elif (bundle := bundles.get((operand, consumer))) is not None:
            before = kept[bundle]
            side: Side = before.side if before.side == way.side else "both"
            kept[bundle] = replace(before, count=before.count + 1, side=side)
            moved.append(bundle)
        else:
            if max(operand, consumer) >= first_card:
                bundles[operand, consumer] = len(kept)
            moved.append(len(kept))
            kept.append(replace(way, operand=operand, consumer=consumer))
    return tuple(kept), moved
