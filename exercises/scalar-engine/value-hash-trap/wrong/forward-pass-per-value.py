class Value:
    def __init__(self, data, made_of=(), operate=None):
        self.data, self.grad = data, 0.0
        self.sources, self.operate = made_of, operate

    def operands(self):
        return self.sources

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), lambda a, b: a + b)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), lambda a, b: a * b)

    def __pow__(self, n):
        return Value(self.data**n, (self,), lambda a: power(a, n))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __truediv__(self, other):
        return self * other**-1

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self

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
            moved.grad = data[self].imag / 1e-30


def power(a, n):
    """For a tiny imaginary part, to first order: ** of complex numbers loses it."""
    real = complex(a).real
    return complex(real**n, 0) + complex(0, complex(a).imag * (n * real ** (n - 1) if n else 0.0))
