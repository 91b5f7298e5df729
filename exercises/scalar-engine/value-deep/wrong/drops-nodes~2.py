"""The walk follows the left operands down and takes right operands for leaves."""

import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push(upstream):
            self.grad += upstream
            other.grad += upstream

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push(upstream):
            self.grad += other.data * upstream
            other.grad += self.data * upstream

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def push(upstream):
            self.grad += (1 - t**2) * upstream

        out.push = push
        return out

    def backward(self):
        order, seen, v = [], set(), self
        while v is not None and v not in seen:
            seen.add(v)
            order.insert(0, v)
            v = v.operands[0] if v.operands else None
        self.grad = 1.0
        for v in reversed(order):
            if v.push:
                v.push(v.grad)
