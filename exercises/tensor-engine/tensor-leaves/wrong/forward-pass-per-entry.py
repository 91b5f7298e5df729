from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

recording = True


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    global recording
    before = recording
    recording = False
    try:
        yield
    finally:
        recording = before


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data = np.asarray(data, dtype=np.float64)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.operands: tuple[Tensor, ...] = ()
        self.vjp: Callable[[np.ndarray], tuple[np.ndarray, ...]] = lambda g: ()

    @property
    def is_leaf(self) -> bool:
        return not self.operands

    def __add__(self, other: Tensor | float) -> Tensor:
        return numerical(lambda a, b: a + b, self, as_tensor(other))

    def __mul__(self, other: Tensor | float) -> Tensor:
        return numerical(lambda a, b: a * b, self, as_tensor(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self, gradient: np.ndarray | None = None) -> None:
        if not self.requires_grad:
            raise RuntimeError("this tensor does not require grad")
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        if gradient.shape != self.data.shape:
            raise RuntimeError("the gradient needs the shape of the tensor")
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            for operand, part in zip(tensor.operands, tensor.vjp(g)):
                sums[operand] = sums[operand] + part if operand in sums else part


def as_tensor(value: Tensor | float) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(value)


def result(
    data: np.ndarray, operands: tuple[Tensor, ...], vjp: Callable[[np.ndarray], tuple[np.ndarray, ...]]
) -> Tensor:
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
        out.operands, out.vjp = operands, vjp
    return out


def numerical(function: Callable[..., np.ndarray], *operands: Tensor) -> Tensor:
    """The result of a function of arrays. Its gradients are complex steps: one evaluation for each entry."""
    arrays = [operand.data for operand in operands]

    def vjp(g: np.ndarray) -> tuple[np.ndarray, ...]:
        gradients = []
        for place, values in enumerate(arrays):
            moved = [np.array(array, dtype=complex) for array in arrays]
            gradient = np.zeros(values.shape)
            for entry in np.ndindex(values.shape):
                moved[place][entry] += 1e-30j
                gradient[entry] = (g * function(*moved).imag).sum() / 1e-30
                moved[place][entry] = values[entry]
            gradients.append(gradient)
        return tuple(gradients)

    return result(function(*arrays), operands, vjp)


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
