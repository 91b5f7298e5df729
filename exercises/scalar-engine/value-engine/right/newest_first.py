"""Nodes carry creation numbers. A heap processes the newest node first, which is a topological order."""

import heapq
from itertools import count

_numbers = count()


class Value:
    def __init__(self, data, operands=(), slopes=()):
        self.data = data
        self.grad = 0
        self.operands = operands
        self.slopes = slopes
        self.number = next(_numbers)

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return Value(self.data + other, (self,), (1,))
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Value(self.data * other, (self,), (other,))
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        self.grad = 1
        waiting = {self.number: self}
        heap = [-self.number]
        while heap:
            node = waiting.pop(-heapq.heappop(heap))
            for operand, slope in zip(node.operands, node.slopes):
                operand.grad += slope * node.grad
                if operand.number not in waiting:
                    waiting[operand.number] = operand
                    heapq.heappush(heap, -operand.number)
