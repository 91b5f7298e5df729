from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from typing_extensions import Protocol


def central_difference(f: Any, *vals: Any, arg: int = 0, epsilon: float = 1e-6) -> Any:
    above, below = list(vals), list(vals)
    above[arg] = vals[arg] + epsilon
    below[arg] = vals[arg] - epsilon
    return (f(*above) - f(*below)) / (2 * epsilon)


class Variable(Protocol):
    @property
    def unique_id(self) -> int: ...

    @property
    def parents(self) -> Iterable[Variable]: ...

    def is_leaf(self) -> bool: ...

    def is_constant(self) -> bool: ...

    def accumulate_derivative(self, x: Any) -> None: ...

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]: ...


def topological_sort(variable: Variable) -> Iterable[Variable]:
    order: list[Variable] = []
    seen: set[int] = set()

    def visit(v: Variable) -> None:
        if v.is_constant() or v.unique_id in seen:
            return
        seen.add(v.unique_id)
        for parent in v.parents:
            visit(parent)
        order.append(v)

    visit(variable)
    return order[::-1]


def backpropagate(variable: Variable, deriv: Any) -> None:
    """Forward mode: for one leaf after the other, the whole graph is gone through from the leaf to the result."""
    order = list(topological_sort(variable))[::-1]
    for leaf in order:
        if leaf.is_leaf():
            slopes = {leaf.unique_id: 1.0}
            for v in order:
                if not v.is_leaf():
                    parts = v.chain_rule(1.0)
                    slopes[v.unique_id] = sum(part * slopes.get(parent.unique_id, 0.0) for parent, part in parts)
            leaf.accumulate_derivative(deriv * slopes[variable.unique_id])


@dataclass
class Context:
    """What forward leaves for backward."""

    no_grad: bool = False
    saved_values: tuple[Any, ...] = ()

    def save_for_backward(self, *values: Any) -> None:
        if not self.no_grad:
            self.saved_values = values

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return self.saved_values
