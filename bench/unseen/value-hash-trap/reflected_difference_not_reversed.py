# Held out. Mistake: __rsub__ is the same method as __sub__, so 2 - a is computed as a - 2
# True: reflected-order
def as_value(v):
    if isinstance(v, Value):
        return v
    return Value(v)


class Value:
    """A node. Equality and hash are those of object: by identity."""

    def __init__(self, data, args=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self._args = tuple(args)
        self._slopes = tuple(slopes)

    def operands(self):
        return self._args

    def __add__(self, other):
        b = as_value(other)
        return Value(self.data + b.data, (self, b), (1.0, 1.0))

    def __sub__(self, other):
        b = as_value(other)
        return Value(self.data - b.data, (self, b), (1.0, -1.0))

    def __mul__(self, other):
        b = as_value(other)
        return Value(self.data * b.data, (self, b), (b.data, self.data))

    def __truediv__(self, other):
        b = as_value(other)
        return Value(self.data / b.data, (self, b),
                     (1 / b.data, -self.data / b.data ** 2))

    def __rtruediv__(self, other):
        return as_value(other) / self

    def __neg__(self):
        return Value(-self.data, (self,), (-1.0,))

    def __pow__(self, n):
        return Value(self.data ** n, (self,), (n * self.data ** (n - 1),))

    # number on the left
    __radd__ = __add__
    __rsub__ = __sub__
    __rmul__ = __mul__

    def backward(self):
        seen = set()
        order = []

        def walk(node):
            seen.add(node)
            for a in node._args:
                if a not in seen:
                    walk(a)
            order.insert(0, node)

        walk(self)
        self.grad = 1.0
        for node in order:
            for a, slope in zip(node._args, node._slopes):
                a.grad += slope * node.grad
