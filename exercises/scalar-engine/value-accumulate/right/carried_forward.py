"""Nothing runs backward: every value carries its derivative with respect to each value that it was computed from, and
backward() only hands these numbers out."""

import math


class Value:
    def __init__(self, data, *parts):
        self.data = data
        self.grad = 0.0
        self.slopes = {self: 1.0}
        for operand, local in parts:
            for source, slope in operand.slopes.items():
                self.slopes[source] = self.slopes.get(source, 0.0) + local * slope

    def __add__(self, other):
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __sub__(self, other):
        return Value(self.data - other.data, (self, 1.0), (other, -1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    def square(self):
        return Value(self.data**2, (self, 2 * self.data))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self, e))

    def backward(self):
        for source, slope in self.slopes.items():
            source.grad = slope
