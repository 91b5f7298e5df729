# Held out. Mistake: Besides using +=, removes the visited set "because it drops contributions", so a shared node sends its gradient several times
# True: double-count
import math


class Value:
    def __init__(self, data, sources=()):
        self.data, self.grad, self.sources = data, 0.0, sources
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
            other.grad -= out.grad
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
        order = []

        # no "seen": a value that is used twice needs both visits
        def visit(v):
            for s in v.sources:
                visit(s)
            order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.send()
