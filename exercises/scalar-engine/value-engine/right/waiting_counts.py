"""Kahn's algorithm: a node propagates its gradient after all its consumers have run."""

from collections import Counter, deque


class Value:
    __slots__ = ("data", "grad", "kind", "left", "right")

    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.left = self.right = None
        self.kind = "leaf"

    def _combine(self, other, kind, data):
        out = Value(data)
        out.left, out.right, out.kind = self, other, kind
        return out

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return self._combine(other, "sum", self.data + other.data)

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return self._combine(other, "product", self.data * other.data)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        uses = self._count_uses()
        self.grad = 1.0
        ready = deque([self])
        while ready:
            node = ready.popleft()
            if node.kind == "leaf":
                continue
            to_left, to_right = (1.0, 1.0) if node.kind == "sum" else (node.right.data, node.left.data)
            for operand, slope in ((node.left, to_left), (node.right, to_right)):
                operand.grad = operand.grad + slope * node.grad
                uses[operand] -= 1
                if uses[operand] == 0:
                    ready.append(operand)

    def _count_uses(self):
        uses, met, todo = Counter(), {self}, [self]
        while todo:
            node = todo.pop()
            if node.kind == "leaf":
                continue
            for operand in (node.left, node.right):
                uses[operand] += 1
                if operand not in met:
                    met.add(operand)
                    todo.append(operand)
        return uses
