# Held out. Mistake: nodes are marked as seen when they are pushed rather than when they are entered, so the exit order is no postorder and a shared node can run before one of its consumers.
# True: wrong-order
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.locals = ()

    def __repr__(self):
        return f"Value(data={self.data:.6g}, grad={self.grad:.6g})"

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other))
        out.locals = (1.0, 1.0)
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other))
        out.locals = (other.data, self.data)
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))
        out.locals = (1 - t * t,)
        return out

    def backward(self):
        order = []
        seen = {self}
        stack = [(self, False)]
        while stack:
            node, finished = stack.pop()
            if finished:
                order.append(node)
                continue
            stack.append((node, True))
            for child in node.operands:
                if child not in seen:
                    seen.add(child)
                    stack.append((child, False))

        self.grad = 1.0
        for node in reversed(order):
            for child, d in zip(node.operands, node.locals):
                child.grad += d * node.grad
