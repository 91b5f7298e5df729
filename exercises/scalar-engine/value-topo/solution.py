"""A backward pass in topological order: the reverse of a depth-first postorder."""

from __future__ import annotations

from collections.abc import Callable


class Value:
    def __init__(self, data: float, prev: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local: Callable[[], None] = lambda: None

    def __add__(self, other: Value) -> Value:
        out = Value(self.data + other.data, (self, other))

        def local() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.local = local
        return out

    def __mul__(self, other: Value) -> Value:
        out = Value(self.data * other.data, (self, other))

        def local() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.local = local
        return out

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[Value] = set()

        def visit(v: Value) -> None:
            if v not in seen:
                seen.add(v)
                for p in v.prev:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.local()
