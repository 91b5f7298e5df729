# Held out. Mistake: nodes are sorted by their shortest distance from the output
# True: bfs-order, wrong-traversal, wrong-order
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
        distance = {self: 0}
        layer = [self]
        while layer:
            below = []
            for v in layer:
                for w in v.prev:
                    if w not in distance:
                        distance[w] = distance[v] + 1
                        below.append(w)
            layer = below
        self.grad = 1.0
        for v in sorted(distance, key=distance.get):
            v.local()
