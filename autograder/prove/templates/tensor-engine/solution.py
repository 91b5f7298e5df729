# TODO(author): the reference solution; it must get full marks
"""An engine for arrays with sums, products and sums over an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Vjp = Callable[[np.ndarray], tuple[np.ndarray, ...]]


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data = np.asarray(data, dtype=np.float64)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.operands: tuple[Tensor, ...] = ()
        self.vjp: Vjp = lambda g: ()

    def __add__(self, other: Tensor) -> Tensor:
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other: Tensor) -> Tensor:
        return result(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    def sum(self, axis: int) -> Tensor:
        def vjp(g: np.ndarray) -> tuple[np.ndarray]:
            return (np.broadcast_to(np.expand_dims(g, axis), self.data.shape),)

        return result(self.data.sum(axis), (self,), vjp)

    def backward(self, gradient: np.ndarray) -> None:
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            tensor.grad = sums[tensor]
            for operand, part in zip(tensor.operands, tensor.vjp(tensor.grad), strict=True):
                sums[operand] = sums[operand] + part if operand in sums else part


def result(data: np.ndarray, operands: tuple[Tensor, ...], vjp: Vjp) -> Tensor:
    """The result of an operation. `vjp` turns its gradient into one gradient for each operand."""
    out = Tensor(data, True)
    out.operands, out.vjp = operands, vjp
    return out


def in_order(root: Tensor) -> list[Tensor]:
    """The root and every tensor that it depends on, each after its operands."""
    order: list[Tensor] = []
    seen: set[Tensor] = set()

    def visit(tensor: Tensor) -> None:
        if tensor not in seen:
            seen.add(tensor)
            for operand in tensor.operands:
                visit(operand)
            order.append(tensor)

    visit(root)
    return order
