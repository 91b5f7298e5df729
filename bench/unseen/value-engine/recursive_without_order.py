# Mistake: each node sends on at once when it receives, a rewrite that sends the whole gradient again
# True: double-count
class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0
        self.parents = parents

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __rmul__(self, other):
        return self * other

    def backward(self, upstream=1.0):
        self.grad += upstream
        for parent, slope in self.parents:
            parent.backward(slope * self.grad)
