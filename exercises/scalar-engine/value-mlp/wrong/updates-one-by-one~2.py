"""The output layer is updated before the gradients of the hidden layer are computed."""

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


def layer(rows, biases, x):
    out = []
    for row, b in zip(rows, biases):
        total = b
        for w, xi in zip(row, x):
            total = total + w * xi
        out.append(total)
    return out


def predict(params, x):
    hidden = [h.tanh() for h in layer(params["W1"], params["b1"], x)]
    return layer([params["W2"]], [params["b2"]], hidden)[0]


def loss(params, xs, ys):
    total = 0
    for x, y in zip(xs, ys):
        error = predict(params, x) + -y
        total = total + error * error
    return total * (1 / len(xs))


def train(params, xs, ys, steps, lr):
    output_layer = params["W2"] + [params["b2"]]
    hidden_layer = params["b1"] + [w for row in params["W1"] for w in row]
    losses = []
    for _ in range(steps):
        losses.append(loss(params, xs, ys).data)
        for parameters in (output_layer, hidden_layer):
            for p in output_layer + hidden_layer:
                p.grad = 0.0
            loss(params, xs, ys).backward()
            for p in parameters:
                p.data -= lr * p.grad
    return losses
