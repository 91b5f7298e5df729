# Held out. Mistake: nodes are marked as seen when they are pushed on the stack and not when they are entered, so a node may be left before its operands
# True: wrong-order
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push(upstream):
            self.grad += upstream
            other.grad += upstream

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push(upstream):
            self.grad += other.data * upstream
            other.grad += self.data * upstream

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def push(upstream):
            self.grad += (1 - t**2) * upstream

        out.push = push
        return out

    def backward(self):
        order = []
        seen = {self}
        stack = [(self, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                order.append(node)
                continue
            stack.append((node, True))
            for operand in node.operands:
                if operand not in seen:
                    seen.add(operand)
                    stack.append((operand, False))
        self.grad = 1.0
        for node in reversed(order):
            if node.push is not None:
                node.push(node.grad)
