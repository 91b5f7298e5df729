# Held out. Mistake: After sending, each node sets its own gradient back to 0, so the output and all intermediate results end with grad 0
# True: zeroes-inside-backward
import math


class Value:
    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources      # pairs (operand, local derivative)

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __sub__(self, other):
        return Value(self.data - other.data, [(self, 1.0), (other, -1.0)])

    def __mul__(self, other):
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def square(self):
        return Value(self.data ** 2, [(self, 2 * self.data)])

    def exp(self):
        e = math.exp(self.data)
        return Value(e, [(self, e)])

    def send(self):
        for operand, d in self.sources:
            operand.grad += d * self.grad
        if self.sources:
            self.grad = 0.0         # has been sent, must not be sent again

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) in seen:
                return
            seen.add(id(v))
            for operand, _ in v.sources:
                visit(operand)
            order.append(v)

        visit(self)
        self.grad = 1.0
        while order:
            order.pop().send()
