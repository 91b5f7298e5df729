"""tanh is built from an exp whose slope, the output, is read off the input."""

import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def push():
            self.grad += self.data * out.grad

        out.push = push
        return out

    def reciprocal(self):
        out = Value(1 / self.data, (self,))

        def push():
            self.grad -= out.data**2 * out.grad

        out.push = push
        return out

    def tanh(self):
        return 1 + -2 * ((2 * self).exp() + 1).reciprocal()

    def relu(self):
        out = Value(max(self.data, 0.0), (self,))

        def push():
            self.grad += (self.data > 0) * out.grad

        out.push = push
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.push()
