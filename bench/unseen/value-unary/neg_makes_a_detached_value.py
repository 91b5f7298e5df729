# Held out. Mistake: -a returns Value(-a.data) without a as operand, so no gradient reaches a through a negation or the right side of a difference.
# True: missing-operand-gradient
from math import exp, log


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


class Value:
    def __init__(self, data, operands=(), partials=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.partials = partials

    def __add__(self, other):
        other = as_value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = as_value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __neg__(self):
        return Value(-self.data)

    def __sub__(self, other):
        return self + (-as_value(other))

    def __truediv__(self, other):
        other = as_value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1 / b, -a / (b * b)))

    def __radd__(self, other):
        return as_value(other) + self

    def __rsub__(self, other):
        return as_value(other) - self

    def __rmul__(self, other):
        return as_value(other) * self

    def __rtruediv__(self, other):
        return as_value(other) / self

    def __pow__(self, n):
        d = n * self.data ** (n - 1) if n != 0 else 0.0
        return Value(self.data ** n, (self,), (d,))

    def exp(self):
        e = exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(log(self.data), (self,), (1 / self.data,))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v in seen:
                return
            seen.add(v)
            for w in v.operands:
                visit(w)
            order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for w, d in zip(v.operands, v.partials):
                w.grad += d * v.grad
