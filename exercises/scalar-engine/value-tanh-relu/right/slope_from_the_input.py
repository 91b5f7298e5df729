"""Both derivatives are computed from the input in the forward pass: 1 / cosh(x)**2 and a step function."""

import math
from itertools import count

_clock = count()


class Value:
    __slots__ = ("born", "data", "grad", "links")

    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self.links = links
        self.born = next(_clock)

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, [(self, 1.0)])
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, [(self, other)])
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __radd__(self, number):
        return self + number

    def __rmul__(self, number):
        return self * number

    def tanh(self):
        return Value(math.tanh(self.data), [(self, math.cosh(self.data) ** -2)])

    def relu(self):
        return Value((abs(self.data) + self.data) / 2, [(self, float(self.data > 0))])

    def backward(self):
        reached = {self}
        todo = [self]
        while todo:
            for operand, _ in todo.pop().links:
                if operand not in reached:
                    reached.add(operand)
                    todo.append(operand)
        self.grad = 1.0
        for node in sorted(reached, key=lambda v: -v.born):
            for operand, slope in node.links:
                operand.grad += slope * node.grad
