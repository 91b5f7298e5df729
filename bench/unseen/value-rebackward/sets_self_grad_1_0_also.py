# Held out. Mistake: Sets self.grad = 1.0 also when backward() is called on a leaf, so the accumulated gradient of that leaf is overwritten
# True: overwrites-instead-of-accumulating
class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.push = lambda: None

    @property
    def is_leaf(self):
        return len(self.operands) == 0

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out.push = push
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.push = push
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def _order(self, seen=None):
        seen = set() if seen is None else seen
        seen.add(self)
        for w in self.operands:
            if w not in seen:
                yield from w._order(seen)
        yield self

    def backward(self):
        nodes = list(self._order())
        for v in nodes:
            if not v.is_leaf:
                v.grad = 0.0
        self.grad = 1.0
        for v in nodes[::-1]:
            v.push()
