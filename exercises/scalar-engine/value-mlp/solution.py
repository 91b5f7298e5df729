"""A network with one hidden layer on a scalar engine, its mean squared error, and gradient descent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Params = dict[str, Any]


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


def predict(params: Params, x: Sequence[float]) -> Value:
    out = params["b2"]
    for weights, bias, weight in zip(params["W1"], params["b1"], params["W2"]):
        z = bias
        for w, entry in zip(weights, x):
            z = z + w * entry
        out = out + weight * z.tanh()
    return out


def loss(params: Params, xs: Sequence[Sequence[float]], ys: Sequence[float]) -> Value:
    total = Value(0.0)
    for x, y in zip(xs, ys):
        error = predict(params, x) + -y
        total = total + error * error
    return total * (1 / len(xs))


def train(params: Params, xs: Sequence[Sequence[float]], ys: Sequence[float], steps: int, lr: float) -> list[float]:
    parameters = [w for row in params["W1"] for w in row] + params["b1"] + params["W2"] + [params["b2"]]
    losses = []
    for _ in range(steps):
        for p in parameters:
            p.grad = 0.0
        current = loss(params, xs, ys)
        current.backward()
        for p in parameters:
            p.data -= lr * p.grad
        losses.append(current.data)
    return losses
