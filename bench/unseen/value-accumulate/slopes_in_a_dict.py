# Held out. Mistake: slopes are kept in a dict keyed by the operand, so the two uses in x * x, x + x or x - x become one
# True: missing-operand-gradient
import math


class Value:
    def __init__(self, data, slopes=None):
        self.data = data
        self.grad = 0.0
        self.slopes = {} if slopes is None else slopes

    def __add__(self, other):
        return Value(self.data + other.data, {self: 1.0, other: 1.0})

    def __sub__(self, other):
        return Value(self.data - other.data, {self: 1.0, other: -1.0})

    def __mul__(self, other):
        return Value(self.data * other.data, {self: other.data, other: self.data})

    def square(self):
        return Value(self.data ** 2, {self: 2 * self.data})

    def exp(self):
        e = math.exp(self.data)
        return Value(e, {self: e})

    def _collect(self, seen, order):
        if self in seen:
            return
        seen.add(self)
        for source in self.slopes:
            source._collect(seen, order)
        order.append(self)

    def backward(self):
        order = []
        self._collect(set(), order)
        self.grad = 1.0
        while order:
            node = order.pop()
            for source, slope in node.slopes.items():
                source.grad += slope * node.grad
