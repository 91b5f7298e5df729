"""Only a variable without a derivative gets one."""

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
    derivs = {variable.unique_id: deriv}
    for v in topological_sort(variable):
        d = derivs[v.unique_id]
        if v.is_leaf():
            v.accumulate_derivative(d)
            continue
        for parent, part in v.chain_rule(d):
            if parent.unique_id not in derivs:
                derivs[parent.unique_id] = part


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
