"""The biases are left out of the step."""

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
    weights = [w for row in params["W1"] for w in row] + params["W2"]
    losses = []
    for _ in range(steps):
        for w in weights:
            w.grad = 0.0
        out = loss(params, xs, ys)
        out.backward()
        losses.append(out.data)
        for w in weights:
            w.data -= lr * w.grad
    return losses
