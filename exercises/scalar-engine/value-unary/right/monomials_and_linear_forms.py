"""Two kinds of node carry all the arithmetic: linear forms with a coefficient, and monomials with an exponent per operand.
So a - a is a form with the coefficient 0, and a / a is a monomial with the exponent 0."""

import math
from collections import defaultdict


def merged(*pairs):
    """The numbers of each node, added up."""
    table = defaultdict(int)
    for v, number in pairs:
        table[v] += number
    return table


def linear(constant, *pairs):
    table = merged(*pairs)
    return Value(constant + sum(c * v.data for v, c in table.items()), table)


def monomial(factor, *pairs):
    powers = merged(*pairs)

    def product(at):
        """The monomial, or its derivative with respect to one node."""
        parts = (n * v.data ** (n - 1) if v is at else v.data**n for v, n in powers.items())
        return factor * math.prod(parts)

    return Value(product(None), {v: product(v) for v in powers})


class Value:
    def __init__(self, data, slopes=None):
        self.data, self.grad, self.slopes = data, 0.0, slopes or {}

    def __add__(self, other):
        return linear(0, (self, 1), (other, 1)) if isinstance(other, Value) else linear(other, (self, 1))

    def __sub__(self, other):
        return linear(0, (self, 1), (other, -1)) if isinstance(other, Value) else linear(-other, (self, 1))

    def __mul__(self, other):
        return monomial(1, (self, 1), (other, 1)) if isinstance(other, Value) else linear(0, (self, other))

    def __truediv__(self, other):
        return monomial(1, (self, 1), (other, -1)) if isinstance(other, Value) else linear(0, (self, 1 / other))

    def __neg__(self):
        return linear(0, (self, -1))

    def __rsub__(self, other):
        return linear(other, (self, -1))

    def __rtruediv__(self, other):
        return monomial(other, (self, -1))

    def __pow__(self, n):
        return monomial(1, (self, n))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, {self: y})

    def log(self):
        return Value(math.log(self.data), {self: 1 / self.data})

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        order = {}

        def visit(v):
            if v not in order:
                for w in v.slopes:
                    visit(w)
                order[v] = True

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for w, slope in v.slopes.items():
                w.grad += slope * v.grad
