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

    def __add__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a + b, (self, other), lambda g: (unbroadcast(g, a.shape), unbroadcast(g, b.shape)))

    def __mul__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(a * b, (self, other), lambda g: (unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)))

    def __truediv__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other)
        a, b = self.data, other.data
        return result(
            a / b, (self, other), lambda g: (unbroadcast(g / b, a.shape), unbroadcast(-g * a / b**2, b.shape))
        )

    def __neg__(self) -> Tensor:
        return self * -1.0

    def __sub__(self, other: Tensor | float) -> Tensor:
        return self + -as_tensor(other)

    def __rsub__(self, other: float) -> Tensor:
        return as_tensor(other) - self

    def __rtruediv__(self, other: float) -> Tensor:
        return as_tensor(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self) -> Tensor:
        value = np.exp(self.data)
        return result(value, (self,), lambda g: (g * value,))

    def tanh(self) -> Tensor:
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

    def sum(self, axis=None, keepdims=False):
        return numerical(lambda a: np.asarray(a.sum(axis=axis, keepdims=keepdims)), self)

    def mean(self, axis=None, keepdims=False):
        return numerical(lambda a: np.asarray(a.mean(axis=axis, keepdims=keepdims)), self)

    def max(self, axis=None, keepdims=False):
        largest = self.data.max(axis=axis, keepdims=True)
        tied = self.data == largest
        share = tied / tied.sum(axis=axis, keepdims=True)
        data = self.data.max(axis=axis, keepdims=keepdims)
        return result(data, (self,), lambda g: (g.reshape(largest.shape) * share,))

    def backward(self, gradient: np.ndarray | None = None) -> None:
        sums = {self: np.ones(self.data.shape) if gradient is None else gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if not tensor.operands and tensor.requires_grad:
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


def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum of g over all axes that broadcasting added or stretched, in this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)
