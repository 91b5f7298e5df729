"""Reads, normalises, compares and queries backward graphs.

A backward graph has one root and ordered slots, so two graphs are compared by traversing both from their roots. Only
commutative nodes allow a choice, which is resolved by backtracking, guided by the structure below each operand.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from autograder.judge.checks.compare import fail
from autograder.judge.checks.recording import record_subject
from autograder.judge.checks.student import Student
from sandbox.guest.operations.graphs import write_down

if TYPE_CHECKING:
    import torch

VIEWS = frozenset(
    ("View", "Expand", "Squeeze", "Unsqueeze", "UnsafeView", "Alias", "T", "Transpose", "Permute", "ReshapeAlias")
)
COMMUTATIVE = frozenset({"Add", "Mul", "Maximum", "Minimum"})
# names of the same operation in other versions and back ends
ALIASES = {
    "T": "Transpose",
    "Permute": "Transpose",
    "UnsafeView": "View",
    "ReshapeAlias": "View",
    "Mm": "Matmul",
    "Bmm": "Matmul",
}
NODE_LIMIT = 20_000
STEP_LIMIT = 200_000
LEAF = "AccumulateGrad"


class GraphError(Exception):
    """Raised when comparing two graphs exceeds the step limit, which is the author's error, not the student's."""


@dataclass(frozen=True)
class Node:
    name: str
    leaf: str | None
    slots: tuple[tuple[int | None, int], ...]


@dataclass(frozen=True)
class Graph:
    """A backward graph with numbered nodes; `root` is None for a tensor without a grad_fn."""

    root: int | None
    nodes: tuple[Node, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    def targets(self, number: int) -> list[int]:
        return [target for target, _ in self.nodes[number].slots if target is not None]

    # -- properties -----------------------------------------------------------------------------------------

    def contains(self, name: str) -> bool:
        return name in self.names

    def leaves(self) -> set[str]:
        return {node.leaf for node in self.nodes if node.leaf is not None}

    def consumers(self, number: int) -> int:
        """The number of slots that point to a node. A shared value has more than one."""
        return sum(target == number for node in self.nodes for target, _ in node.slots)

    def shares(self, name: str) -> bool:
        """Whether a node of this name has more than one consumer."""
        return any(node.name == name and self.consumers(n) > 1 for n, node in enumerate(self.nodes))

    def reaches(self, leaf: str) -> bool:
        """Whether a path leads from the root to this leaf."""
        if self.root is None:
            return False
        waiting, seen = [self.root], {self.root}
        while waiting:
            number = waiting.pop()
            if self.nodes[number].leaf == leaf:
                return True
            for target in self.targets(number):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False

    def depth(self) -> int:
        """The number of nodes on the longest path from the root."""
        return max(self._heights().values(), default=0)

    def _heights(self) -> dict[int, int]:
        heights: dict[int, int] = {}
        for number in bottom_up(self):
            heights[number] = 1 + max((heights[target] for target in self.targets(number)), default=0)
        return heights


def plain_name(name: str) -> str:
    """`struct torch::autograd::AccumulateGrad` and `MulBackward0` as `AccumulateGrad` and `Mul`."""
    name = name.removeprefix("struct ").rpartition("::")[2]
    return re.sub(r"Backward\d*$", "", name) or name


def of_tensor(out: "torch.Tensor", leaves: "dict[str, torch.Tensor] | None" = None) -> Graph:
    """The graph of one of the judge's own tensors."""
    return read(write_down(out, leaves or {}))


def read(value: Any) -> Graph:
    """Reads a graph from an answer. A malformed graph fails the check."""
    try:
        root, nodes = value["root"], value["nodes"]
        if len(nodes) > NODE_LIMIT:
            raise fail(f"The graph has more than {NODE_LIMIT:,} nodes.")
        graph = Graph(root, tuple(_node(node, len(nodes)) for node in nodes))
    except (TypeError, KeyError, ValueError, IndexError) as error:
        raise fail("The graph could not be read.") from error
    if (root is None) != (not nodes) or not (root is None or _is_index(root, len(nodes))):
        raise fail("The graph could not be read.")
    return graph


def _node(value: Any, count: int) -> Node:
    name, leaf, slots = value
    if not isinstance(name, str) or not isinstance(leaf, str | None):
        raise ValueError("not a node")
    pairs = []
    for target, output in slots:
        if not (target is None or _is_index(target, count)) or type(output) is not int:
            raise ValueError("not a slot")
        pairs.append((target, output))
    return Node(plain_name(name[:200]), leaf, tuple(pairs))


def _is_index(value: Any, count: int) -> bool:
    return type(value) is int and 0 <= value < count


def bottom_up(graph: Graph) -> list[int]:
    """Every node after all the nodes it points to. Fails the check for a cycle, which only a forged graph can have."""
    order: list[int] = []
    state: dict[int, int] = {}
    for start in range(len(graph.nodes)):
        stack = [start]
        while stack:
            number = stack[-1]
            if state.get(number) is None:
                state[number] = 1
                for target in graph.targets(number):
                    if state.get(target) == 1:
                        raise fail("The graph has a cycle.")
                    if state.get(target) is None:
                        stack.append(target)
            else:
                stack.pop()
                if state[number] == 1:
                    state[number] = 2
                    order.append(number)
    return order


def canonical(graph: Graph, *, drop_views: bool = True) -> Graph:
    """A graph numbered from the root, with uniform names across torch versions and, on request, without views."""
    if graph.root is None:
        return Graph(None, ())
    stands_for: dict[int, int | None] = {}
    for number in bottom_up(graph):
        node = graph.nodes[number]
        skip = drop_views and node.name in VIEWS and len(node.slots) == 1
        target = node.slots[0][0] if skip else None
        stands_for[number] = (None if target is None else stands_for[target]) if skip else number
    root = stands_for[graph.root]
    if root is None:
        return Graph(None, ())
    numbers, order = {root: 0}, [root]
    nodes = []
    for number in order:
        node = graph.nodes[number]
        slots: list[tuple[int | None, int]] = []
        for target, output in node.slots:
            kept = None if target is None else stands_for[target]
            if kept is None:
                slots.append((None, 0))
                continue
            if kept not in numbers:
                numbers[kept] = len(order)
                order.append(kept)
            slots.append((numbers[kept], output if kept == target else 0))
        nodes.append(Node(ALIASES.get(node.name, node.name), node.leaf, tuple(slots)))
    return Graph(0, tuple(nodes))


def same(first: Graph, second: Graph, commutative: Iterable[str] = COMMUTATIVE) -> bool:
    """Whether two graphs are equal up to node numbers and the operand order of commutative nodes. Sharing matters."""
    if first.root is None or second.root is None:
        return first.root is None and second.root is None
    if len(first.nodes) != len(second.nodes):
        return False
    return _Matching(first, second, frozenset(commutative)).run()


_Agenda: TypeAlias = "tuple[tuple[int, int], _Agenda] | None"


class _Matching:
    """Searches for a one-to-one match of two graphs from their roots, with backtracking."""

    def __init__(self, first: Graph, second: Graph, commutative: frozenset[str]) -> None:
        self.first, self.second, self.commutative = first, second, commutative
        classes: dict[Any, int] = {}
        self._below = self._classes(first, classes), self._classes(second, classes)
        self._steps = 0
        self._there: dict[int, int] = {}
        self._back: dict[int, int] = {}
        self._matched: list[tuple[int, int]] = []

    def _classes(self, graph: Graph, known: dict[Any, int]) -> dict[int, int]:
        """A class for every node, equal for nodes with equal trees below. Matched nodes must have equal classes."""
        numbers: dict[int, int] = {}
        for number in bottom_up(graph):
            node = graph.nodes[number]
            below: list[Any] = [(-1 if t is None else numbers[t], out) for t, out in node.slots]
            key = (node.name, node.leaf, tuple(sorted(below) if node.name in self.commutative else below))
            numbers[number] = known.setdefault(key, len(known))
        return numbers

    def run(self) -> bool:
        """Extends the match along an agenda and backtracks to the last choice when it fails.

        The search is iterative because every level of a deep graph may have a choice. The agenda is a linked list, so that
        backtracking needs no copy."""
        assert self.first.root is not None and self.second.root is not None
        agenda: _Agenda = ((self.first.root, self.second.root), None)
        choices: list[tuple[int, _Agenda]] = []
        while agenda is not None:
            self._steps += 1
            if self._steps > STEP_LIMIT:
                raise GraphError(
                    "The comparison of the graphs took too many steps, because too many operands of commutative functions "
                    "are indistinguishable."
                )
            pair, rest = agenda
            ways = [_prepend(pairs, rest) for pairs in self._match(*pair)]
            if ways:
                agenda = ways[0]
                choices += [(len(self._matched), way) for way in ways[1:]]
            elif choices:
                count, agenda = choices.pop()
                self._undo(count)
            else:
                return False
        return True

    def _match(self, a: int, b: int) -> list[list[tuple[int, int]]]:
        """Matches two nodes and returns the ways to pair their slots; empty if they cannot match."""
        if a in self._there or b in self._back:
            return [[]] if self._there.get(a) == b and self._back.get(b) == a else []
        orders = self._orders(a, b) if self._below[0][a] == self._below[1][b] else []
        if orders:
            self._there[a], self._back[b] = b, a
            self._matched.append((a, b))
        return orders

    def _undo(self, count: int) -> None:
        for a, b in self._matched[count:]:
            del self._there[a], self._back[b]
        del self._matched[count:]

    def _orders(self, a: int, b: int) -> list[list[tuple[int, int]]]:
        """The ways to pair the slots of two nodes: at most two for a commutative node, otherwise at most one."""
        left, right = self.first.nodes[a].slots, self.second.nodes[b].slots
        ways = [right]
        if self.first.nodes[a].name in self.commutative and len(right) == 2 and right[0] != right[1]:
            ways.append((right[1], right[0]))
        return [pairs for way in ways if (pairs := self._pairs(left, way)) is not None]

    def _pairs(
        self, left: tuple[tuple[int | None, int], ...], right: tuple[tuple[int | None, int], ...]
    ) -> list[tuple[int, int]] | None:
        if len(left) != len(right):
            return None
        pairs = []
        for (a, out_a), (b, out_b) in zip(left, right, strict=True):
            if (a is None) != (b is None) or out_a != out_b:
                return None
            if a is not None and b is not None:
                if self._below[0][a] != self._below[1][b]:
                    return None
                pairs.append((a, b))
        return pairs


def _prepend(pairs: list[tuple[int, int]], rest: "_Agenda") -> "_Agenda":
    for pair in pairs:
        rest = (pair, rest)
    return rest


def export(student: Student, name: str, arguments: dict[str, Any]) -> tuple[Any, Graph]:
    """Calls an entry point and returns its value and its graph. The graph can be forged, so check the value as well."""
    answer = student.operate("graph.export", *arguments.values(), name=name, leaves=list(arguments))
    if not isinstance(answer, dict) or "graph" not in answer:
        raise fail(f"The graph of the result of {name} could not be read.")
    return answer.get("value"), read(answer["graph"])


@dataclass(frozen=True)
class Drawn:
    """A given graph and the expected one, to be compared and drawn."""

    given: Graph
    expected: Graph
    what: str
    drop_views: bool


def show_graph(given: Graph, expected: Graph, what: str, *, drop_views: bool = True) -> None:
    """Declares two graphs to draw, for a check that compares them itself."""
    record_subject(Drawn(given, expected, what, drop_views))


def expect_graph(given: Graph, expected: Graph, what: str, *, drop_views: bool = True) -> None:
    """Expects two graphs to be equal after normalisation, up to numbering and the order of commutative operands."""
    show_graph(given, expected, what, drop_views=drop_views)
    mine, truth = canonical(given, drop_views=drop_views), canonical(expected, drop_views=drop_views)
    if not same(mine, truth):
        message = f"{what}: the graph has {len(mine.nodes)} nodes, but {len(truth.nodes)} are expected."
        if len(mine.nodes) == len(truth.nodes):
            message = f"{what}: the graph has the expected number of nodes, but different operations or connections."
        raise fail(message, what, expected=draw(truth), given=draw(mine))


def draw(graph: Graph) -> str:
    """A graph as one line of text: `n0 = Mul(n1, a); n1 = Add(a, -)`."""
    if graph.root is None:
        return "no graph"

    def operand(target: int | None, output: int) -> str:
        if target is None:
            return "-"
        leaf = graph.nodes[target].leaf
        return (leaf or f"n{target}") + (f".{output}" if output else "")

    lines = [
        f"n{number} = {node.name}({', '.join(operand(*slot) for slot in node.slots)})"
        for number, node in enumerate(graph.nodes)
        if node.leaf is None
    ]
    return "; ".join(lines[:40]) or "a single leaf"
