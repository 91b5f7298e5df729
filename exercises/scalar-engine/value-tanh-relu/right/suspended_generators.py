"""Every operation is a generator: it yields its value, sleeps until the backward pass, and is sent the upstream gradient.
tanh comes from expm1, and relu from the absolute value."""

import math


def plus(a, b):
    g = yield a.data + b.data
    a.grad += g
    b.grad += g
    yield


def times(a, b):
    g = yield a.data * b.data
    a.grad += b.data * g
    b.grad += a.data * g
    yield


def tanh(a):
    shrunk = math.expm1(-2 * abs(a.data))  # from -1 to 0
    g = yield math.copysign(shrunk / (shrunk + 2), a.data)
    a.grad += 4 * (shrunk + 1) / (shrunk + 2) ** 2 * g
    yield


def relu(a):
    g = yield (a.data + abs(a.data)) / 2
    a.grad += g if a.data > 0 else 0.0
    yield


class Value:
    def __init__(self, data):
        self.data, self.grad, self.operands, self.asleep = data, 0.0, (), None

    @classmethod
    def result(cls, operation, *operands):
        operands = [v if isinstance(v, Value) else cls(v) for v in operands]
        asleep = operation(*operands)
        out = cls(next(asleep))
        out.operands, out.asleep = operands, asleep
        return out

    def __add__(self, other):
        return Value.result(plus, self, other)

    def __mul__(self, other):
        return Value.result(times, self, other)

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        return Value.result(tanh, self)

    def relu(self):
        return Value.result(relu, self)

    def history(self, seen):
        """Yields every node once, operands before results."""
        if self not in seen:
            seen.add(self)
            for v in self.operands:
                yield from v.history(seen)
            yield self

    def backward(self):
        self.grad = 1.0
        for v in reversed(list(self.history(set()))):
            if v.asleep:
                v.asleep.send(v.grad)
