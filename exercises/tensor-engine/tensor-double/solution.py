"""Backward functions that use operations of the engine, so that their results can be recorded like any others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

recording = True


@contextlib.contextmanager
def recording_set(value: bool) -> Iterator[None]:
    global recording
    before = recording
    recording = value
    try:
        yield
    finally:
        recording = before


def no_grad() -> contextlib.AbstractContextManager[None]:
    return recording_set(False)


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data = np.asarray(data, dtype=np.float64)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.operands: tuple[Tensor, ...] = ()
        self.vjp: Callable[[Tensor], tuple[Tensor, ...]] = lambda g: ()

    def __add__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other, self)
        return result(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other, self)
        return result(self.data * other.data, (self, other), lambda g: (g * other, g * self))

    def __truediv__(self, other: Tensor | float) -> Tensor:
        other = as_tensor(other, self)
        return result(self.data / other.data, (self, other), lambda g: (g / other, -(g * self / (other * other))))

    def __neg__(self) -> Tensor:
        return result(-self.data, (self,), lambda g: (-g,))

    def __sub__(self, other: Tensor | float) -> Tensor:
        return self + -as_tensor(other, self)

    def __rsub__(self, other: float) -> Tensor:
        return as_tensor(other, self) - self

    def __rtruediv__(self, other: float) -> Tensor:
        return as_tensor(other, self) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self) -> Tensor:
        out = result(np.exp(self.data), (self,), lambda g: (g * out,))
        return out

    def tanh(self) -> Tensor:
        out = result(np.tanh(self.data), (self,), lambda g: (g * (1.0 - out * out),))
        return out

    def sum(self) -> Tensor:
        return result(self.data.sum(), (self,), lambda g: (g.expand(self.data.shape),))

    def expand(self, shape: tuple[int, ...]) -> Tensor:
        return result(np.broadcast_to(self.data, shape), (self,), lambda g: (g.sum(),))

    def permute(self, axes: tuple[int, ...]) -> Tensor:
        return result(self.data.transpose(axes), (self,), lambda g: (g.permute(tuple(np.argsort(axes))),))

    def __matmul__(self, other: Tensor) -> Tensor:
        return result(
            self.data @ other.data,
            (self, other),
            lambda g: (g @ other.permute((1, 0)), self.permute((1, 0)) @ g),
        )

    def backward(self, gradient: np.ndarray | None = None) -> None:
        start = None if gradient is None else Tensor(gradient)
        leaves = [tensor for tensor in in_order(self) if tensor.requires_grad and not tensor.operands]
        for leaf, total in zip(leaves, grad(self, leaves, start)):
            leaf.grad = total.data.copy() if leaf.grad is None else leaf.grad + total.data


def grad(
    output: Tensor, inputs: Sequence[Tensor], gradient: Tensor | None = None, create_graph: bool = False
) -> list[Tensor]:
    """The gradients of the output with respect to the inputs, as tensors."""
    if gradient is None:
        if output.data.size != 1:
            raise RuntimeError("a gradient is needed unless the output has exactly one entry")
        gradient = Tensor(np.ones(output.data.shape))
    with recording_set(create_graph):
        sums = {output: gradient}
        for tensor in reversed(in_order(output)):
            for operand, part in zip(tensor.operands, tensor.vjp(sums[tensor])):
                sums[operand] = sums[operand] + part if operand in sums else part
    found = [sums[item] if item in sums else Tensor(np.zeros(item.data.shape)) for item in inputs]
    return found if create_graph else [Tensor(total.data) for total in found]


def as_tensor(value: Tensor | float, like: Tensor) -> Tensor:
    """A tensor as it is, or a number as a constant of the shape of `like`."""
    return value if isinstance(value, Tensor) else Tensor(np.full(like.data.shape, value))


def result(data: np.ndarray, operands: tuple[Tensor, ...], vjp: Callable[[Tensor], tuple[Tensor, ...]]) -> Tensor:
    """The result of an operation. It remembers its operands if it needs a gradient."""
    out = Tensor(data, recording and any(operand.requires_grad for operand in operands))
    if out.requires_grad:
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
