# TODO(author): the reference solution; it must get full marks
"""A scalar engine with sums, products and squares."""

from __future__ import annotations

from collections.abc import Callable


class Value:
    def __init__(self, data: float, operands: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push: Callable[[], None] = lambda: None

    def __add__(self, other: Value) -> Value:
        out = Value(self.data + other.data, (self, other))

        def push() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other: Value) -> Value:
        out = Value(self.data * other.data, (self, other))

        def push() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    def square(self) -> Value:
        out = Value(self.data * self.data, (self,))

        def push() -> None:
            self.grad += 2 * self.data * out.grad

        out.push = push
        return out

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[Value] = set()

        def visit(value: Value) -> None:
            if value not in seen:
                seen.add(value)
                for operand in value.operands:
                    visit(operand)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):
            value.push()
