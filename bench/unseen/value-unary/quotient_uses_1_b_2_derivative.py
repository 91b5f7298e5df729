# Held out. Mistake: The quotient uses -1/b^2 as the derivative with respect to b and forgets the numerator a
# True: missing-local-factor
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

    def __neg__(self):
        return -1.0 * self

    def __sub__(self, other):
        return self + -1.0 * other

    def __rsub__(self, other):
        return -1.0 * self + other

    def __truediv__(self, other):
        if not isinstance(other, Value):
            return self * (1.0 / other)
        quotient = Value(self.data / other.data, (self, other))

        def push():
            self.grad += quotient.grad * (1.0 / other.data)
            other.grad += quotient.grad * (-1.0 / other.data ** 2)

        quotient.push = push
        return quotient

    def __rtruediv__(self, other):
        return Value(other) / self

    def __pow__(self, n):
        power = Value(self.data ** n, (self,))

        def push():
            self.grad += power.grad * n * self.data ** (n - 1)

        power.push = push
        return power

    def exp(self):
        e = Value(math.exp(self.data), (self,))

        def push():
            self.grad += e.grad * e.data

        e.push = push
        return e

    def log(self):
        left = Value(math.log(self.data), (self,))

        def push():
            self.grad += left.grad / self.data

        left.push = push
        return left

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
