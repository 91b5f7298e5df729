"""The attributes of a module are searched at each call, and every parameter keeps the first name that it gets."""

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

    __radd__ = __add__
    __rmul__ = __mul__

    def __matmul__(self, other: Tensor) -> Tensor:
        a, b = self.data, other.data
        return result(a @ b, (self, other), lambda g: (g @ b.T, a.T @ g))

    def tanh(self) -> Tensor:
        value = np.tanh(self.data)
        return result(value, (self,), lambda g: (g * (1 - value**2),))

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


class Parameter(Tensor):
    """A tensor that is trained."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, requires_grad=True)


class Module:
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def named_parameters(self) -> list[tuple[str, Parameter]]:
        names: dict[Parameter, str] = {}
        for name, parameter in search(self):
            names.setdefault(parameter, name)
        return [(name, parameter) for parameter, name in names.items()]

    def parameters(self) -> list[Parameter]:
        return [parameter for _, parameter in self.named_parameters()]

    def zero_grad(self) -> None:
        for parameter in self.parameters():
            parameter.grad = None


def search(owner: Module | list | tuple) -> Iterator[tuple[str, Parameter]]:
    """Every parameter below a module or a list with its name, as often as it is reached."""
    items = vars(owner).items() if isinstance(owner, Module) else enumerate(owner)
    for name, value in items:
        if isinstance(value, Parameter):
            yield str(name), value
        if isinstance(value, (Module, list, tuple)):
            for rest, parameter in search(value):
                yield f"{name}.{rest}", parameter
