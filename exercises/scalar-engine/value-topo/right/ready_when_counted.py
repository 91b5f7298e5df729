"""Kahn's algorithm: the uses of each node are counted first, and a node runs after its last consumer."""


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
        uses = {self: 0}
        found = [self]
        for v in found:
            for p in v.prev:
                if p not in uses:
                    uses[p] = 0
                    found.append(p)
                uses[p] += 1
        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            v.local()
            for p in v.prev:
                uses[p] -= 1
                if uses[p] == 0:
                    ready.append(p)
