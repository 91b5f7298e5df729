"""Derivatives by differences, and reverse mode for anything that behaves like a Variable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from typing_extensions import Protocol


def central_difference(f: Any, *vals: Any, arg: int = 0, epsilon: float = 1e-6) -> Any:
    raise NotImplementedError("write this function")


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
    raise NotImplementedError("write this function")


def backpropagate(variable: Variable, deriv: Any) -> None:
    raise NotImplementedError("write this function")


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
