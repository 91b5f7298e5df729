import math


class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents     # (operand, local derivative)

    def __repr__(self):
        return f"<Value {self.data} grad={self.grad}>"

    @staticmethod
    def wrap(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.wrap(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = Value.wrap(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1 - t ** 2),))

    def backward(self):
        # no recursion and no order needed: every contribution travels on its own
        stack = [(self, 1.0)]
        while stack:
            node, g = stack.pop()
            node.grad += g
            for parent, local in node.parents:
                stack.append((parent, local * g))
