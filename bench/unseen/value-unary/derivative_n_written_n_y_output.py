# Held out. Mistake: The derivative of a ** n is written as n * y / a with the output, which divides by zero at a = 0
# True: formula-invalid-at-zero
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    @classmethod
    def _new(cls, data, *pairs):
        """A result with the given (operand, local derivative) pairs."""
        out = cls(data, tuple(v for v, _ in pairs))

        def push():
            for v, derivative in pairs:
                v.grad += derivative() * out.grad

        out.push = push
        return out

    def __add__(self, other):
        b = _value(other)
        return Value._new(self.data + b.data, (self, lambda: 1.0), (b, lambda: 1.0))

    def __sub__(self, other):
        b = _value(other)
        return Value._new(self.data - b.data, (self, lambda: 1.0), (b, lambda: -1.0))

    def __mul__(self, other):
        b = _value(other)
        return Value._new(self.data * b.data, (self, lambda: b.data), (b, lambda: self.data))

    def __truediv__(self, other):
        b = _value(other)
        return Value._new(self.data / b.data, (self, lambda: 1 / b.data), (b, lambda: -self.data / b.data ** 2))

    def __neg__(self):
        return Value._new(-self.data, (self, lambda: -1.0))

    def __radd__(self, other):
        return _value(other) + self

    def __rsub__(self, other):
        return _value(other) - self

    def __rmul__(self, other):
        return _value(other) * self

    def __rtruediv__(self, other):
        return _value(other) / self

    def __pow__(self, n):
        y = self.data ** n
        return Value._new(y, (self, lambda: n * y / self.data))

    def exp(self):
        y = math.exp(self.data)
        return Value._new(y, (self, lambda: y))

    def log(self):
        return Value._new(math.log(self.data), (self, lambda: 1 / self.data))

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


def _value(x):
    return x if isinstance(x, Value) else Value(x)
