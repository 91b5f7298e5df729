"""Local slopes on the nodes, an order by creation number, sums by reduce, and a backward pass that starts from zeros."""

from functools import reduce
from itertools import chain, count
from math import cosh, tanh
from operator import add

created = count()


class Value:
    def __init__(self, data, slopes=()):
        self.data, self.grad, self.slopes, self.number = data, 0, slopes, next(created)

    def __add__(self, other):
        if isinstance(other, Value):
            return Value(self.data + other.data, ((self, 1), (other, 1)))
        return Value(self.data + other, ((self, 1),))

    def __mul__(self, other):
        if isinstance(other, Value):
            return Value(self.data * other.data, ((self, other.data), (other, self.data)))
        return Value(self.data * other, ((self, other),))

    __radd__, __rmul__ = __add__, __mul__

    def tanh(self):
        return Value(tanh(self.data), ((self, 1 / cosh(self.data) ** 2),))

    def backward(self):
        waiting, found = [self], {self.number: self}
        while waiting:
            for operand, _ in waiting.pop().slopes:
                if operand.number not in found:
                    found[operand.number] = operand
                    waiting.append(operand)
        for node in found.values():
            node.grad = 0
        self.grad = 1
        for number in sorted(found, reverse=True):
            node = found[number]
            for operand, slope in node.slopes:
                operand.grad += slope * node.grad


def dot(left, right):
    return reduce(add, (a * b for a, b in zip(left, right)))


def predict(params, x):
    hidden = [(dot(row, x) + b).tanh() for row, b in zip(params["W1"], params["b1"])]
    return dot(params["W2"], hidden) + params["b2"]


def loss(params, xs, ys):
    n = len(xs)
    errors = (predict(params, x) + -1 * y for x, y in zip(xs, ys))
    return reduce(add, (e * e * (1 / n) for e in errors))


def train(params, xs, ys, steps, lr):
    flat = [*chain.from_iterable(params["W1"]), *params["b1"], *params["W2"], params["b2"]]

    def step():
        out = loss(params, xs, ys)
        out.backward()
        for p in flat:
            p.data = p.data - lr * p.grad
        return out.data

    return [step() for _ in range(steps)]
