"""The chain rule line of the player: `upstream × local = contribution`, then `old + contribution = now`.

If both runs agree, there is one line. Otherwise there is one for the expected run and one for the student's, with lost
terms struck through.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from autograder.trace.model import Event, Quantity, Term, Terms, Trace, TraceGraph
from autograder.web.player import text
from autograder.web.player.node_states import is_flagged

Kind = Literal["up", "lo", "co", "ac", "lost", "bad", "old"]
ROOM = 48
LABEL = 12


@dataclass(frozen=True)
class ChainCell:
    """A number with the operator before it and the notes below it."""

    kind: Kind
    number: text.Numeral
    notes: tuple[str, ...]
    sign: str = ""
    is_off: bool = False  # differs from the expected value

    @property
    def is_long(self) -> bool:
        return len(self.number.short) > 12


@dataclass(frozen=True)
class ChainRow:
    """`lane` is "ex" or "gi" where the runs differ. `say` replaces the numbers if there are none."""

    lane: str
    name: str
    cells: tuple[ChainCell, ...]
    say: str = ""
    verdict: str = ""


def rows(trace: Trace, event: Event, sent: Event | None, *, first: bool, cause: int | None) -> tuple[ChainRow, ...]:
    """Return the lines of one event. `sent` is the contribution that an accumulation adds; `cause` is the number of the
    step that this one follows from.
    """
    graph = trace.expected if event.edge is not None or trace.given is None else trace.given
    if not is_flagged(event):
        terms = event.given or event.expected
        own = (ChainRow("", _name(trace, event), _cells(trace.quantity, graph, event, terms)),) if terms else ()
        return tuple(row for row in (*_sent(graph, event, sent), *own) if row.cells)
    if event.expected is None and event.given is None:
        return ()
    expected, yours = _cells(trace.quantity, graph, event, event.expected), _cells(trace.quantity, graph, event, event.given)
    if event.expected and event.given:
        expected, yours = _told_apart(expected, yours)
    return (
        *_sent(graph, event, sent),
        ChainRow(
            "ex", "expected", expected, "" if expected else _in_words(trace.expected, event, event.expected, given=False)
        ),
        ChainRow(
            "gi",
            "yours",
            _judged(event, yours),
            "" if yours else _in_words(trace.given or trace.expected, event, event.given, given=trace.given is not None),
            _verdict(event, first, cause),
        ),
    )


_NAMES = {
    "contribution": "contribution",
    "accumulate": "sum",
    "seed": "seed",
    "grad": ".grad",
    "visit": "list",
    "unbroadcast": "summed",
}


_ABSENT = {
    "contribution": "no contribution",
    "accumulate": "nothing added",
    "grad": "no gradient",
    "visit": "not in the list",
    "seed": "no seed",
}


def _name(trace: Trace, event: Event) -> str:
    is_whole = event.kind in ("contribution", "grad", "seed")
    return "paths" if trace.quantity == "paths" and is_whole else _NAMES.get(event.kind, "")


def _in_words(graph: TraceGraph, event: Event, terms: Terms | None, *, given: bool) -> str:
    """Describe a side without numbers: the function or edge, or that this side has no such step."""
    node, edge = (event.given_node, event.given_edge) if given else (event.node, event.edge)
    if event.kind == "contribution" and edge is not None and 0 <= edge < len(graph.edges) and terms is not None:
        ends = graph.edges[edge].consumer, graph.edges[edge].operand
        if all(0 <= end < len(graph.nodes) for end in ends):
            return " → ".join(text.plain(graph.nodes[end].label) for end in ends)
    if terms is None and event.kind == "contribution" and Terms() in (event.expected, event.given):
        return "not connected"
    if terms is None:
        return _ABSENT.get(event.kind, "no such step")
    if event.kind == "forward":
        return "not a number"
    return text.plain(graph.nodes[node].label) if node is not None and 0 <= node < len(graph.nodes) else "none"


def _verdict(event: Event, first: bool, cause: int | None) -> str:
    if event.wrong:
        return f"✕ {'first wrong step' if first else 'wrong step'}"
    return f"follows from step {cause}" if cause else "follows from an earlier step"


def _sent(graph: TraceGraph, event: Event, sent: Event | None) -> tuple[ChainRow, ...]:
    """The line of the contribution that is being added, if that contribution was correct."""
    terms = None if sent is None or event.kind != "accumulate" or is_flagged(sent) else sent.given or sent.expected
    return (ChainRow("", "contribution", _product(graph, sent, terms)),) if sent and terms else ()


def _cells(quantity: Quantity, graph: TraceGraph, event: Event, terms: Terms | None) -> tuple[ChainCell, ...]:
    if terms is None:
        return ()
    if event.kind == "contribution":
        return _product(graph, event, terms)
    if event.kind == "unbroadcast":
        before = terms.contribution if terms.now else terms.upstream
        return _joined(
            ("", _cell("co", before or terms.old, "before")), ("→", _cell("ac", terms.now or terms.contribution, "after"))
        )
    if event.kind == "accumulate":
        old, contribution = _cell("old", terms.old, "old"), _cell("co", terms.contribution, "contribution")
        return _joined(("", old), ("+", contribution), ("=", _cell("ac", terms.now, "now")))
    kind, note = _WRITTEN.get(event.kind, ("ac", ".grad"))
    note = "paths" if quantity == "paths" else note
    return _joined(("", _cell(kind, terms.now, note)))


_WRITTEN: dict[str, tuple[Kind, str]] = {"seed": ("up", "seed"), "forward": ("ac", ".data"), "visit": ("ac", "index")}


def _product(graph: TraceGraph, event: Event, terms: Terms) -> tuple[ChainCell, ...]:
    consumer, operand = _ends(graph, event)
    return _joined(
        ("", _cell("up", terms.upstream, "upstream", f"grad of {consumer}" if consumer else "")),
        ("×", _cell("lo", terms.local, "local", f"∂{_in_brackets(consumer)}/∂{_in_brackets(operand)}" if consumer else "")),
        ("=" if terms.local or not terms.upstream else "→", _cell("co", terms.contribution, "contribution")),
    )


def _joined(*parts: tuple[str, ChainCell | None]) -> tuple[ChainCell, ...]:
    """Join the terms that the log contains, with operators between them."""
    cells: list[ChainCell] = []
    for sign, cell in parts:
        if cell is not None:
            cells.append(replace(cell, sign=sign if cells else ""))
    return tuple(cells)


def _cell(kind: Kind, term: Term | None, *notes: str) -> ChainCell | None:
    if term is None:
        return None
    shape = text.shape(term.shape) if term.shape else ""
    return ChainCell(
        kind, text.numeral(text.of_array(term.text, term.shape), room=ROOM), tuple(note for note in (*notes, shape) if note)
    )


def _ends(graph: TraceGraph, event: Event) -> tuple[str, str]:
    if event.edge is None or not 0 <= event.edge < len(graph.edges):
        return "", ""
    edge = graph.edges[event.edge]
    if not (0 <= edge.operand < len(graph.nodes) and 0 <= edge.consumer < len(graph.nodes)):
        return "", ""
    consumer, operand = (text.plain(graph.nodes[number].label) for number in (edge.consumer, edge.operand))
    return text.cut(consumer, LABEL), text.cut(operand, LABEL)


def _in_brackets(label: str) -> str:
    return f"({label})" if " " in label else label


def _told_apart(
    expected: Sequence[ChainCell], yours: Sequence[ChainCell]
) -> tuple[tuple[ChainCell, ...], tuple[ChainCell, ...]]:
    """Show more digits of numbers that differ only after the sixth one."""
    if len(expected) != len(yours):
        return tuple(expected), tuple(yours)
    ours, theirs = [], []
    for one, other in zip(expected, yours, strict=True):
        if one.number.full != other.number.full and one.number.short == other.number.short:
            first, second = text.pair(one.number.full, other.number.full, room=ROOM)
            one, other = replace(one, number=first), replace(other, number=second)
        ours.append(one)
        theirs.append(other)
    return tuple(ours), tuple(theirs)


def _judged(event: Event, cells: tuple[ChainCell, ...]) -> tuple[ChainCell, ...]:
    """Mark what is wrong in the student's line: for an accumulation the lost term, otherwise each value that differs."""
    terms, expected = event.given, event.expected
    if terms is None:
        return ()
    if event.kind == "accumulate" and len(cells) == 3 and terms.now and terms.old and terms.contribution:
        if terms.now.text == terms.contribution.text and terms.old.text not in ("0", "0.0"):
            lost, kept = replace(cells[0], kind="lost", notes=("old, lost",)), replace(cells[1], sign=" ")
            return lost, kept, replace(cells[2], kind="bad")
        if terms.now.text == terms.old.text and terms.contribution.text not in ("0", "0.0"):
            lost = replace(cells[1], kind="lost", notes=("contribution, lost",), sign=" ")
            return cells[0], lost, replace(cells[2], kind="bad")
    wrong = {name for name, term in _texts(terms).items() if expected is None or _texts(expected).get(name) != term}
    marked = [replace(cell, is_off=_TERMS[cell.kind] in wrong) for cell in cells]
    return (*marked[:-1], *(replace(cell, kind="bad") if cell.is_off else cell for cell in marked[-1:]))


_TERMS: dict[Kind, str] = {"up": "upstream", "lo": "local", "co": "contribution", "old": "old", "ac": "now"}


def _texts(terms: Terms) -> dict[str, str]:
    found = {name: getattr(terms, name) for name in _TERMS.values()}
    return {name: term.text for name, term in found.items() if term is not None}
