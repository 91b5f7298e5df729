# Held out. Mistake: a + a sends the gradient only once because the operands are kept in a set "to avoid counting twice", so a gets 1 instead of 2 (a * a gets a instead of 2a).
# True: missing-operand-gradient
class Value:

    def __init__(self, data, children=()):
        self.data, self.grad = data, 0.0
        self.children = set(children)
        self._backward = lambda: None

    @staticmethod
    def wrap(v):
        return v if isinstance(v, Value) else Value(v)

    def __add__(self, other):
        other = Value.wrap(other)
        z = Value(self.data + other.data, (self, other))
        def _backward():
            for child in z.children:
                child.grad += z.grad
        z._backward = _backward
        return z

    def __mul__(self, other):
        other = Value.wrap(other)
        z = Value(self.data * other.data, (self, other))
        partner = {self: other.data, other: self.data}
        def _backward():
            for child in z.children:
                child.grad += partner[child] * z.grad
        z._backward = _backward
        return z

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        topo, visited = [], set()
        def build(v):
            if v in visited:
                return
            visited.add(v)
            for c in v.children:
                build(c)
            topo.append(v)
        build(self)
        self.grad = 1.0
        for v in topo[::-1]:
            v._backward()
