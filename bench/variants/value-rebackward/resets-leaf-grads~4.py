"""The gradients of the pass are collected apart, and the leaves are set to them instead of increased."""


class Value:
    def __init__(self, data, operands=(), kind="leaf"):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.kind = kind

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "sum")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "product")

    __radd__ = __add__
    __rmul__ = __mul__

    def slopes(self):
        if self.kind == "leaf":
            return ()
        a, b = self.operands
        return ((a, 1.0), (b, 1.0)) if self.kind == "sum" else ((a, b.data), (b, a.data))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w in v.operands:
                    visit(w)
                order.append(v)

        visit(self)
        received = {v: [] for v in order}
        received[self].append(1.0)
        for v in reversed(order):
            v.grad = sum(received[v])
            for w, slope in v.slopes():
                received[w].append(slope * v.grad)
