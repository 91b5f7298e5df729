"""Traces the torch graphs that checks declare: a backward pass computed by torch, an order of functions, or path counts.

The judge builds and runs its own tensors. Only the answers that the check compares come from the submission.
"""

from collections.abc import Iterator
from typing import Any

import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks.compare import Tolerance, close, describe
from autograder.judge.checks.graphs import LEAF, bottom_up
from autograder.judge.checks.pictures import Backward, Counted, Ordered, Picture
from autograder.judge.text import integer, neutralise
from autograder.trace import model, reasons
from autograder.trace.autograd import Recorded, graph_of, record
from autograder.trace.graph_trace import NODES, NOTHING, GraphPicture
from autograder.trace.model import Event, Term, Terms, Trace
from autograder.trace.terms import term_of


def trace_picture(check: str, picture: Picture) -> Trace | None:
    """The trace of a declared graph; None if the graph is empty or too large to draw."""
    reference = picture.build()
    graph, _ = graph_of(reference)
    if graph.root is None or len(graph.nodes) > NODES:
        return None
    drawn = GraphPicture(graph)
    leaves = {name: leaf.detach() for name, leaf in reference.leaves.items()}
    if isinstance(picture, Backward):
        events = list(_Pass(picture, drawn, record(reference)).events())
    elif isinstance(picture, Ordered):
        events = list(_listed(picture, drawn))
    else:
        events = list(_counted(picture, drawn))
    quantity: model.Quantity = "gradient" if isinstance(picture, Backward) else picture_quantity(picture)
    first = next((n for n, event in enumerate(events) if event.wrong), None)
    return Trace(
        check,
        picture.what,
        _with_values(drawn.graph(set()), leaves),
        tuple(events),
        first_wrong=first,
        quantity=quantity,
        reference=picture.answer is None,
    )


def picture_quantity(picture: Ordered | Counted) -> model.Quantity:
    return "index" if isinstance(picture, Ordered) else "paths"


def _with_values(graph: model.TraceGraph, leaves: dict[str, torch.Tensor]) -> model.TraceGraph:
    """Adds the values of the leaves. A backward graph does not store the values of other nodes."""
    nodes = []
    for node in graph.nodes:
        value, shape = "", None
        if node.leaf and node.label in leaves:
            term = term_of(leaves[node.label])
            value, shape = term.text, term.shape
        nodes.append(model.TraceNode(node.label, node.operation, value, shape, node.leaf))
    return model.TraceGraph(tuple(nodes), graph.edges)


class _Pass:
    """The events of a backward pass as torch ran it, with the leaf gradients compared with the answer."""

    def __init__(self, picture: Backward, drawn: GraphPicture, recorded: Recorded) -> None:
        self.picture, self.drawn, self.recorded = picture, drawn, recorded
        self.sums: dict[tuple[int, int], torch.Tensor] = {}
        self.differing: list[str] = []

    def events(self) -> Iterator[Event]:
        labels = self.drawn.labels
        for root, upstream in self.recorded.roots:
            terms = Terms(now=term_of(upstream))
            yield Event("seed", f"{labels[root]} is seeded", root, expected=terms, given=terms)
        for node in self.recorded.order:
            if self.drawn.of.nodes[node].name == LEAF:
                yield self._leaf(node)
            else:
                yield from self._sends(node)
        yield from self._unreached()
        answered = self.picture.answer
        says = "The pass ends" if answered is None else reasons.end(self.differing, len(answered))
        yield Event("end", says, follows=bool(self.differing))

    def _sends(self, node: int) -> Iterator[Event]:
        labels, slots = self.drawn.labels, self.drawn.of.nodes[node].slots
        consumers = self.drawn.of.consumers(node)
        is_root = any(root == node for root, _ in self.recorded.roots)
        says = reasons.ready(labels[node], consumers, consumers, is_root and not consumers)
        yield Event("ready", says, node, expected=NOTHING, given=NOTHING)
        arrived = self.recorded.arrived[node]
        upstream = term_of(arrived[0]) if len(arrived) == 1 and arrived[0] is not None else None
        for position, (target, output) in enumerate(slots):
            sent = self.recorded.sent.get((node, position))
            if target is None or sent is None:
                continue
            edge, part = self.drawn.edges[node, position], term_of(sent)
            says = reasons.sends(labels[node], labels[target], [position], len(slots) if len(slots) <= 2 else 1)
            terms = Terms(upstream=upstream, contribution=part)
            yield Event("contribution", says, target, edge, expected=terms, given=terms)
            old = self.sums.get((target, output))
            now = self.sums[target, output] = sent if old is None else old + sent
            terms = Terms(None, None, part, None if old is None else term_of(old), term_of(now))
            yield Event("accumulate", f"{labels[target]} accumulates", target, edge, expected=terms, given=terms)

    def _leaf(self, node: int) -> Event:
        label = self.drawn.labels[node]
        truth = self.recorded.arrived[node][0]
        assert truth is not None
        return self._compared(node, label, to_numpy(truth))

    def _unreached(self) -> Iterator[Event]:
        """Leaves that receive no gradient although the answer has one."""
        reached = {node for node in self.recorded.order if self.drawn.of.nodes[node].name == LEAF}
        for node, label in enumerate(self.drawn.labels):
            answer = (self.picture.answer or {}).get(label)
            if self.drawn.of.nodes[node].name == LEAF and node not in reached and _is_something(answer):
                self.differing.append(label)
                reason = f"{label} should receive no gradient: no path leads from the output to it."
                yield Event(
                    "grad",
                    f"{label}.grad is written",
                    node,
                    given=Terms(now=_answered(answer)),
                    wrong=True,
                    reason=reason,
                )

    def _compared(self, node: int, label: str, truth: Numbers) -> Event:
        expected = Terms(now=term_of(truth))
        answer = self.picture.answer
        says = f"{reasons.in_code(label)}.grad is written"
        if answer is None or label not in answer or _agrees(answer[label], truth, self.picture.tolerance):
            return Event("grad", says, node, expected=expected, given=expected)
        self.differing.append(label)
        missing = answer[label] is None
        reason = (
            f"Your code computes no gradient for {label}."
            if missing
            else f"Your gradient with respect to {label} differs from the one that torch computes."
        )
        given = None if missing else Terms(now=_answered(answer[label]))
        return Event("grad", says, node, expected=expected, given=given, wrong=True, reason=reason)


def _is_something(answer: Any) -> bool:
    return answer is not None and (not _is_numbers(answer) or bool(to_numpy(answer).any()))


def _is_numbers(answer: Any) -> bool:
    return hasattr(answer, "dtype") and hasattr(answer, "shape")


def _agrees(answer: Any, truth: Numbers, tolerance: Tolerance) -> bool:
    if answer is None:
        return not truth.any()
    if not _is_numbers(answer):
        return False
    given = to_numpy(answer)
    return given.shape == truth.shape and given.dtype.kind in "fiu" and close(given, truth, tolerance)


def _answered(answer: Any) -> Term:
    return term_of(to_numpy(answer)) if _is_numbers(answer) else Term(neutralise(describe(answer), 60))


def _listed(picture: Ordered, drawn: GraphPicture) -> Iterator[Event]:
    """The functions in the order of the answer, or in a valid order if there is no answer."""
    labels, graph = drawn.labels, drawn.of
    order = drawn.order() if picture.answer is None else picture.answer
    before = _ancestors(drawn)
    seen: dict[int, int] = {}
    strangers = 0
    for index, node in enumerate(order[: 2 * len(labels)]):
        place = Terms(now=Term(str(index)))
        if not 0 <= node < len(labels):
            strangers += 1
            reason = "This entry is not a function of the graph."
            yield Event("visit", f"Index {index} is not in the graph", given=place, wrong=True, reason=reason)
            continue
        says = f"{labels[node]} is at index {index}"
        if node in seen:
            reason = f"{labels[node]} is already in the list, at index {seen[node]}."
            yield Event("visit", says, node, given=place, wrong=True, reason=reason)
            continue
        late = sorted({n for n in before[node] if n not in seen and node in graph.targets(n)})
        seen[node] = index
        reason = _too_early(labels[node], [labels[n] for n in late])
        right = Terms(now=Term(f"{len(before[node])} or later")) if reason else place
        yield Event("visit", says, node, expected=right, given=place, wrong=bool(reason), reason=reason)
    missing = [n for n in range(len(labels)) if n not in seen and (before[n] or n == graph.root)]
    for node in missing:
        reason = f"{labels[node]} is not in the list."
        right = Terms(now=Term(f"{len(before[node])} or later"))
        yield Event("visit", f"{labels[node]} is missing", node, expected=right, wrong=True, reason=reason)
    yield Event("end", f"The list ends: {len(seen)} of {len(seen) + len(missing)} functions are in it")


def _too_early(label: str, late: list[str]) -> str:
    if not late:
        return ""
    points = "points" if len(late) == 1 else "point"
    return f"{label} comes before {reasons.several(late)}, which {points} to it."


def _ancestors(drawn: GraphPicture) -> dict[int, set[int]]:
    """All functions from which a node can be reached. Each comes before the node in every topological order."""
    found: dict[int, set[int]] = {node: set() for node in range(len(drawn.labels))}
    for node in bottom_up(drawn.of)[::-1]:
        for target in drawn.of.targets(node):
            found[target] |= found[node] | {node}
    return found


def _counted(picture: Counted, drawn: GraphPicture) -> Iterator[Event]:
    """Path counts along the graph: every slot adds the number of paths to its node to the count of its target."""
    labels, graph = drawn.labels, drawn.of
    counts = dict.fromkeys(range(len(labels)), 0)
    counts[graph.root or 0] = 1
    once = Terms(now=Term("1"))
    yield Event("seed", f"Paths start at {labels[graph.root or 0]}", graph.root, expected=once, given=once)
    for node in drawn.order():
        for position, (target, _) in enumerate(graph.nodes[node].slots):
            if target is None or not counts[node]:
                continue
            old, part = counts[target], counts[node]
            counts[target] = old + part
            edge = drawn.edges[node, position]
            says = reasons.leads(labels[node], labels[target], position, len(graph.nodes[node].slots))
            terms = Terms(contribution=Term(str(part)))
            yield Event("contribution", says, target, edge, expected=terms, given=terms)
            terms = Terms(old=Term(str(old)), contribution=Term(str(part)), now=Term(str(counts[target])))
            yield Event("accumulate", f"Paths to {labels[target]}", target, edge, expected=terms, given=terms)
    differing = []
    for name, answer in (picture.answer or {}).items():
        node = next(n for n, other in enumerate(graph.nodes) if other.leaf == name)
        right = Terms(now=Term(str(counts[node])))
        agrees = type(answer) is int and answer == counts[node]
        given = (
            right
            if agrees
            else Terms(now=Term(neutralise(integer(answer) if type(answer) is int else describe(answer), 60)))
        )
        differing += [] if agrees else [name]
        reason = "" if agrees else f"There are {counts[node]} paths to {name}."
        yield Event("grad", f"Your count for {name}", node, expected=right, given=given, wrong=bool(reason), reason=reason)
    yield Event("end", "All paths are counted", follows=bool(differing))
