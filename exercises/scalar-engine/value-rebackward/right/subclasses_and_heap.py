"""Leaves, sums and products are three classes. A pass takes nodes from a heap, the newest first, and stores nothing in them."""

from heapq import heappop, heappush
from itertools import count

born = count()


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.birth = next(born)

    def receive(self, upstream):
        """Keeps the gradient, because a leaf has nobody to pass it to."""
        self.grad += upstream
        return ()

    def __add__(self, other):
        return Sum(self, other if isinstance(other, Value) else Value(other))

    def __mul__(self, other):
        return Product(self, other if isinstance(other, Value) else Value(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        heap, pending = [(-self.birth, self)], {self: 1.0}
        while heap:
            _, node = heappop(heap)
            for operand, share in node.receive(pending.pop(node)):
                if operand not in pending:
                    heappush(heap, (-operand.birth, operand))
                pending[operand] = pending.get(operand, 0.0) + share


class Sum(Value):
    def __init__(self, a, b):
        super().__init__(a.data + b.data)
        self.a, self.b = a, b

    def receive(self, upstream):
        return (self.a, upstream), (self.b, upstream)


class Product(Value):
    def __init__(self, a, b):
        super().__init__(a.data * b.data)
        self.a, self.b = a, b

    def receive(self, upstream):
        return (self.a, self.b.data * upstream), (self.b, self.a.data * upstream)
