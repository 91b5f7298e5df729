# Held out. Mistake: __repr__ prints the operands recursively, so it overflows the stack (or is far too long) on a deep graph
# True: recursive-repr
import math


class Value:
    def __init__(self, data, operands=()):
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.locals = ()

    def __repr__(self):
        if not self.operands:
            return f"Value({self.data:.4g})"
        return f"Value({self.data:.4g}, from={self.operands})"

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other))
        out.locals = (1.0, 1.0)
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other))
        out.locals = (other.data, self.data)
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))
        out.locals = (1 - t * t,)
        return out

    def backward(self):
        # number of consumers inside this graph
        pending = {self: 0}
        todo = [self]
        while todo:
            v = todo.pop()
            for w in v.operands:
                if w not in pending:
                    pending[w] = 0
                    todo.append(w)
                pending[w] += 1

        self.grad = 1.0
        ready = [self]
        while ready:
            v = ready.pop()
            for w, d in zip(v.operands, v.locals):
                w.grad += d * v.grad
                pending[w] -= 1
                if pending[w] == 0:
                    ready.append(w)
