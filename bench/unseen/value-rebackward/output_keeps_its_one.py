# Held out. Mistake: the interior nodes are cleared after each pass except the output, whose 1 is still there when a later pass goes through it
# True: compounding-interior
class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self.children = children        # pairs (Value, slope)

    def is_leaf(self):
        return len(self.children) == 0

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def _sorted(self):
        done = set()
        result = []

        def go(v):
            if id(v) not in done:
                done.add(id(v))
                for c, _ in v.children:
                    go(c)
                result.append(v)

        go(self)
        return result[::-1]

    def backward(self):
        if self.is_leaf():
            self.grad += 1.0
            return
        nodes = self._sorted()
        self.grad = 1.0
        for v in nodes:
            for c, slope in v.children:
                c.grad += slope * v.grad
        # tidy up: what is between the output and the leaves forgets its gradient
        for v in nodes[1:]:
            if not v.is_leaf():
                v.grad = 0.0
