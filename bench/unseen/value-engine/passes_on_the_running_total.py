# Held out. Mistake: each contribution makes the node send its whole accumulated gradient on at once, so a shared intermediate node sends old parts again
# True: double-count
class Value:
    def __init__(self, data, edges=()):
        self.data = data
        self.grad = 0.0
        self.edges = edges

    @classmethod
    def wrap(cls, thing):
        if isinstance(thing, cls):
            return thing
        return cls(thing)

    def __add__(self, other):
        other = Value.wrap(other)
        return Value(self.data + other.data, [(self, 1), (other, 1)])

    def __radd__(self, other):
        return Value.wrap(other) + self

    def __mul__(self, other):
        other = Value.wrap(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __rmul__(self, other):
        return Value.wrap(other) * self

    def _receive(self, amount):
        self.grad += amount
        for operand, slope in self.edges:
            operand._receive(slope * self.grad)

    def backward(self):
        self._receive(1.0)
