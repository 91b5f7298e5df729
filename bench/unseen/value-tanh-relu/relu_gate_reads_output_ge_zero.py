# Held out. Mistake: relu decides by its output being >= 0, which is always true, so the gradient passes for negative inputs and at 0 as well.
# True: wrong-local-derivative
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    def __add__(self, other):
        other = Value.lift(other)
        out = Value(self.data + other.data, (self, other))
        def push():
            self.grad += out.grad
            other.grad += out.grad
        out.push = push
        return out

    def __mul__(self, other):
        other = Value.lift(other)
        out = Value(self.data * other.data, (self, other))
        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    @classmethod
    def lift(cls, v):
        return v if isinstance(v, cls) else cls(v)

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        def push():
            self.grad += (1.0 - out.data * out.data) * out.grad
        out.push = push
        return out

    def relu(self):
        out = Value(max(0.0, self.data), (self,))
        def push():
            self.grad += (1.0 if out.data >= 0 else 0.0) * out.grad
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
        while order:
            order.pop().push()
