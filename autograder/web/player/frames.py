"""Turns a log into what the player shows: the initial drawing and, for each step, the changes, the chain line and the
text.

Everything about a run is decided here. The server can render any step; the script only applies the changes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.trace.model import Event, EventKind, Quantity, Trace
from autograder.web.player import chain, folding, text, transcript
from autograder.web.player.causes import causes
from autograder.web.player.merged_graphs import Merged, merge
from autograder.web.player.node_states import Appearances, run, way_key

HEADINGS: Mapping[Quantity, str] = {
    "gradient": "Backward pass",
    "index": "Order of the functions",
    "paths": "Paths to the leaves",
    "none": "Backward graph",
}
WIDTH = 32  # characters of an input in the title
NAMED = 3  # number of inputs named in the title; more are only counted


@dataclass(frozen=True)
class PlayerStep:
    """One event. Steps are numbered from 1, as on the page."""

    number: int
    kind: EventKind
    sign: str
    letter: str
    says: str
    reason: str
    changes: Appearances
    rows: tuple[chain.ChainRow, ...]
    entry: transcript.TranscriptEntry
    line: int | None
    travels: str | None  # key of the edge along which a number moves, in the view of one graph
    is_wrong: bool


@dataclass(frozen=True)
class Player:
    """Everything that the player shows for one backward pass."""

    title: str
    program: str
    inputs: tuple[tuple[str, str], ...]
    merged: Merged
    initial: Appearances
    steps: tuple[PlayerStep, ...]
    first_wrong: int | None
    nodes: int
    is_cut: bool
    heading: str
    is_reference: bool
    differs_in_shape: bool
    has_shapes: bool
    has_saved: bool

    @property
    def opens_at(self) -> int:
        return self.first_wrong or len(self.steps)

    @property
    def is_folded(self) -> bool:
        return self.merged.is_folded

    def nearest_step(self, requested: int | None) -> int:
        """Clamp the requested step to the existing ones. Without a request, return the step to open at."""
        return self.opens_at if requested is None else min(max(requested, 1), len(self.steps))

    def state_at(self, step: int) -> Appearances:
        state = dict(self.initial)
        for taken in self.steps[:step]:
            state |= taken.changes
        return state


def player_of(trace: Trace, *, unfold: bool = False) -> Player:
    merged = merge(trace)
    nodes = len(merged.spots)
    if not unfold:
        merged = folding.fold(merged, _focus(trace, merged))
    appearances = run(trace, merged)
    initial = next(appearances)
    first = None if trace.first_wrong is None or trace.first_wrong >= len(trace.events) else trace.first_wrong + 1
    return Player(
        title=text.spoken(_title(trace, merged)),
        program=text.plain(trace.program),
        inputs=tuple(_inputs(trace)),
        merged=merged,
        initial=initial,
        steps=tuple(_steps(trace, merged, appearances)),
        first_wrong=first,
        nodes=nodes,
        is_cut=trace.cut,
        heading=HEADINGS[trace.quantity],
        is_reference=trace.reference,
        differs_in_shape=trace.given is not None,
        has_shapes=_has_shapes(trace),
        has_saved=any(event.kind == "freed" for event in trace.events),
    )


def _inputs(trace: Trace) -> Iterator[tuple[str, str]]:
    nodes = trace.expected.nodes
    shapes = {node.label: node.shape for node in nodes}
    seeded = next(
        (nodes[event.node].shape for event in trace.events if event.kind == "seed" and event.node is not None), None
    )
    for name, value in trace.inputs.items():  # the upstream gradient is no node: it has the shape of the output
        yield text.plain(name), text.numeral(text.of_array(value, shapes.get(name, seeded)), room=WIDTH).short


def _focus(trace: Trace, merged: Merged) -> int | None:
    if trace.first_wrong is None or trace.first_wrong >= len(trace.events):
        return None
    return merged.spot_of(trace.events[trace.first_wrong])


def _steps(trace: Trace, merged: Merged, appearances: Iterator[Appearances]) -> Iterator[PlayerStep]:
    sent: dict[int | None, Event] = {}
    for number, (event, changes, cause) in enumerate(zip(trace.events, appearances, causes(trace), strict=True), 1):
        first = trace.first_wrong == number - 1
        edge = event.edge if event.edge is not None else event.given_edge
        rows = chain.rows(trace, event, sent.get(edge), first=first, cause=cause)
        if event.kind == "contribution":
            sent[edge] = event
        way = merged.way_of(event) if event.kind in ("contribution", "unbroadcast") else None
        sign, letter = transcript.sign(event)
        yield PlayerStep(
            number=number,
            kind=event.kind,
            sign=sign,
            letter=letter,
            says=text.sentence(event.says),
            reason=text.sentence(event.reason),
            changes=changes,
            rows=rows,
            entry=transcript.entry(event, rows, first=first, cause=cause),
            line=event.line,
            travels=None if way is None else way_key("one", way),
            is_wrong=event.wrong,
        )


def _title(trace: Trace, merged: Merged) -> str:
    """The text alternative of the drawing: the flow, values used more than once, and the first error."""
    labels = [text.plain(spot.node.label) for spot in merged.spots]
    consumed = {way.operand for way in merged.ways}
    outputs = [label for number, label in enumerate(labels) if number not in consumed]
    leaves = [label for label, spot in zip(labels, merged.spots, strict=True) if spot.node.leaf]
    ends = _list(leaves, "inputs"), _list(outputs, "outputs")
    flow = f"Values flow from {ends[0]} to {ends[1]}; gradients flow back."
    if trace.quantity != "gradient":
        flow = f"The graph leads from {ends[1]} to {ends[0]}."
    pairs = Counter((way.operand, way.consumer) for way in merged.ways)
    uses = [
        f"{labels[ends[0]]} is used {_times(count)} by {labels[ends[1]]}."
        for ends, count in sorted(pairs.items())
        if count > 1
    ]
    return " ".join([flow, *uses[:NAMED], _finding(trace, merged)])


def _finding(trace: Trace, merged: Merged) -> str:
    if trace.first_wrong is None or trace.first_wrong >= len(trace.events):
        return (
            "This is only the expected run." if trace.reference else "Your run agrees with the expected run at every step."
        )
    event = trace.events[trace.first_wrong]
    spot = merged.spot_of(event)
    where = f"First wrong node: {text.plain(merged.spots[spot].node.label)}" if spot is not None else "First wrong step"
    ours, theirs = (terms and (terms.now or terms.contribution) for terms in (event.expected, event.given))
    if ours and theirs:
        one, other = text.pair(ours.text, theirs.text, room=chain.ROOM)
        return f"{where}, expected {one.short}, yours {other.short}."
    return f"{where}, step {trace.first_wrong + 1}: {text.sentence(event.reason or event.says)}"


def _list(names: Sequence[str], kind: str) -> str:
    if not names or len(names) > NAMED:
        return f"{len(names)} {kind}" if names else f"no {kind}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _has_shapes(trace: Trace) -> bool:
    graphs = [trace.expected, *([trace.given] if trace.given else [])]
    return any(node.shape for graph in graphs for node in graph.nodes)
