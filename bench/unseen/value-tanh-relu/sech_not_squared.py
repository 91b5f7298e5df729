# Held out. Mistake: the derivative of tanh is taken as 1/cosh(x) and not 1/cosh(x)**2, so it is right only at x = 0.
# True: wrong-local-derivative
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

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def push():
            sech = 1 / math.cosh(self.data)
            self.grad += sech * out.grad

        out.push = push
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,))

        def push():
            if self.data > 0:
                self.grad += out.grad

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
