# Held out. Mistake: Tests for duplicates only when appending and still recurses into visited nodes, so the traversal follows every path and is exponential
# True: exponential-revisit
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

    def _postorder(self, order):
        for p in self.prev:
            p._postorder(order)
        if self not in order:
            order[self] = True      # dicts keep the insertion order

    def backward(self):
        order = {}
        self._postorder(order)
        self.grad = 1.0
        for v in reversed(list(order)):
            v.local()
