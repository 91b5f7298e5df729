"""One function records all operations. What an operation computes is written in two tables."""

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


FORWARD: dict[str, Callable[..., np.ndarray]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "exp": lambda x: np.exp(x),
    "log": lambda x: np.log(x),
    "tanh": lambda x: np.tanh(x),
    "relu": lambda x: np.where(x > 0, x, 0.0),
}

BACKWARD: dict[str, Callable[..., tuple[np.ndarray, ...]]] = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, -g),
    "mul": lambda g, out, x, y: (g * y, g * x),
    "div": lambda g, out, x, y: (g / y, -g * out / y),
    "neg": lambda g, out, x: (-g,),
    "exp": lambda g, out, x: (g * out,),
    "log": lambda g, out, x: (g / x,),
    "tanh": lambda g, out, x: (g * (1 - out) * (1 + out),),
    "relu": lambda g, out, x: (np.where(x > 0, g, 0.0),),
}


def apply(name: str, *operands: Tensor | float) -> Tensor:
    tensors = tuple(as_tensor(operand) for operand in operands)
    out = Tensor(FORWARD[name](*(tensor.data for tensor in tensors)))
    if recording and any(tensor.requires_grad for tensor in tensors):
        out.requires_grad, out.name, out.operands = True, name, tensors
    return out


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data = np.asarray(data, dtype=np.float64)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.name = ""
        self.operands: tuple[Tensor, ...] = ()

    @property
    def is_leaf(self) -> bool:
        return not self.operands

    def __add__(self, other: Tensor | float) -> Tensor:
        return apply("add", self, other)

    def __radd__(self, other: float) -> Tensor:
        return apply("add", other, self)

    def __sub__(self, other: Tensor | float) -> Tensor:
        return apply("sub", self, other)

    def __rsub__(self, other: float) -> Tensor:
        return apply("sub", other, self)

    def __mul__(self, other: Tensor | float) -> Tensor:
        return apply("mul", self, other)

    def __rmul__(self, other: float) -> Tensor:
        return apply("mul", other, self)

    def __truediv__(self, other: Tensor | float) -> Tensor:
        return apply("div", self, other)

    def __rtruediv__(self, other: float) -> Tensor:
        return apply("div", other, self)

    def __neg__(self) -> Tensor:
        return apply("neg", self)

    def exp(self) -> Tensor:
        return apply("exp", self)

    def log(self) -> Tensor:
        return apply("log", self)

    def tanh(self) -> Tensor:
        return apply("tanh", self)

    def relu(self) -> Tensor:
        return apply("relu", self)

    def backward(self, gradient: np.ndarray | None = None) -> None:
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            g = sums[tensor]
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            if not tensor.is_leaf:
                parts = BACKWARD[tensor.name](g, tensor.data, *(operand.data for operand in tensor.operands))
                for operand, part in zip(tensor.operands, parts):
                    sums[operand] = sums[operand] + part if operand in sums else part


def as_tensor(value: Tensor | float) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(value)


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
