"""A repeated backward on the same output gives the leaves that output's gradient again, instead of adding it."""


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None
        self.given = {}

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

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        for v in order:
            if v.operands:
                v.grad = 0.0
        for leaf, amount in self.given.items():
            leaf.grad -= amount
        held = {v: v.grad for v in order if not v.operands}
        self.grad += 1.0
        for v in reversed(order):
            v.push()
        self.given = {leaf: leaf.grad - amount for leaf, amount in held.items()}
