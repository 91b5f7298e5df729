# Held out. Mistake: for a number divided by a Value the slope is that of 1 / a; the number itself is missing from it
# True: missing-local-factor
import math


class Value:
    def __init__(self, data, *links):
        self.data = data
        self.grad = 0.0
        self.links = links      # (operand, slope) for each operand

    def _binary(self, other, f, slopes):
        if not isinstance(other, Value):
            other = Value(other)
        a, b = self.data, other.data
        da, db = slopes(a, b)
        return Value(f(a, b), (self, da), (other, db))

    def __add__(self, other):
        return self._binary(other, lambda a, b: a + b, lambda a, b: (1.0, 1.0))

    def __sub__(self, other):
        return self._binary(other, lambda a, b: a - b, lambda a, b: (1.0, -1.0))

    def __mul__(self, other):
        return self._binary(other, lambda a, b: a * b, lambda a, b: (b, a))

    def __truediv__(self, other):
        return self._binary(other, lambda a, b: a / b, lambda a, b: (1 / b, -a / b ** 2))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, number):
        return Value(number - self.data, (self, -1.0))

    def __rtruediv__(self, number):
        return Value(number / self.data, (self, -1.0 / self.data ** 2))

    def __neg__(self):
        return Value(-self.data, (self, -1.0))

    def __pow__(self, n):
        slope = 0.0 if n == 0 else n * self.data ** (n - 1)
        return Value(self.data ** n, (self, slope))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self, y))

    def log(self):
        return Value(math.log(self.data), (self, 1 / self.data))

    def backward(self):
        finished = []
        known = set()

        def explore(v):
            known.add(v)
            for operand, _ in v.links:
                if operand not in known:
                    explore(operand)
            finished.append(v)

        explore(self)
        self.grad = 1.0
        while finished:
            v = finished.pop()
            for operand, slope in v.links:
                operand.grad += slope * v.grad
