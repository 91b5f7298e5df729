"""Every contribution is added: a node with several consumers receives the sum of their contributions."""

from __future__ import annotations

import math
from collections.abc import Callable


class Value:
    def __init__(self, data: float, sources: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.send: Callable[[], None] = lambda: None

    def __add__(self, other: Value) -> Value:
        out = Value(self.data + other.data, (self, other))

        def send() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.send = send
        return out

    def __sub__(self, other: Value) -> Value:
        out = Value(self.data - other.data, (self, other))

        def send() -> None:
            self.grad += out.grad
            other.grad += -out.grad

        out.send = send
        return out

    def __mul__(self, other: Value) -> Value:
        out = Value(self.data * other.data, (self, other))

        def send() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.send = send
        return out

    def square(self) -> Value:
        out = Value(self.data**2, (self,))

        def send() -> None:
            self.grad += 2 * self.data * out.grad

        out.send = send
        return out

    def exp(self) -> Value:
        out = Value(math.exp(self.data), (self,))

        def send() -> None:
            self.grad += out.data * out.grad

        out.send = send
        return out

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[int] = set()

        def visit(v: Value) -> None:
            if id(v) not in seen:
                seen.add(id(v))
                for s in v.sources:
                    visit(s)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.send()
