"""Clears the weights and forgets the biases."""

import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def push():
            self.grad += (1 - out.data**2) * out.grad

        out.push = push
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.push()


def predict(params, x):
    out = params["b2"]
    for row, b, w2 in zip(params["W1"], params["b1"], params["W2"]):
        h = b
        for w, xi in zip(row, x):
            h = h + w * xi
        out = out + w2 * h.tanh()
    return out


def loss(params, xs, ys):
    total = 0
    for x, y in zip(xs, ys):
        diff = predict(params, x) + (-y)
        total = total + diff * diff
    return total * (1 / len(xs))


def train(params, xs, ys, steps, lr):
    losses = []
    for _ in range(steps):
        for row in params["W1"]:
            for w in row:
                w.grad = 0.0
        for w in params["W2"]:
            w.grad = 0.0
        current = loss(params, xs, ys)
        current.backward()
        losses.append(current.data)
        for row in params["W1"]:
            for w in row:
                w.data -= lr * w.grad
        for p in params["b1"] + params["W2"]:
            p.data -= lr * p.grad
        params["b2"].data -= lr * params["b2"].grad
    return losses
