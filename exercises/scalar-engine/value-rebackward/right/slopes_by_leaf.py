"""Forward mode: every result stores its derivative with respect to each leaf. backward() adds these to the leaves."""


class Value:
    def __init__(self, data, slopes=None):
        self.data = data
        self.grad = 0
        self.slopes = {self: 1.0} if slopes is None else slopes

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, blend(self, 1.0, other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, blend(self, other.data, other, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        for leaf, slope in self.slopes.items():
            leaf.grad += slope


def blend(a, by_a, b, by_b):
    slopes = {leaf: by_a * slope for leaf, slope in a.slopes.items()}
    for leaf, slope in b.slopes.items():
        slopes[leaf] = slopes.get(leaf, 0.0) + by_b * slope
    return slopes
