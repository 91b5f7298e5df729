"""Each node collects its contributions in a list and sums them once, when it runs."""

import math


class Value:
    def __init__(self, data, *sources):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.received = []

    def __add__(self, other):
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __sub__(self, other):
        return Value(self.data - other.data, (self, 1.0), (other, -1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    def square(self):
        return self * self

    def exp(self):
        grown = math.exp(self.data)
        return Value(grown, (self, grown))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            seen.add(id(v))
            for source, _ in v.sources:
                if id(source) not in seen:
                    visit(source)
            order.append(v)

        visit(self)
        self.received.append(1.0)
        for v in reversed(order):
            v.grad = math.fsum(v.received)
            for source, slope in v.sources:
                source.received.append(slope * v.grad)
