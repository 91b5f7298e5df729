# Held out. Mistake: The visited nodes are kept in a list, so the traversal takes quadratic time and misses the time limit
# True: quadratic-membership
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = None

    def __repr__(self):
        return "Value(%r)" % self.data

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
        visited, order = [], []
        stack = [(self, 0)]
        visited.append(self)
        while stack:
            node, i = stack.pop()
            if i == len(node.operands):
                order.append(node)
                continue
            stack.append((node, i + 1))
            child = node.operands[i]
            if child not in visited:
                visited.append(child)
                stack.append((child, 0))

        self.grad = 1.0
        for node in order[::-1]:
            if node.push:
                node.push(node.grad)
