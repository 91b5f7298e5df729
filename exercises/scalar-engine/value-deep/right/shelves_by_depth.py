"""Every value knows its depth from birth. The backward pass empties one shelf of equally deep values after the other."""

import math
from collections import defaultdict


class Value:
    def __init__(self, data, *edges):
        self.data = data
        self.grad = 0.0
        self.edges = edges
        self.depth = 1 + max((operand.depth for operand, _ in edges), default=-1)

    def __repr__(self):
        return f"Value({self.data:.6g}, grad={self.grad:.6g}, depth={self.depth})"

    def __add__(self, other):
        other = lift(other)
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = lift(other)
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self, 1 - t * t))

    def backward(self):
        shelves = defaultdict(set)
        shelves[self.depth].add(self)
        self.grad = 1.0
        for depth in range(self.depth, -1, -1):
            for value in shelves.pop(depth, ()):
                for operand, slope in value.edges:
                    operand.grad += slope * value.grad
                    shelves[operand.depth].add(operand)


def lift(x):
    return x if isinstance(x, Value) else Value(x)
