"""The order is right, but the depth of each node is found by walking all paths below it, again and again."""


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

    def depth(self):
        deepest = 0
        for p in self.prev:
            deepest = max(deepest, p.depth() + 1)
        return deepest

    def backward(self):
        nodes, seen = [self], {self}
        for v in nodes:
            for p in v.prev:
                if p not in seen:
                    seen.add(p)
                    nodes.append(p)
        self.grad = 1.0
        for v in sorted(nodes, key=Value.depth, reverse=True):
            v.local()
