# Held out. Mistake: the derivative of a ** n is computed as n * y / a, which divides by zero at a = 0, where it is defined for whole n >= 1.
# True: formula-invalid-at-zero
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
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self * other ** -1

    def __rtruediv__(self, other):
        return other * self ** -1

    def __pow__(self, n):
        out = Value(self.data ** n, (self,))

        def push():
            self.grad += n * out.data / self.data * out.grad

        out.push = push
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def push():
            self.grad += out.data * out.grad

        out.push = push
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))

        def push():
            self.grad += out.grad / self.data

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
