"""Kahn's algorithm with a queue: a node is ready when all its consumers have run."""

import math
from collections import Counter, deque


class Value:
    def __init__(self, data, operands=(), slopes=()):
        self.data, self.grad = data, 0
        self.operands, self.slopes = operands, slopes

    def __repr__(self):
        return f"<{self.data:.6g}>"

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, (self,), (1,))
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, (self,), (other,))
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __radd__(self, number):
        return self + number

    def __rmul__(self, number):
        return self * number

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), ((1 - t) * (1 + t),))

    def backward(self):
        uses, met, found = Counter(), {id(self)}, [self]
        for node in found:
            for operand in node.operands:
                uses[id(operand)] += 1
                if id(operand) not in met:
                    met.add(id(operand))
                    found.append(operand)
        self.grad = 1
        ready = deque([self])
        while ready:
            node = ready.popleft()
            for operand, slope in zip(node.operands, node.slopes, strict=True):
                operand.grad += slope * node.grad
                uses[id(operand)] -= 1
                if not uses[id(operand)]:
                    ready.append(operand)
