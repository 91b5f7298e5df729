"""New Value objects replace the old ones in the dictionary."""

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
        out = loss(params, xs, ys)
        for p in [w for row in params["W1"] for w in row] + params["b1"] + params["W2"] + [params["b2"]]:
            p.grad = 0.0
        out.backward()
        losses.append(out.data)

        def moved(p):
            return Value(p.data - lr * p.grad)

        params["W1"] = [[moved(w) for w in row] for row in params["W1"]]
        params["b1"] = [moved(b) for b in params["b1"]]
        params["W2"] = [moved(w) for w in params["W2"]]
        params["b2"] = moved(params["b2"])
    return losses
