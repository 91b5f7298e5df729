"""Represents a program as a graph: edges with their local derivatives, and the consumers of every value."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.judge.checks.compare import SCALAR, exact
from autograder.judge.checks.engine import Program
from autograder.trace.model import Edge, TraceGraph, TraceNode


def near(left: float, right: float, scale: float = 0.0) -> bool:
    """Equal up to rounding; `scale` is the magnitude of the numbers from which they were computed."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return left == right
    return abs(left - right) <= SCALAR.rtol * max(abs(left), abs(right), abs(scale)) + SCALAR.atol


@dataclass(frozen=True)
class ProgramGraph:
    """The graph of a program, with local derivatives at the judge's values and at the student's values."""

    program: Program
    data: list[float]
    given: list[float | None] = field(default_factory=list)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(
            Edge(operand, consumer, position)
            for consumer in range(len(self.data))
            for position, operand in enumerate(self.program.step(consumer)[1])
            if operand is not None
        )

    @cached_property
    def leaving(self) -> dict[int, list[int]]:
        """The edges along which each consumer propagates its gradient."""
        found: dict[int, list[int]] = {}
        for number, edge in enumerate(self.edges):
            found.setdefault(edge.consumer, []).append(number)
        return found

    @cached_property
    def slopes(self) -> tuple[float, ...]:
        return tuple(self.program.slopes_of(edge.consumer, self.data)[edge.position] for edge in self.edges)

    @cached_property
    def given_slopes(self) -> tuple[float, ...]:
        """The local derivatives at the student's values, or at the judge's values if the student's are not all numbers."""
        if len(self.given) != len(self.data) or any(value is None for value in self.given):
            return self.slopes
        given = [value for value in self.given if value is not None]
        return tuple(self._given_slope(number, given) for number in range(len(self.edges)))

    def _given_slope(self, number: int, given: list[float]) -> float:
        edge = self.edges[number]
        try:
            return self.program.slopes_of(edge.consumer, given)[edge.position]
        except (ArithmeticError, ValueError, TypeError):
            return self.slopes[number]

    @cached_property
    def between(self) -> dict[tuple[int, int], list[int]]:
        """The edges between a consumer and an operand; `x * x` has two."""
        found: dict[tuple[int, int], list[int]] = {}
        for number, edge in enumerate(self.edges):
            found.setdefault((edge.consumer, edge.operand), []).append(number)
        return found

    @cached_property
    def consumers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for consumer, operand in self.between:
            found.setdefault(operand, []).append(consumer)
        return found

    def below(self, root: int) -> set[int]:
        """The root and every value that it depends on."""
        found = {root}
        for number in range(root, -1, -1):
            if number in found:
                found |= {operand for operand in self.program.step(number)[1] if operand is not None}
        return found

    @cached_property
    def labels(self) -> list[str]:
        """The label of every value. Equal expressions are told apart by a number."""
        self.program.name_shared()
        labels = [self.program.label(number) for number in range(len(self.data))]
        alike = Counter(labels)
        return [label if alike[label] == 1 else f"{label} (v{n})" for n, label in enumerate(labels)]

    def trace_graph(self) -> TraceGraph:
        nodes = (
            TraceNode(label, self.program.step(n)[0], exact(self.data[n]), leaf=self.program.is_input(n))
            for n, label in enumerate(self.labels)
        )
        return TraceGraph(tuple(nodes), self.edges)

    def forward_error(self, number: int) -> tuple[float | None, float] | None:
        """The student's value of a slot and the value that the student's operands should give, if they differ."""
        value = self.given[number] if number < len(self.given) else None
        if value is not None and near(value, self.data[number]):
            return None
        operands = [operand for operand in self.program.step(number)[1] if operand is not None]
        own = self._own(number, operands)
        return None if own is None or (value is not None and near(value, own)) else (value, own)

    def _own(self, number: int, operands: Sequence[int]) -> float | None:
        data = list(self.data)
        for operand in operands:
            value = self.given[operand] if operand < len(self.given) else None
            if value is None:
                return None
            data[operand] = value
        try:
            return self.program.value_of(number, data)
        except (ArithmeticError, ValueError, TypeError):
            return None
