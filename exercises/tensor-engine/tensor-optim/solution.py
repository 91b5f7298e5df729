"""Every parameter has its own arrays and its own number of steps, and is changed in place."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
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

    __radd__ = __add__
    __rmul__ = __mul__

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


class SGD:
    def __init__(self, parameters: Iterable[Tensor], lr: float, momentum: float = 0.0) -> None:
        self.parameters = list(parameters)
        self.lr, self.momentum = lr, momentum
        self.velocities = [np.zeros(p.data.shape) for p in self.parameters]

    def step(self) -> None:
        for p, v in zip(self.parameters, self.velocities):
            if p.grad is not None:
                v[...] = self.momentum * v + p.grad
                p.data -= self.lr * v

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = None


class Adam:
    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        self.parameters = list(parameters)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.steps = [0] * len(self.parameters)
        self.means = [np.zeros(p.data.shape) for p in self.parameters]
        self.squares = [np.zeros(p.data.shape) for p in self.parameters]

    def step(self) -> None:
        beta1, beta2 = self.betas
        for n, p in enumerate(self.parameters):
            if p.grad is not None:
                self.steps[n] += 1
                self.means[n] = beta1 * self.means[n] + (1 - beta1) * p.grad
                self.squares[n] = beta2 * self.squares[n] + (1 - beta2) * p.grad**2
                mean = self.means[n] / (1 - beta1 ** self.steps[n])
                square = self.squares[n] / (1 - beta2 ** self.steps[n])
                p.data -= self.lr * mean / (np.sqrt(square) + self.eps)

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = None
