"""A right order out of a visit that remembers nodes only once they are in the list, and asks too late."""


class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def local():
            self.grad += out.grad
            other.grad += out.grad
        out.local = local
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def local():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.local = local
        return out

    def backward(self):
        order = []

        def visit(v):
            for p in v.prev:
                visit(p)
            if v not in order:
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.local()
