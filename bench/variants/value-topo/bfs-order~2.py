"""Layer by layer, each node in the layer of its shortest way from the result."""


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
        seen, layer = {self}, [self]
        self.grad = 1.0
        while layer:
            below = []
            for v in layer:
                v.local()
                for p in v.prev:
                    if p not in seen:
                        seen.add(p)
                        below.append(p)
            layer = below
