"""Only +, *, power, exp and log define a derivative: a - b is a + -1 * b, and a / b is a * b ** -1."""

import math


class Value:
    def __init__(self, data, operands=(), send=None):
        self.data = data
        self.grad = 0
        self._operands = operands
        self._send = send

    def __add__(self, other):
        other = _value(other)

        def send(upstream):
            self.grad += upstream
            other.grad += upstream

        return Value(self.data + other.data, (self, other), send)

    def __mul__(self, other):
        other = _value(other)

        def send(upstream):
            self.grad += upstream * other.data
            other.grad += upstream * self.data

        return Value(self.data * other.data, (self, other), send)

    def __pow__(self, n):
        def send(upstream):
            self.grad += upstream * n * self.data ** (n - 1)

        return Value(self.data**n, (self,), send)

    def exp(self):
        def send(upstream):
            self.grad += upstream * math.exp(self.data)

        return Value(math.exp(self.data), (self,), send)

    def log(self):
        def send(upstream):
            self.grad += upstream / self.data

        return Value(math.log(self.data), (self,), send)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -_value(other)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * _value(other) ** -1

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self):
        self.grad = 1
        for node in _results_first(self):
            if node._send is not None:
                node._send(node.grad)


def _value(thing):
    return thing if isinstance(thing, Value) else Value(thing)


def _results_first(root):
    order, met = [], set()

    def visit(node):
        met.add(id(node))
        for operand in node._operands:
            if id(operand) not in met:
                visit(operand)
        order.insert(0, node)

    visit(root)
    return order
