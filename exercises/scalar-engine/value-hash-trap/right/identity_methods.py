"""The starter's dataclass with identity-based __eq__ and __hash__. A dictionary stores the visited nodes."""

from dataclasses import dataclass


@dataclass(eq=False, repr=False)
class Value:
    data: float
    grad: float = 0.0
    left: object = None
    right: object = None
    slopes: tuple = ()

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self) // 16

    def operands(self):
        return tuple(v for v in (self.left, self.right) if v is not None)

    def __add__(self, other):
        other = as_value(other)
        return Value(self.data + other.data, 0.0, self, other, (1.0, 1.0))

    def __mul__(self, other):
        other = as_value(other)
        return Value(self.data * other.data, 0.0, self, other, (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data**n, 0.0, self, None, (n * self.data ** (n - 1),))

    def __neg__(self):
        return Value(-1.0) * self

    def __sub__(self, other):
        return self + as_value(other) * -1

    def __truediv__(self, other):
        return self * as_value(other) ** -1

    def __radd__(self, other):
        return as_value(other) + self

    def __rmul__(self, other):
        return as_value(other) * self

    def __rsub__(self, other):
        return as_value(other) - self

    def __rtruediv__(self, other):
        return as_value(other) / self

    def backward(self):
        finished = {}

        def visit(v):
            for operand in v.operands():
                if operand not in finished:
                    visit(operand)
            finished[v] = len(finished)

        visit(self)
        self.grad = 1.0
        for v in reversed(finished):
            for operand, slope in zip(v.operands(), v.slopes, strict=True):
                operand.grad += slope * v.grad


def as_value(thing):
    return thing if isinstance(thing, Value) else Value(thing)
