"""One dictionary stores the gradients of a pass, which are copied to the nodes at its end. x - y is x + -1 * y."""

import math
from collections import defaultdict


class Value:
    def __init__(self, data, sources=(), rule=None):
        self.data = data
        self.grad = 0.0
        self.sources = sources
        self.rule = rule

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), lambda g, y: (g, g))

    def __sub__(self, other):
        return self + Value(-1.0) * other

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), lambda g, y: (g * other.data, g * self.data))

    def square(self):
        return Value(self.data**2, (self,), lambda g, y: (2 * g * self.data,))

    def exp(self):
        return Value(math.exp(self.data), (self,), lambda g, y: (g * y,))

    def backward(self):
        order, todo, entered = [], [(self, False)], set()
        while todo:
            node, left = todo.pop()
            if left:
                order.append(node)
            elif node not in entered:
                entered.add(node)
                todo.append((node, True))
                todo += [(source, False) for source in node.sources]
        ledger = defaultdict(float)
        ledger[self] = 1.0
        while order:
            node = order.pop()
            node.grad = ledger[node]
            if node.rule is not None:
                for source, part in zip(node.sources, node.rule(node.grad, node.data), strict=True):
                    ledger[source] += part
