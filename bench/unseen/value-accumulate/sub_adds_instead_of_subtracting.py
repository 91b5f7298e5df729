# Mistake: the subtrahend of a difference gets `-= -out.grad`, a double negation, so its contribution has the wrong sign.
# True: wrong-sign, flipped-sign
import math


class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.send = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def send():
            self.grad += out.grad
            other.grad += out.grad
        out.send = send
        return out

    def __sub__(self, other):
        out = Value(self.data - other.data, (self, other))

        def send():
            self.grad += out.grad
            other.grad -= -out.grad
        out.send = send
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def send():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.send = send
        return out

    def square(self):
        out = Value(self.data ** 2, (self,))

        def send():
            self.grad += 2 * self.data * out.grad
        out.send = send
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def send():
            self.grad += out.data * out.grad
        out.send = send
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for s in v.sources:
                    visit(s)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.send()
