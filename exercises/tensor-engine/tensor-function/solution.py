"""apply gives forward a context of its own and remembers both for the backward pass of the result."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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


class Context:
    """What one call of forward leaves for backward."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[np.ndarray, ...] = ()

    def save_for_backward(self, *arrays: np.ndarray) -> None:
        self.saved_tensors = arrays


class Function:
    @classmethod
    def apply(cls, *inputs: Any) -> Tensor:
        ctx = Context(tuple(isinstance(item, Tensor) and item.requires_grad for item in inputs))
        out = Tensor(cls.forward(ctx, *(item.data if isinstance(item, Tensor) else item for item in inputs)))
        if recording and any(ctx.needs_input_grad):
            out.requires_grad, out.function, out.ctx, out.inputs = True, cls, ctx, inputs
        return out


class Add(Function):
    @staticmethod
    def forward(ctx: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + y

    @staticmethod
    def backward(ctx: Any, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return g, g


class Mul(Function):
    @staticmethod
    def forward(ctx: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, y = ctx.saved_tensors
        return g * y, g * x


class Exp(Function):
    @staticmethod
    def forward(ctx: Any, x: np.ndarray) -> np.ndarray:
        out = np.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, g: np.ndarray) -> np.ndarray:
        (out,) = ctx.saved_tensors
        return g * out


class Pow(Function):
    @staticmethod
    def forward(ctx: Any, x: np.ndarray, n: float) -> np.ndarray:
        ctx.save_for_backward(x)
        ctx.n = n
        return x**n

    @staticmethod
    def backward(ctx: Any, g: np.ndarray) -> tuple[np.ndarray, None]:
        (x,) = ctx.saved_tensors
        slope = ctx.n * x ** (ctx.n - 1) if ctx.n else np.zeros_like(x)
        return g * slope, None


class Clamp(Function):
    @staticmethod
    def forward(ctx: Any, x: np.ndarray, lo: float, hi: float) -> np.ndarray:
        ctx.save_for_backward((lo <= x) & (x <= hi))
        return np.clip(x, lo, hi)

    @staticmethod
    def backward(ctx: Any, g: np.ndarray) -> tuple[np.ndarray, None, None]:
        (inside,) = ctx.saved_tensors
        return np.where(inside, g, 0.0), None, None


class Tensor:
    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data = np.asarray(data, dtype=np.float64)
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.function: type[Function] | None = None
        self.ctx: Context | None = None
        self.inputs: tuple[Any, ...] = ()

    @property
    def is_leaf(self) -> bool:
        return self.function is None

    def __add__(self, other: Tensor | float) -> Tensor:
        return Add.apply(self, other)

    def __radd__(self, other: float) -> Tensor:
        return Add.apply(other, self)

    def __mul__(self, other: Tensor | float) -> Tensor:
        return Mul.apply(self, other)

    def __rmul__(self, other: float) -> Tensor:
        return Mul.apply(other, self)

    def __pow__(self, n: float) -> Tensor:
        return Pow.apply(self, n)

    def exp(self) -> Tensor:
        return Exp.apply(self)

    def clamp(self, lo: float, hi: float) -> Tensor:
        return Clamp.apply(self, lo, hi)

    def backward(self, gradient: np.ndarray | None = None) -> None:
        if gradient is None:
            if self.data.size != 1:
                raise RuntimeError("only a tensor with one entry has a default gradient")
            gradient = np.ones(self.data.shape)
        sums = {self: gradient}
        for tensor in reversed(in_order(self)):
            if tensor not in sums:
                continue
            g = sums[tensor]
            if tensor.is_leaf and tensor.requires_grad:
                tensor.grad = g.copy() if tensor.grad is None else tensor.grad + g
            if not tensor.is_leaf:
                for operand, part in zip(tensor.inputs, gradients(tensor, g), strict=True):
                    if isinstance(operand, Tensor) and part is not None:
                        sums[operand] = sums[operand] + part if operand in sums else part


def gradients(tensor: Tensor, g: np.ndarray) -> tuple[Any, ...]:
    """What backward returns: one gradient, or None, for each argument of apply."""
    found = tensor.function.backward(tensor.ctx, g)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(tensor.inputs):
        raise RuntimeError(f"backward returned {len(found)} gradients for {len(tensor.inputs)} arguments")
    return found


def in_order(root: Tensor) -> list[Tensor]:
    """The root and every tensor that it depends on, each after the tensors among its inputs."""
    order: list[Tensor] = []
    seen = set()

    def visit(tensor: Tensor) -> None:
        if tensor not in seen:
            seen.add(tensor)
            for item in tensor.inputs:
                if isinstance(item, Tensor):
                    visit(item)
            order.append(tensor)

    visit(root)
    return order
