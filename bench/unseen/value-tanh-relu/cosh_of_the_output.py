# Held out. Mistake: the slope of tanh is 1 / cosh^2 of the output instead of the input
# True: wrong-local-derivative
import math


def _v(x):
    return x if isinstance(x, Value) else Value(x)


class Value:
    def __init__(self, data, operands=(), rule=None):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.rule = rule    # (upstream, output) -> one gradient per operand

    def __add__(self, other):
        other = _v(other)
        return Value(self.data + other.data, (self, other), lambda g, y: (g, g))

    def __mul__(self, other):
        other = _v(other)
        return Value(self.data * other.data, (self, other),
                     lambda g, y: (g * other.data, g * self.data))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def tanh(self):
        return Value(math.tanh(self.data), (self,),
                     lambda g, y: (g / math.cosh(y) ** 2,))

    def relu(self):
        return Value(self.data if self.data > 0 else 0.0, (self,),
                     lambda g, y: (g if y > 0 else 0.0,))

    def backward(self):
        topo, visited = [], set()

        def build(node):
            if node in visited:
                return
            visited.add(node)
            for p in node.operands:
                build(p)
            topo.append(node)

        build(self)
        self.grad = 1.0
        for node in topo[::-1]:
            if node.rule is None:
                continue
            for p, amount in zip(node.operands, node.rule(node.grad, node.data)):
                p.grad += amount
