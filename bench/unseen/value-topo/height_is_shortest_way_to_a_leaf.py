# Held out. Mistake: nodes are sorted by their height above the leaves, but the height is 1 + min over the operands (it has to be max), so a node can run before a consumer.
class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = lambda: None
        self.height = 1 + min(p.height for p in prev) if prev else 0

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
        nodes = {self}
        frontier = [self]
        while frontier:
            v = frontier.pop()
            for p in v.prev:
                if p not in nodes:
                    nodes.add(p)
                    frontier.append(p)
        self.grad = 1.0
        for v in sorted(nodes, key=lambda v: v.height, reverse=True):
            v.local()
