"""tanh is composed from the engine's own exp and reciprocal; relu is a product with the constant 0 or 1."""

import math


class Value:
    def __init__(self, data, operands=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.slopes = slopes

    def __add__(self, other):
        other = _wrap(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = _wrap(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def reciprocal(self):
        r = 1 / self.data
        return Value(r, (self,), (-r * r,))

    def tanh(self):
        grown = (2.0 * self).exp()
        return 1.0 + -2.0 * (grown + 1.0).reciprocal()

    def relu(self):
        return self * (1 if self.data > 0 else 0)

    def backward(self):
        order, met = [], set()

        def visit(node):
            met.add(node)
            for operand in node.operands:
                if operand not in met:
                    visit(operand)
            order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for operand, slope in zip(node.operands, node.slopes, strict=True):
                operand.grad += slope * node.grad


def _wrap(thing):
    return thing if isinstance(thing, Value) else Value(thing)
