"""Two activations: tanh, which is smooth everywhere, and relu, which has a kink at 0."""

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

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> Value:
        out = Value(math.tanh(self.data), (self,))

        def push() -> None:
            self.grad += (1 - out.data**2) * out.grad

        out.push = push
        return out

    def relu(self) -> Value:
        out = Value(max(self.data, 0.0), (self,))

        def push() -> None:
            slope = 1.0 if self.data > 0 else 0.0
            self.grad += slope * out.grad

        out.push = push
        return out

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
