"""Uses are counted in a dictionary, but whether a node has been found before is asked of a list."""

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
        uses, found = {}, [self]
        for v in found:
            for w in v.operands:
                uses[w] = uses.get(w, 0) + 1
                if not any(w is u for u in found):
                    found.append(w)
        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            if v.push:
                v.push(v.grad)
            for w in v.operands:
                uses[w] -= 1
                if uses[w] == 0:
                    ready.append(w)
