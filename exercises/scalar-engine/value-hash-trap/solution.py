"""A dataclass whose objects are compared and hashed by identity, with all operators built from three operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False)  # identity: a Value is a node, not a number
class Value:
    data: float
    grad: float = 0.0
    made_of: tuple[Value, ...] = ()
    step: Callable[[], None] | None = None

    def operands(self) -> tuple[Value, ...]:
        return self.made_of

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, made_of=(self, other))

        def step() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.step = step
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, made_of=(self, other))

        def step() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.step = step
        return out

    def __pow__(self, n: float) -> Value:
        out = Value(self.data**n, made_of=(self,))

        def step() -> None:
            self.grad += n * self.data ** (n - 1) * out.grad

        out.step = step
        return out

    def __neg__(self) -> Value:
        return self * -1

    def __sub__(self, other: Value | float) -> Value:
        return self + -other

    def __truediv__(self, other: Value | float) -> Value:
        return self * other**-1

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
                for w in v.made_of:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            if v.step:
                v.step()
