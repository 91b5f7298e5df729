"""A frozen dataclass with eq=False, which keeps the identity hash. A node passes its gradient on when all uses are counted."""

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Value:
    data: float
    made_of: tuple = ()
    slopes: tuple = ()
    grad: float = 0.0

    def operands(self):
        return self.made_of

    def __add__(self, other):
        other = lifted(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = lifted(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = lifted(other)
        return Value(self.data / other.data, (self, other), (1 / other.data, -self.data / other.data**2))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return lifted(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        uses, found = Counter(), [self]
        for v in found:  # the list grows while it is read
            for w in v.made_of:
                if w not in uses:
                    found.append(w)
                uses[w] += 1
        slope, ready = Counter({self: 1.0}), [self]
        while ready:
            v = ready.pop()
            object.__setattr__(v, "grad", slope[v])
            for w, d in zip(v.made_of, v.slopes, strict=True):
                slope[w] += d * slope[v]
                uses[w] -= 1
                if uses[w] == 0:
                    ready.append(w)


def lifted(x):
    return x if isinstance(x, Value) else Value(x)
