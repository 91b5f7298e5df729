# Held out. Mistake: Propagates recursively without an order: at every arrival a node sends on its whole accumulated gradient, so earlier contributions are sent again
# True: double-count
class Value:
    def __init__(self, data, parts=()):
        self.data = data
        self.grad = 0.0
        self.parts = parts          # (operand, local derivative)

    def _lift(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value._lift(other)
        return Value(self.data + other.data, [(self, 1), (other, 1)])

    def __mul__(self, other):
        other = Value._lift(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __radd__(self, other):
        return self.__add__(other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def _propagate(self):
        for operand, d in self.parts:
            operand.grad += d * self.grad
            operand._propagate()

    def backward(self):
        self.grad = 1.0
        self._propagate()
