"""A heap of creation numbers: the newest node reached so far runs next."""

import heapq
import math
from itertools import count

_born = count(1)


class Value:
    __slots__ = ("data", "grad", "left", "number", "right", "slopes")

    def __init__(self, data, left=None, right=None, slopes=(0.0, 0.0)):
        self.data = data
        self.grad = 0.0
        self.left, self.right, self.slopes = left, right, slopes
        self.number = next(_born)

    def __repr__(self):
        return f"Value number {self.number}: {self.data!r}"

    def __lt__(self, other):
        return self.number > other.number

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, self, other, (1.0, 1.0))

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, self, other, (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, self, None, (1 - t * t, 0.0))

    def backward(self):
        self.grad = 1.0
        heap, reached = [self], {self.number}
        while heap:
            node = heapq.heappop(heap)
            for operand, slope in zip((node.left, node.right), node.slopes, strict=True):
                if operand is None:
                    continue
                operand.grad += slope * node.grad
                if operand.number not in reached:
                    reached.add(operand.number)
                    heapq.heappush(heap, operand)
