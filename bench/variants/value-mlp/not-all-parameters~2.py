"""Every list of parameters is visited, and b2 is not in a list."""

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

    def __sub__(self, other):
        return self + other * -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

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


def neuron(weights, bias, inputs):
    return sum((w * i for w, i in zip(weights, inputs)), bias)


def predict(params, x):
    hidden = [neuron(row, b, x).tanh() for row, b in zip(params["W1"], params["b1"])]
    return neuron(params["W2"], params["b2"], hidden)


def loss(params, xs, ys):
    errors = [predict(params, x) - y for x, y in zip(xs, ys)]
    return sum(e * e for e in errors) * (1.0 / len(errors))


def train(params, xs, ys, steps, lr):
    losses = []
    for _ in range(steps):
        groups = params["W1"] + [params["b1"], params["W2"]]
        for group in groups:
            for p in group:
                p.grad = 0.0
        out = loss(params, xs, ys)
        losses.append(out.data)
        out.backward()
        for group in groups:
            for p in group:
                p.data = p.data - lr * p.grad
    return losses
