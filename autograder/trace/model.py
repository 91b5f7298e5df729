"""Data types for the event log of a backward pass.

The schema is written down in docs/report.md.
"""

from typing import Literal

import msgspec

Quantity = Literal["gradient", "index", "paths", "none"]
EventKind = Literal["forward", "seed", "visit", "ready", "contribution", "unbroadcast", "accumulate", "grad", "freed", "end"]


class Term(msgspec.Struct, frozen=True, omit_defaults=True):
    """One number of a step as text: the shortest exact text of a scalar, or the first entries of an array."""

    text: str
    shape: tuple[int, ...] | None = None


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The numbers of a step: `upstream x local = contribution`, then `old + contribution = now`."""

    upstream: Term | None = None
    local: Term | None = None
    contribution: Term | None = None
    old: Term | None = None
    now: Term | None = None


class TraceNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of a program, or a function of a graph. Its number is its index in `Graph.nodes`."""

    label: str
    operation: str = ""
    value: str = ""
    shape: tuple[int, ...] | None = None
    leaf: bool = False
    odd: bool = False  # the other graph has no matching node


class Edge(msgspec.Struct, frozen=True, omit_defaults=True):
    """`operand` is operand number `position` of `consumer`. The gradient flows from the consumer to the operand."""

    operand: int
    consumer: int
    position: int = 0
    odd: bool = False


class TraceGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    nodes: tuple[TraceNode, ...] = ()
    edges: tuple[Edge, ...] = ()


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step. `node` and `edge` are numbers in the expected graph; `given_*` are numbers in the given graph, if it differs.

    For a contribution, `node` is the node that receives it. `expected` is None for a step that should not happen, `given`
    for a step that is missing. `wrong` marks a step that introduces an error, `follows` one that is wrong only because of
    an earlier step.
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
    reason: str = ""  # why the step is wrong


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One backward pass of one check. `given` is None when the student's graph is the expected one."""

    check: str
    program: str
    expected: TraceGraph
    events: tuple[Event, ...]
    given: TraceGraph | None = None
    inputs: dict[str, str] = {}
    first_wrong: int | None = None  # index in `events`
    cut: bool = False  # whether steps were omitted
    quantity: Quantity = "gradient"  # what the numbers at the nodes mean
    reference: bool = False  # shows only the judge's own pass, without a comparison
