"""Depth-first search with a stack of iterators. The top iterator yields the next operand."""

import math


class Value:
    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self.links = links

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1 - t * t),))

    def _children(self):
        for operand, _ in self.links:
            yield operand

    def backward(self):
        order, met = [], {self}
        path = [(self, self._children())]
        while path:
            node, children = path[-1]
            child = next((c for c in children if c not in met), None)
            if child is None:
                order.append(path.pop()[0])
            else:
                met.add(child)
                path.append((child, child._children()))
        self.grad = 1.0
        for node in reversed(order):
            for operand, slope in node.links:
                operand.grad += slope * node.grad
