import cmath
import math


class Value:
    def __init__(self, data, operands=(), operate=None):
        self.data, self.grad = data, 0.0
        self.sources, self.operate = operands, operate

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), lambda a, b: a + b)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), lambda a, b: a * b)

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        return Value(math.tanh(self.data), (self,), cmath.tanh)

    def relu(self):
        return Value(max(self.data, 0.0), (self,), lambda a: a if complex(a).real > 0 else 0.0)

    def backward(self):
        """The derivative by a complex step in one value after the other: each time, the whole graph is computed again."""
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for source in value.sources:
                    visit(source)
                order.append(value)

        visit(self)
        for moved in order:
            data = {}
            for value in order:
                data[value] = value.operate(*(data[source] for source in value.sources)) if value.sources else value.data
                if value is moved:
                    data[value] += 1e-30j
            moved.grad = complex(data[self]).imag / 1e-30
