# Held out. Mistake: __repr__ prints the operands, whose repr prints theirs, so it recurses through the whole graph: too long, and a RecursionError on a deep one.
# True: recursive-repr
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad}, operands={self.operands})"

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
        # Kahn: first count how many times each node is used
        uses = {self: 0}
        todo = [self]
        while todo:
            v = todo.pop()
            for w in v.operands:
                if w not in uses:
                    uses[w] = 0
                    todo.append(w)
                uses[w] += 1

        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            if v.push is not None:
                v.push(v.grad)
            for w in v.operands:
                uses[w] -= 1
                if uses[w] == 0:
                    ready.append(w)
