"""A depth-first search with an explicit stack. Each node is pushed a second time, to be listed after its operands."""

from __future__ import annotations

import math
from collections.abc import Callable


class Value:
    def __init__(self, data: float, operands: tuple[Value, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push: Callable[[float], None] | None = None

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push(upstream: float) -> None:
            self.grad += upstream
            other.grad += upstream

        out.push = push
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push(upstream: float) -> None:
            self.grad += other.data * upstream
            other.grad += self.data * upstream

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> Value:
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def push(upstream: float) -> None:
            self.grad += (1 - t**2) * upstream

        out.push = push
        return out

    def backward(self) -> None:
        order: list[Value] = []
        entered: set[Value] = set()
        stack = [(self, False)]
        while stack:
            v, finished = stack.pop()
            if finished:
                order.append(v)
            elif v not in entered:
                entered.add(v)
                stack.append((v, True))
                stack.extend((w, False) for w in v.operands)
        self.grad = 1.0
        for v in reversed(order):
            if v.push:
                v.push(v.grad)
