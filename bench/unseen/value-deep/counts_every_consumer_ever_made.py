# Mistake: consumers are counted when they are built, so a node waits forever for a consumer that the output does not depend on
# True: consumers-miscounted
import math


class Value:
    def __init__(self, data, parents=()):
        # parents: pairs (operand, slope)
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.consumers = 0
        for operand, _ in parents:
            operand.consumers += 1

    @staticmethod
    def lift(v):
        return v if isinstance(v, Value) else Value(v)

    def __repr__(self):
        return "Value({:.6g}, grad {:.6g}, {} operands)".format(
            self.data, self.grad, len(self.parents))

    def __add__(self, other):
        other = Value.lift(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __radd__(self, other):
        return Value.lift(other) + self

    def __mul__(self, other):
        other = Value.lift(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __rmul__(self, other):
        return Value.lift(other) * self

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1.0 - t * t),))

    def backward(self):
        waiting = {}
        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            for operand, slope in v.parents:
                operand.grad += slope * v.grad
                left = waiting.get(operand, operand.consumers) - 1
                waiting[operand] = left
                if left == 0:
                    ready.append(operand)
