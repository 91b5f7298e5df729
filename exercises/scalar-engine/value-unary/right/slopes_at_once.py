"""One kind of node: the local derivatives are computed in the forward pass and stored with the operands."""

import math


class Value:
    def __init__(self, data, links=()):
        self.data = data
        self.grad = 0.0
        self.links = links

    def __add__(self, other):
        other = lift(other)
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __sub__(self, other):
        other = lift(other)
        return Value(self.data - other.data, [(self, 1.0), (other, -1.0)])

    def __mul__(self, other):
        other = lift(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __truediv__(self, other):
        other = lift(other)
        ratio = self.data / other.data
        return Value(ratio, [(self, 1 / other.data), (other, -ratio / other.data)])

    def __radd__(self, other):
        return lift(other) + self

    def __rsub__(self, other):
        return lift(other) - self

    def __rmul__(self, other):
        return lift(other) * self

    def __rtruediv__(self, other):
        return lift(other) / self

    def __neg__(self):
        return Value(-self.data, [(self, -1.0)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, n * self.data ** (n - 1) if n else 0.0)])

    def exp(self):
        e = math.exp(self.data)
        return Value(e, [(self, e)])

    def log(self):
        return Value(math.log(self.data), [(self, 1 / self.data)])

    def backward(self):
        order, met, todo = [], set(), [(self, iter(self.links))]
        met.add(self)
        while todo:
            node, links = todo[-1]
            for operand, _ in links:
                if operand not in met:
                    met.add(operand)
                    todo.append((operand, iter(operand.links)))
                    break
            else:
                order.append(node)
                todo.pop()
        self.grad = 1.0
        while order:
            node = order.pop()
            for operand, slope in node.links:
                operand.grad += slope * node.grad


def lift(thing):
    return thing if isinstance(thing, Value) else Value(thing)
