"""The event log of a backward pass. The player draws it and a transcript reads it aloud; neither runs the student's code.

The schema is written down in docs/report.md.
"""

from typing import Literal

import msgspec

Quantity = Literal["gradient", "index", "paths", "none"]
EventKind = Literal["forward", "seed", "visit", "ready", "contribution", "unbroadcast", "accumulate", "grad", "freed", "end"]


class Term(msgspec.Struct, frozen=True, omit_defaults=True):
    """One number of a step, as it is read: the shortest exact text of a scalar, a few entries of an array."""

    text: str
    shape: tuple[int, ...] | None = None


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers of a step: `upstream x local = contribution`, then `old + contribution = now`."""

    upstream: Term | None = None
    local: Term | None = None
    contribution: Term | None = None
    old: Term | None = None
    now: Term | None = None


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of a program, or a function of a graph. Its number is its place in `Graph.nodes`."""

    label: str
    operation: str = ""
    value: str = ""
    shape: tuple[int, ...] | None = None
    leaf: bool = False
    odd: bool = False  # the other graph has nothing like it


class Edge(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value goes from `operand` into `consumer`, as its operand number `position`; the gradient comes back along it."""

    operand: int
    consumer: int
    position: int = 0
    odd: bool = False


class Graph(msgspec.Struct, frozen=True, omit_defaults=True):
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step. `node` and `edge` are numbers in the expected graph, `given_*` in the given one if that is another.

    Of a contribution, `node` is the one that receives it. `expected` is None for a step that should not have been taken,
    `given` for one that was not. `wrong` is a step that goes wrong by itself, `follows` one that is wrong only because of
    an earlier one.
    """

    kind: EventKind
    says: str  # the step in one sentence, without its numbers
    node: int | None = None
    edge: int | None = None
    given_node: int | None = None
    given_edge: int | None = None
    expected: Terms | None = None
    given: Terms | None = None
    wrong: bool = False
    follows: bool = False
    line: int | None = None  # of the student's file
    reason: str = ""  # of a wrong step: the sentence why


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One backward pass of one check. `given` is None when the student's graph is the expected one."""

    check: str
    program: str
    expected: Graph
    events: tuple[Event, ...]
    given: Graph | None = None
    inputs: dict[str, str] = {}
    first_wrong: int | None = None  # the place in `events`
    cut: bool = False  # there were more steps than are kept
    quantity: Quantity = "gradient"  # what the numbers of the nodes are
    reference: bool = False  # the judge's own pass alone: nothing in it was compared
