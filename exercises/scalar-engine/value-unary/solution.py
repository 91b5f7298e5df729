"""The arithmetic operations, exp and log, each with its own local derivatives. Numbers are converted to leaves."""

from __future__ import annotations

import math
from collections.abc import Callable


class Value:
    def __init__(self, data: float, operands: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push: Callable[[], None] = lambda: None

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __sub__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other))

        def push() -> None:
            self.grad += out.grad
            other.grad += -out.grad

        out.push = push
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    def __truediv__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other))

        def push() -> None:
            self.grad += 1 / other.data * out.grad
            other.grad += -self.data / other.data**2 * out.grad

        out.push = push
        return out

    def __neg__(self) -> Value:
        out = Value(-self.data, (self,))

        def push() -> None:
            self.grad += -out.grad

        out.push = push
        return out

    def __pow__(self, n: float) -> Value:
        out = Value(self.data**n, (self,))

        def push() -> None:
            self.grad += n * self.data ** (n - 1) * out.grad

        out.push = push
        return out

    def exp(self) -> Value:
        out = Value(math.exp(self.data), (self,))

        def push() -> None:
            self.grad += out.data * out.grad

        out.push = push
        return out

    def log(self) -> Value:
        out = Value(math.log(self.data), (self,))

        def push() -> None:
            self.grad += 1 / self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: float) -> Value:
        return Value(other) - self

    def __rtruediv__(self, other: float) -> Value:
        return Value(other) / self

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[Value] = set()

        def visit(v: Value) -> None:
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.push()
