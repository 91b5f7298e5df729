"""A dataclass with a generated __eq__ that compares and hashes only a serial number."""

from dataclasses import dataclass, field
from itertools import count

_serial = count()


@dataclass(unsafe_hash=True)
class Value:
    data: float = field(compare=False)
    grad: float = field(default=0.0, compare=False)
    parts: tuple = field(default=(), compare=False)
    serial: int = field(default_factory=lambda: next(_serial))

    def operands(self):
        return tuple(value for value, _ in self.parts)

    def __add__(self, other):
        return node(lambda a, b: (a + b, 1.0, 1.0), self, other)

    def __radd__(self, other):
        return node(lambda a, b: (a + b, 1.0, 1.0), other, self)

    def __sub__(self, other):
        return node(lambda a, b: (a - b, 1.0, -1.0), self, other)

    def __rsub__(self, other):
        return node(lambda a, b: (a - b, 1.0, -1.0), other, self)

    def __mul__(self, other):
        return node(lambda a, b: (a * b, b, a), self, other)

    def __rmul__(self, other):
        return node(lambda a, b: (a * b, b, a), other, self)

    def __truediv__(self, other):
        return node(lambda a, b: (a / b, 1 / b, -a / b / b), self, other)

    def __rtruediv__(self, other):
        return node(lambda a, b: (a / b, 1 / b, -a / b / b), other, self)

    def __neg__(self):
        return node(lambda a: (-a, -1.0), self)

    def __pow__(self, n):
        return node(lambda a: (a**n, n * a ** (n - 1)), self)

    def backward(self):
        reached, todo = {self}, [self]
        while todo:
            fresh = set(todo.pop().operands()) - reached
            reached |= fresh
            todo += fresh
        self.grad = 1.0
        for value in sorted(reached, key=lambda v: v.serial, reverse=True):
            for operand, slope in value.parts:
                operand.grad += slope * value.grad


def node(rule, *operands):
    operands = [value if isinstance(value, Value) else Value(value) for value in operands]
    data, *slopes = rule(*(value.data for value in operands))
    return Value(data, parts=tuple(zip(operands, slopes, strict=True)))
