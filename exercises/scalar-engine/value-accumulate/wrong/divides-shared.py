"""A second contribution is averaged with the first instead of added to it."""

import math


def share(value, contribution):
    value.grad = (value.grad + contribution) / 2 if value.grad else contribution


class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.send = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def send():
            share(self, out.grad)
            share(other, out.grad)
        out.send = send
        return out

    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other))

        def send():
            share(self, out.grad)
            share(other, -out.grad)
        out.send = send
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def send():
            share(self, other.data * out.grad)
            share(other, self.data * out.grad)
        out.send = send
        return out

    def square(self):
        out = Value(self.data ** 2, (self,))

        def send():
            share(self, 2 * self.data * out.grad)
        out.send = send
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def send():
            share(self, out.data * out.grad)
        out.send = send
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for s in v.sources:
                    visit(s)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.send()
