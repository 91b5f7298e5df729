# Held out. Mistake: backward() zeroes the sources' gradients just before every node sends, so only the last consumer's contribution survives.
# True: zeroes-inside-backward
import math


class Value:
    """scalar with a gradient"""

    def __init__(self, data, sources=()):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.partials = ()

    def __add__(self, other):
        return self._make(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other):
        return self._make(self.data - other.data, (self, other), (1.0, -1.0))

    def __mul__(self, other):
        return self._make(self.data * other.data, (self, other), (other.data, self.data))

    def square(self):
        return self._make(self.data ** 2, (self,), (2 * self.data,))

    def exp(self):
        e = math.exp(self.data)
        return self._make(e, (self,), (e,))

    @staticmethod
    def _make(data, sources, partials):
        res = Value(data, sources)
        res.partials = partials
        return res

    def backward(self):
        topo = []
        done = set()

        def build(node):
            if id(node) in done:
                return
            done.add(id(node))
            for s in node.sources:
                build(s)
            topo.append(node)

        build(self)
        self.grad = 1.0
        for node in topo[::-1]:
            # start from a clean gradient so that += is correct
            for s in node.sources:
                s.grad = 0.0
            for s, p in zip(node.sources, node.partials):
                s.grad += p * node.grad
