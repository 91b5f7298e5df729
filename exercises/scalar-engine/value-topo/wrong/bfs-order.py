"""Breadth first from the result: a node met early through a short branch runs before the long branch is done."""


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
        order, seen = [self], {self}
        for v in order:
            for p in v.prev:
                if p not in seen:
                    seen.add(p)
                    order.append(p)
        self.grad = 1.0
        for v in order:
            v.local()
